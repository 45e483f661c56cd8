/* Semi-Lagrangian step (Stam 1999; Sommer 2018): follow the velocity back from each face and take the value
 * found there.
 *
 *   u_new(x) = u(x_back),  x_back = x - dt/9 (2 k1 + 3 k2 + 4 k3)   (Ralston's third-order rule)
 *
 * Unconditionally stable; linear interpolation makes it first order in dx^2/dt, that is, diffusive. */
#include "stage/transport/advect.h"

#include "grid/rows.h"
#include "grid/sample.h"
#include "grid/wrap.h"

typedef struct {
    const mac_grid *g;
    const mac_field *u;
    float *out;
    float cells; /* dt / dx */
    cell_range range;
    int axis;
} job;

static float around(const job *s, float x, int a) {
    return s->g->box.periodic[a] ? wrap_place(x, s->g->box.n[a]) : x;
}

static void trace_back(float x[3], const job *s) {
    const int dim = s->g->box.dim;
    float k1[3], k2[3], k3[3], y[3] = {x[0], x[1], x[2]};
    sample_faces(k1, s->u, s->g, x);
    for (int a = 0; a < dim; ++a) y[a] = around(s, x[a] - 0.5f * s->cells * k1[a], a);
    sample_faces(k2, s->u, s->g, y);
    for (int a = 0; a < dim; ++a) y[a] = around(s, x[a] - 0.75f * s->cells * k2[a], a);
    sample_faces(k3, s->u, s->g, y);
    for (int a = 0; a < dim; ++a)
        x[a] = around(s, x[a] - s->cells / 9 * (2 * k1[a] + 3 * k2[a] + 4 * k3[a]), a);
}

static void advect_task(void *context, int block) {
    const job *s = context;
    const int a = s->axis;
    float offset[3] = {0.5f, 0.5f, 0.5f};
    offset[a] = 0;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            float x[3] = {(float)i + offset[0], (float)j + offset[1], (float)k + offset[2]};
            trace_back(x, s);
            s->out[box_at(&s->g->box, i, j, k)] = sample_field(s->u->value[a], s->g, offset, x);
        }
    }
}

void advect_velocity(mac_field *u, mac_field *scratch, const mac_grid *g, double dt) {
    job s = {.g = g, .u = u, .cells = (float)(dt / g->dx)};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.out = scratch->value[s.axis];
        parallel_zero(g->pool, s.out, g->box.size * sizeof *s.out);
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), advect_task, &s);
    }
    mac_field_copy(u, scratch, g);
    wrap_faces(u, g);
}
