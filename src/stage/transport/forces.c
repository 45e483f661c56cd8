/* u <- u + a dt (Sommer 2018, body forces). */
#include "stage/transport/forces.h"

#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    float *u, *before;
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
        job s = {g, u->value[axis], before->value[axis], (float)(a[axis] * dt), range_faces(g, axis)};
        s.range = range_grow(s.range, g, 1); /* particles at a wall reach one face beyond it */
        parallel_for(g->pool, range_blocks(&s.range), kick_task, &s);
    }
}

typedef struct {
    const mac_grid *g;
    float *u;
    const float *d;
    ptrdiff_t step;
    float keep, kick;
    cell_range range;
} field_job;

HOT static void field_task(void *context, int block) {
    const field_job *s = context;
    const int lower = s->range.lower[0], n = s->range.upper[0] - lower;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, lower, j, k);
        float *u = s->u + row;
        const float *d = s->d + row, *below = d - s->step;
        for (int i = 0; i < n; ++i) u[i] = s->keep * u[i] - s->kick * (d[i] - below[i]);
    }
}

void forces_add_field(mac_field *u, const mac_grid *g, const float *d, double keep, double dt) {
    for (int axis = 0; axis < g->box.dim; ++axis) {
        field_job s = {
            g, u->value[axis], d, g->box.step[axis], (float)keep, (float)(dt / g->dx), range_faces(g, axis)};
        parallel_for(g->pool, range_blocks(&s.range), field_task, &s);
    }
}
