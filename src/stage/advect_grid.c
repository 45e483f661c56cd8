/* D f / D t = 0 on a grid, for samples in cells or on faces.
 *
 *   A: f(x) <- f(x - path)                                         semi-Lagrangian (Stam 1999), first order
 *   f1 = A f, f0 = A^-1 f1, f <- f1 + (f - f0) / 2                 MacCormack (Selle et al. 2008), second
 * order f <- A (f + (f - f0) / 2)                                      BFECC (Kim et al. 2005), second order
 *
 * Both of the latter are clamped to the eight (four) values that f1 was interpolated from: no new extremes,
 * so densities stay positive and temperatures between those that were there. Paths are traced by the midpoint
 * rule, x_b = x - dt u(x - dt/2 u(x)). The way forwards costs nothing more: x_b and x_f = x + dt u + dt^2/2
 * Du differ from x by odd and even terms, so that x_f = x_b + 2 dt u(x) is as accurate as x_b.
 *
 * Limits: not conservative; linear interpolation; the correction is left out where a path meets the domain's
 * sides. */
#include "stage/advect_grid.h"

#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    const advect_paths *p;
    float *out;
    const float *in, *first;
    cell_range range;
} job;

/* A place between samples: the lowest of them and the shares of the way to the next. */
typedef struct {
    ptrdiff_t low;
    float t[3];
} spot;

/* y is in cells from sample (0, 0, 0); at least -GHOST. */
INLINE spot spot_at(const box *b, const float y[3], int dim) {
    spot s = {.low = b->first};
    for (int a = 0; a < dim; ++a) {
        const int i = (int)(y[a] + GHOST) - GHOST;
        s.t[a] = y[a] - (float)i;
        s.low += i * b->step[a];
    }
    return s;
}

INLINE float mix(float a, float b, float t) {
    return a + t * (b - a);
}

INLINE float sample(const float *f, const box *b, const spot *s, int dim) {
    const float *p = f + s->low, *q = p + b->step[1];
    const float low = mix(mix(p[0], p[1], s->t[0]), mix(q[0], q[1], s->t[0]), s->t[1]);
    if (dim == 2) return low;
    p += b->step[2];
    q += b->step[2];
    return mix(low, mix(mix(p[0], p[1], s->t[0]), mix(q[0], q[1], s->t[0]), s->t[1]), s->t[2]);
}

INLINE float least(float a, float b) {
    return a < b ? a : b;
}
INLINE float most(float a, float b) {
    return a > b ? a : b;
}

/* f within the values around a spot. */
INLINE float clamped(float v, const float *f, const box *b, const spot *s, int dim) {
    const float *p = f + s->low, *q = p + b->step[1];
    float low = least(least(p[0], p[1]), least(q[0], q[1])), high = most(most(p[0], p[1]), most(q[0], q[1]));
    if (dim == 3) {
        p += b->step[2];
        q += b->step[2];
        low = least(low, least(least(p[0], p[1]), least(q[0], q[1])));
        high = most(high, most(most(p[0], p[1]), most(q[0], q[1])));
    }
    return least(most(v, low), high);
}

/* u at the sample c itself: linear interpolation comes down to means of the faces around it. */
INLINE void velocity_at_sample(float k[3], const mac_field *u, const box *b, ptrdiff_t c, int at, int dim) {
    for (int a = 0; a < dim; ++a) {
        const float *f = u->value[a] + c;
        const ptrdiff_t s = b->step[a];
        if (a == at) k[a] = f[0];
        else if (at == ADVECT_CELLS) k[a] = 0.5f * (f[0] + f[s]);
        else {
            const float *low = f - b->step[at];
            k[a] = 0.25f * ((f[0] + f[s]) + (low[0] + low[s]));
        }
    }
}

/* NaN becomes the low end. */
INLINE float held(float x, float low, float high) {
    x = x > low ? x : low;
    return x < high ? x : high;
}

