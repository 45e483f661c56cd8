/* Peaks of resident memory from /proc/self (Linux: proc(5), VmRSS and VmHWM; writing 5 to clear_refs sets the
 * latter back to the former). The allocator keeps what earlier cases freed and would hand it to later ones,
 * where it would not count; so that is given back first. Limits: elsewhere nothing is known, and the answer
 * is NAN. */
#include "peak_memory.h"

#include <math.h>
#include <stdio.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static double status_line(const char *format) {
    char line[256];
    double kilobytes = (double)NAN;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, format, &kilobytes) == 1) break;
    if (f) fclose(f);
    return kilobytes * 1024;
}

double peak_memory_begin(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5", f);
        fclose(f);
    }
    return status_line("VmRSS: %lf");
}

double peak_memory_since(double before) {
    return status_line("VmHWM: %lf") - before;
}
