/* dx/dt = u(x): Ralston's third-order Runge-Kutta, k1 = u(x), k2 = u(x + dt/2 k1), k3 = u(x + 3/4 dt k2),
 * x += dt/9 (2 k1 + 3 k2 + 4 k3), with trilinear u; then one Euler displacement through `shift`, looked up
 * where the step began.
 *
 * Every lookup position is held within GHOST - 1 cells of the box, and so is the result: nothing outside the
 * field's memory is read, whatever the velocity. A NaN counts as below the low side, so it ends there instead
 * of spreading to addresses; the field that held it still shows it. */
#include "particle/transfer.h"

#include "particle/lanes.h"

enum { GRAIN = 1 << 14, REACH = GHOST - 1 };

typedef struct moving {
    particles *p;
    const mac_grid *g;
    const float *u[3], *shift[3];
    float scale;    /* cells per m/s: dt / dx */
    float limit[3]; /* highest position, cells */
} moving;

INLINE float hold(float x, float limit) {
    float above = x > -REACH ? x : -REACH;
    return above < limit ? above : limit;
}

INLINE float mix(float a, float b, float f) {
    return a * (1 - f) + b * f;
}

INLINE float look(const box *b, const float *u, const float x[3], int axis, int dim) {
    ptrdiff_t at = b->first;
    float f[3] = {0};
    for (int a = 0; a < dim; ++a) {
        float s = x[a] + (a == axis ? 0 : -0.5f);
        int base = (int)(s + GHOST) - GHOST;
        f[a] = s - (float)base;
        at += base * b->step[a];
    }
    float side[2];
    for (int z = 0; z < dim - 1; ++z) {
        const float *row = u + at + z * b->step[2], *next = row + b->step[1];
        side[z] = mix(mix(row[0], row[1], f[0]), mix(next[0], next[1], f[0]), f[1]);
    }
    return dim == 3 ? mix(side[0], side[1], f[2]) : side[0];
}

INLINE void look_all(float k[3], const moving *t, const float *const u[3], const float x[3], int dim) {
    for (int axis = 0; axis < dim; ++axis) k[axis] = t->scale * look(&t->g->box, u[axis], x, axis, dim);
}

INLINE void step_from(float y[3], const moving *t, const float x[3], const float k[3], float share, int dim) {
    for (int a = 0; a < dim; ++a) y[a] = hold(x[a] + share * k[a], t->limit[a]);
}

INLINE void move_range_dim(const moving *t, size_t begin, size_t end, int dim, int shifted) {
    particles *p = t->p;
    for (size_t i = begin; i < end; ++i) {
        float x[3] = {0}, y[3] = {0}, k1[3], k2[3], k3[3], extra[3] = {0};
        for (int a = 0; a < dim; ++a) x[a] = hold(p->x[a][i], t->limit[a]);
        look_all(k1, t, t->u, x, dim);
        step_from(y, t, x, k1, 0.5f, dim);
        look_all(k2, t, t->u, y, dim);
        step_from(y, t, x, k2, 0.75f, dim);
        look_all(k3, t, t->u, y, dim);
        if (shifted) look_all(extra, t, t->shift, x, dim);
        for (int a = 0; a < dim; ++a) {
            float move = (2 * k1[a] + 3 * k2[a] + 4 * k3[a]) * (1 / 9.0f) + extra[a];
            float flight = t->scale * p->v[a][i];
            p->x[a][i] = hold(x[a] + (p->spray[i] ? flight : move), t->limit[a]);
        }
    }
}

HOT static void move_range(const moving *t, size_t begin, size_t end) {
    int shifted = t->shift[0] != NULL;
    if (t->g->box.dim == 3) {
        if (shifted) move_range_dim(t, begin, end, 3, 1);
        else move_range_dim(t, begin, end, 3, 0);
    } else {
        if (shifted) move_range_dim(t, begin, end, 2, 1);
        else move_range_dim(t, begin, end, 2, 0);
    }
}

static void move_block(void *context, int block) {
    const moving *t = context;
    size_t begin = (size_t)block * GRAIN, end = begin + GRAIN;
    move_range(t, begin, end < t->p->count ? end : t->p->count);
}

void particles_advect(particles *p, const mac_grid *g, const mac_field *u, const mac_field *shift,
                      double dt) {
    moving t = {.p = p, .g = g, .scale = (float)(dt / g->dx)};
    for (int axis = 0; axis < g->box.dim; ++axis) {
        t.u[axis] = u->value[axis];
        t.shift[axis] = shift ? shift->value[axis] : NULL;
        t.limit[axis] = (float)(g->box.n[axis] + REACH);
    }
    parallel_for(g->pool, block_count((long)p->count, GRAIN), move_block, &t);
}
