/* u <- u + a dt (Sommer 2018, body forces), and the speeds that limit the step. */
#include "stage/forces.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    float *u, *before;
    const float *read;
    float kick;
    cell_range range;
} job;

HOT static void kick_task(void *context, int block) {
    const job *s = context;
    const int lower = s->range.lower[0], n = s->range.upper[0] - lower;
    FOR_ROWS(&s->range, block, j, k) {
        float *u = s->u + box_at(&s->g->box, lower, j, k);
        if (s->before) memcpy(s->before + (u - s->u), u, (size_t)n * sizeof *u);
        for (int i = 0; i < n; ++i) u[i] += s->kick;
    }
}

void forces_add(mac_field *u, mac_field *before, const mac_grid *g, const double a[3], double dt) {
    for (int axis = 0; axis < g->box.dim; ++axis) {
        job s = {g, u->value[axis], before->value[axis], NULL, (float)(a[axis] * dt), range_faces(g, axis)};
        s.range = range_grow(s.range, g, 1); /* particles at a wall reach one face beyond it */
        parallel_for(g->pool, range_blocks(&s.range), kick_task, &s);
    }
}

/* Bits of a non-negative float compare as integers do, infinities and NaN on top: no branch, any order. */
HOT static double speed_task(void *context, int block) {
    const job *s = context;
    const int lower = s->range.lower[0], n = s->range.upper[0] - lower;
    uint32_t most = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const float *u = s->read + box_at(&s->g->box, lower, j, k);
        for (int i = 0; i < n; ++i) {
            uint32_t bits;
            memcpy(&bits, &u[i], sizeof bits);
            bits &= 0x7fffffffu;
            most = most > bits ? most : bits;
        }
    }
    float speed;
    memcpy(&speed, &most, sizeof speed);
    return isfinite(speed) ? (double)speed : INFINITY;
}

void forces_speed(double speed[3], const mac_field *u, const mac_grid *g) {
    speed[2] = 0;
    for (int axis = 0; axis < g->box.dim; ++axis) {
        job s = {.g = g, .read = u->value[axis], .range = range_faces(g, axis)};
        speed[axis] = parallel_max(g->pool, range_blocks(&s.range), speed_task, &s);
    }
}