INLINE void trace_block(const job *j_, int block, int dim) {
    const advect_paths *p = j_->p;
    const box *b = &j_->g->box;
    const float offset[3] = {p->at == 0 ? 0 : 0.5f, p->at == 1 ? 0 : 0.5f, p->at == 2 ? 0 : 0.5f};
    FOR_ROWS(&j_->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = j_->range.lower[0]; i < j_->range.upper[0]; ++i) {
            const float x[3] = {(float)i + offset[0], (float)j + offset[1], (float)k + offset[2]};
            float v[3], mid[3];
            velocity_at_sample(v, p->u, b, row + i, p->at, dim);
            for (int a = 0; a < dim; ++a)
                mid[a] = held(x[a] - 0.5f * p->cells * v[a], p->lower[a], p->upper[a]);
            for (int a = 0; a < dim; ++a) {
                float y[3] = {mid[0] - 0.5f, mid[1] - 0.5f, mid[2] - 0.5f};
                y[a] = mid[a];
                const spot s = spot_at(b, y, dim);
                v[a] = sample(p->u->value[a], b, &s, dim);
            }
            for (int a = 0; a < dim; ++a)
                p->back[a][row + i] = held(x[a] - p->cells * v[a], p->lower[a], p->upper[a]);
        }
    }
}

/* Where the sample at row + i came from, in cells from sample (0, 0, 0). */
INLINE spot spot_back(const job *s, ptrdiff_t c, int dim) {
    float y[3] = {0, 0, 0};
    for (int a = 0; a < dim; ++a) y[a] = s->p->back[a][c] - (s->p->at == a ? 0 : 0.5f);
    return spot_at(&s->g->box, y, dim);
}

/* Where it goes; 0 when the path there or back meets a side. */
INLINE int spot_ahead(spot *ahead, const job *s, ptrdiff_t c, int dim) {
    const advect_paths *p = s->p;
    float v[3], y[3] = {0, 0, 0};
    int inside = 1;
    velocity_at_sample(v, p->u, &s->g->box, c, p->at, dim);
    for (int a = 0; a < dim; ++a) {
        const float back = p->back[a][c], x = back + 2 * p->cells * v[a];
        inside &= (back > p->lower[a]) & (back < p->upper[a]) & (x > p->first[a]) & (x < p->last[a]);
        y[a] = x - (p->at == a ? 0 : 0.5f);
    }
    if (inside) *ahead = spot_at(&s->g->box, y, dim);
    return inside;
}

INLINE void carry_block(const job *s, int block, int dim) {
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const spot back = spot_back(s, row + i, dim);
            s->out[row + i] = sample(s->in, &s->g->box, &back, dim);
        }
    }
}

/* out = f1 + (f - f0) / 2, clamped; f1 alone where f0 cannot be had. */
INLINE void correct_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = row + i;
            spot ahead;
            float v = s->first[c];
            if (spot_ahead(&ahead, s, c, dim)) {
                const spot back = spot_back(s, c, dim);
                v += 0.5f * (s->in[c] - sample(s->first, b, &ahead, dim));
                v = clamped(v, s->in, b, &back, dim);
            }
            s->out[c] = v;
        }
    }
}

/* out = f + (f - f0) / 2 */
INLINE void compensate_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = row + i;
            spot ahead;
            float v = s->in[c];
            if (spot_ahead(&ahead, s, c, dim)) v += 0.5f * (v - sample(s->first, b, &ahead, dim));
            s->out[c] = v;
        }
    }
}

/* out <- out within the values of f that A f is interpolated from */
INLINE void clamp_block(const job *s, int block, int dim) {
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const spot back = spot_back(s, row + i, dim);
            const float v = sample(s->first, &s->g->box, &back, dim);
            s->out[row + i] = clamped(v, s->in, &s->g->box, &back, dim);
        }
    }
}

