/* Vessels of liquid at rest. */
#ifndef BENCH_TANKS_H
#define BENCH_TANKS_H

#include <rheo/status.h>

typedef struct tank {
    int round_tank;  /* a sphere, else a tilted box */
    int full;        /* to the top */
    double degrees;  /* the box's tilt */
    double about[3]; /* its axis; 0: z */
    double level;    /* m, unless full */
    int flat;        /* in the plane: a box about z */
} tank;

typedef struct tank_result {
    double speed, last_speed; /* m/s, largest over the frames watched, and in the last one */
    double gain;              /* m: most energy above the lowest watched before, over weight */
    double mass;              /* kg */
} tank_result;

/* apic in a unit cube (or square) of n cells a side, watched between two times [s]. */
rheo_status tank_run(tank_result *r, const tank *t, int n, int threads, double watch_from, double watch_to,
                     rheo_report *report);
#endif
