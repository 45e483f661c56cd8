/* The memory of one case of a bench, whatever ran in the same process before it. */
#ifndef BENCH_PEAK_MEMORY_H
#define BENCH_PEAK_MEMORY_H

/* Gives back to the system what is free and starts a new peak; returns what the process holds still [bytes].
 */
double peak_memory_begin(void);
/* The most that the process held since then beyond `before`; NAN where the system does not say. */
double peak_memory_since(double before);
#endif