#define TASK(name)                                                                                           \
    HOT static void name##_task(void *context, int block) {                                                  \
        const job *s = context;                                                                              \
        if (s->g->box.dim == 3) name##_block(s, block, 3);                                                   \
        else name##_block(s, block, 2);                                                                      \
    }
TASK(trace)
TASK(carry)
TASK(correct)
TASK(compensate)
TASK(clamp)

static cell_range range_of(const mac_grid *g, int at) {
    return at == ADVECT_CELLS ? range_cells(g) : range_faces(g, at);
}

void advect_trace(advect_paths *p, const mac_grid *g, const mac_field *u, const openings *o, int at,
                  double dt) {
    job s = {.g = g, .p = p, .range = range_of(g, at)};
    p->u = u;
    p->at = at;
    p->cells = (float)(dt / g->dx);
    for (int a = 0; a < 3; ++a) {
        p->lower[a] = o->open_wall[2 * a] ? -1.0f : 0.0f;
        p->upper[a] = (float)g->box.n[a] + (o->open_wall[2 * a + 1] ? 1.0f : 0.0f);
        p->first[a] = o->open_wall[2 * a] ? 0.5f : 0.0f;
        p->last[a] = (float)g->box.n[a] - (o->open_wall[2 * a + 1] ? 0.5f : 0.0f);
    }
    parallel_for(g->pool, range_blocks(&s.range), trace_task, &s);
}

static void run(const job *s, float *out, const float *in, const float *first, void (*task)(void *, int)) {
    job one = *s;
    one.out = out;
    one.in = in;
    one.first = first;
    parallel_for(s->g->pool, range_blocks(&s->range), task, &one);
}

void advect_carry(float *out, float *const scratch[2], const float *in, const advect_paths *p,
                  const mac_grid *g, advect_scheme scheme) {
    const job s = {.g = g, .p = p, .range = range_of(g, p->at)};
    float *first = scheme == ADVECT_SEMI_LAGRANGIAN ? out : scratch[0];
    run(&s, first, in, NULL, carry_task);
    if (scheme == ADVECT_SEMI_LAGRANGIAN) return;
    advect_fill_border(first, g, p->at, NULL, 0);
    if (scheme == ADVECT_MACCORMACK) {
        run(&s, out, in, first, correct_task);
        return;
    }
    run(&s, scratch[1], in, first, compensate_task);
    advect_fill_border(scratch[1], g, p->at, NULL, 0);
    run(&s, out, in, scratch[1], clamp_task);
}

/* Axis after axis, each over the border that those before have filled, so that corners are filled too. */
void advect_fill_border(float *f, const mac_grid *g, int at, const uint8_t open_wall[6], float outside) {
    const box *b = &g->box;
    const cell_range owned = range_of(g, at);
    cell_range done = owned; /* grows */
    for (int a = 0; a < b->dim; ++a) {
        for (int side = 0; side < 2; ++side) {
            const int edge = side ? owned.upper[a] - 1 : owned.lower[a];
            const int end = side ? b->n[a] + GHOST : -GHOST - 1, way = side ? 1 : -1;
            const int air = open_wall && open_wall[2 * a + side];
            for (int at_a = edge + way; at_a != end; at_a += way) {
                cell_range layer = done;
                layer.lower[a] = at_a;
                layer.upper[a] = at_a + 1;
                for (int k = layer.lower[2]; k < layer.upper[2]; ++k)
                    for (int j = layer.lower[1]; j < layer.upper[1]; ++j) {
                        float *row = f + box_at(b, layer.lower[0], j, k);
                        const ptrdiff_t from = (edge - at_a) * b->step[a];
                        for (int i = 0; i < layer.upper[0] - layer.lower[0]; ++i)
                            row[i] = air ? outside : row[i + from];
                    }
            }
        }
        done.lower[a] = -GHOST;
        done.upper[a] = b->n[a] + GHOST;
    }
}
