/* dx/dt = u(x): Ralston's third-order Runge-Kutta, k1 = u(x), k2 = u(x + dt/2 k1), k3 = u(x + 3/4 dt k2),
 * x += dt/9 (2 k1 + 3 k2 + 4 k3), with trilinear u. Spray flies by itself, x += dt v + dt^2 g / 2.
 *
 * Every lookup position is held within GHOST - 1 cells of the box, and so is the result: nothing outside the
 * field's memory is read, whatever the velocity. A NaN counts as below the low side, so it ends there instead
 * of spreading to addresses; the field that held it still shows it. Along periodic axes positions come back
 * in on the other side. Limits: fields of fewer than 2^31
 * elements.
 *
 * particles_sum() reads a field at the same places. */
#include "particle/transfer.h"

#include <assert.h>
#include "particle/lanes.h"

/* Two groups of lanes at a time, and the spots of both before any lookup: one has work while the other waits
 * for what its last lookup found, or for its addresses. */
enum { ADVECT_GRAIN = 1 << 13, REACH = GHOST - 1, GROUPS = 2, ROUND = GROUPS * LANES };

typedef struct moving {
    size_t count;
    float *x[3];
    const float *v[3];
    const uint8_t *spray;
    const box *b;
    const float *u[3];
    float scale;       /* cells per m/s: dt / dx */
    float fall[3];     /* m/s: what spray is faster on average than it begins */
    vec8 low, high[3]; /* lowest and highest positions, cells */
    float period[3];   /* cells; 0: not periodic */
    int wraps;         /* some axis is */
} moving;

/* Places count from the border's outermost faces, so that truncation rounds down. */
INLINE void find_spots(spot s[3], const moving *t, const vec8 x[3], int dim) {
    places l;
    for (int a = 0; a < dim; ++a)
        for (int own = 0; own < 2; ++own) {
            l.f[a][own] = vec8_split(&l.at[a][own], x[a] + (own ? GHOST : GHOST - 0.5f));
            if (a > 0) l.at[a][own] *= (int)t->b->step[a];
        }
    spot_of(&s[0], &l, 0, dim);
    spot_of(&s[1], &l, 1, dim);
    if (dim == 3) spot_of(&s[2], &l, 2, dim);
}

INLINE vec8 look_along(const moving *t, const float *u, const spot *s, int dim) {
    const box *b = t->b;
    ptrdiff_t origin = b->first - GHOST * (b->step[0] + b->step[1] + (dim == 3 ? b->step[2] : 0));
    return t->scale * look(u + origin, s, b->step[1], b->step[2], dim, 0).value;
}

/* Velocity at x, in cells a step. The components are written out because loops over them stay loops. */
INLINE void look_all(vec8 k[GROUPS][3], const moving *t, vec8 x[GROUPS][3], int dim) {
    spot s[GROUPS][3];
    find_spots(s[0], t, x[0], dim);
    find_spots(s[1], t, x[1], dim);
    k[0][0] = look_along(t, t->u[0], &s[0][0], dim);
    k[0][1] = look_along(t, t->u[1], &s[0][1], dim);
    if (dim == 3) k[0][2] = look_along(t, t->u[2], &s[0][2], dim);
    k[1][0] = look_along(t, t->u[0], &s[1][0], dim);
    k[1][1] = look_along(t, t->u[1], &s[1][1], dim);
    if (dim == 3) k[1][2] = look_along(t, t->u[2], &s[1][2], dim);
}

INLINE vec8 clamp_near(const moving *t, vec8 x, int axis, int wraps) {
    if (wraps && t->period[axis] > 0) {
        x = vec8_select(x < 0, x + t->period[axis], x);
        x = vec8_select(x >= t->period[axis], x - t->period[axis], x);
    }
    return vec8_clamp(x, t->low, t->high[axis]);
}

INLINE void step_from(vec8 y[3], const moving *t, const vec8 x[3], const vec8 k[3], float share, int dim,
                      int wraps) {
    for (int a = 0; a < dim; ++a) y[a] = clamp_near(t, x[a] + share * k[a], a, wraps);
}

