/* Measured positions of a surge front: bench/data/dam-break-front.csv, made into an array by the build. */
#ifndef BENCH_FRONT_DATA_H
#define BENCH_FRONT_DATA_H

typedef struct front_row {
    double n2, inch, T, Z; /* as the table's heading says */
} front_row;

extern const front_row front_data[];
extern const int front_data_count;
#endif