/* Reads and writes whole rounds: columns are padded behind the last particle. */
INLINE void move_range_dim(const moving *shared, size_t begin, size_t end, int dim, int wraps) {
    const moving copy = *shared, *t = &copy; /* which the stores to positions cannot reach */
    for (size_t i = begin; i < end; i += ROUND) {
        vec8 x[GROUPS][3], y[GROUPS][3], k1[GROUPS][3], k2[GROUPS][3], k3[GROUPS][3];
        for (int g = 0; g < GROUPS; ++g)
            for (int a = 0; a < dim; ++a)
                x[g][a] = clamp_near(t, vec8_load(t->x[a] + i + g * LANES), a, wraps);
        look_all(k1, t, x, dim);
        step_from(y[0], t, x[0], k1[0], 0.5f, dim, wraps);
        step_from(y[1], t, x[1], k1[1], 0.5f, dim, wraps);
        look_all(k2, t, y, dim);
        step_from(y[0], t, x[0], k2[0], 0.75f, dim, wraps);
        step_from(y[1], t, x[1], k2[1], 0.75f, dim, wraps);
        look_all(k3, t, y, dim);
        for (int g = 0; g < GROUPS; ++g) {
            const size_t at = i + (size_t)g * LANES;
            int8 spray = mask_load(t->spray + at);
            for (int a = 0; a < dim; ++a) {
                vec8 move = (2 * k1[g][a] + 3 * k2[g][a] + 4 * k3[g][a]) * (1 / 9.0f);
                move = vec8_select(spray, t->scale * (vec8_load(t->v[a] + at) + t->fall[a]), move);
                vec8_store(t->x[a] + at, clamp_near(t, x[g][a] + move, a, wraps));
            }
        }
    }
}

HOT static void move_range(const moving *t, size_t begin, size_t end) {
    if (t->b->dim == 3) {
        if (t->wraps) move_range_dim(t, begin, end, 3, 1);
        else move_range_dim(t, begin, end, 3, 0);
    } else {
        if (t->wraps) move_range_dim(t, begin, end, 2, 1);
        else move_range_dim(t, begin, end, 2, 0);
    }
}

static void move_block(void *context, int block) {
    const moving *t = context;
    size_t begin = (size_t)block * ADVECT_GRAIN, end = begin + ADVECT_GRAIN;
    move_range(t, begin, end < t->count ? end : t->count);
}

static moving moving_of(const particles *p, const mac_grid *g) {
    moving t = {.count = p->count, .spray = p->spray, .b = &g->box};
    t.low = vec8_all(-REACH);
    for (int axis = 0; axis < g->box.dim; ++axis) {
        t.x[axis] = p->x[axis];
        t.v[axis] = p->v[axis];
        t.period[axis] = g->box.periodic[axis] ? (float)g->box.n[axis] : 0;
        t.wraps |= g->box.periodic[axis] != 0;
        t.high[axis] = vec8_all((float)(g->box.n[axis] + REACH));
    }
    return t;
}

void particles_advect(particles *p, const mac_grid *g, const mac_field *u, const double gravity[3],
                      double dt) {
    assert(g->box.size < INT32_MAX);
    moving t = moving_of(p, g);
    t.scale = (float)(dt / g->dx);
    for (int axis = 0; axis < g->box.dim; ++axis) {
        t.u[axis] = u->value[axis];
        t.fall[axis] = (float)(0.5 * dt * gravity[axis]);
    }
    parallel_for(g->pool, block_count((long)p->count, ADVECT_GRAIN), move_block, &t);
}

INLINE double sum_range_dim(const moving *t, size_t begin, size_t end, int axis, int dim) {
    double sum[LANES] = {0}, total = 0;
    for (size_t i = begin; i < end; i += LANES) {
        vec8 x[3];
        spot s[3];
        float value[LANES];
        for (int a = 0; a < dim; ++a) x[a] = clamp_near(t, vec8_load(t->x[a] + i), a, 1);
        find_spots(s, t, x, dim);
        const vec8 found = look_along(t, t->u[axis], &s[axis], dim);
        vec8_store(value, vec8_select(mask_load(t->spray + i), vec8_all(0), found));
        for (size_t q = 0; q < LANES; ++q) sum[q] += i + q < end ? (double)value[q] : 0;
    }
    for (int q = 0; q < LANES; ++q) total += sum[q];
    return total;
}

HOT static double sum_range(const moving *t, size_t begin, size_t end) {
    const int axis = t->u[0] ? 0 : t->u[1] ? 1 : 2; /* the one that there is */
    if (t->b->dim == 3) return sum_range_dim(t, begin, end, axis, 3);
    return sum_range_dim(t, begin, end, axis, 2);
}

static double sum_block(void *context, int block) {
    const moving *t = context;
    size_t begin = (size_t)block * ADVECT_GRAIN, end = begin + ADVECT_GRAIN;
    return sum_range(t, begin, end < t->count ? end : t->count);
}

double particles_sum(const particles *p, const mac_grid *g, const float *face, int axis) {
    assert(g->box.size < INT32_MAX);
    moving t = moving_of(p, g);
    t.scale = 1;
    t.u[axis] = face;
    return parallel_sum(g->pool, block_count((long)p->count, ADVECT_GRAIN), sum_block, &t);
}
