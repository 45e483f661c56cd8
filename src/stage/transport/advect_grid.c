/* D f / D t = 0 on a grid, for samples in cells or on faces. With f1 = A f and f0 = A^-1 f1:
 *
 *   A:  f(x) <- f(x - path)            semi-Lagrangian (Stam 1999), first order
 *       f <- f1 + (f - f0) / 2         MacCormack (Selle et al. 2008), second order
 *       f <- A (f + (f - f0) / 2)      BFECC (Kim et al. 2005), second order
 *
 * Both of the latter stay within f1 - m and f1 + m, where m = sum w max(f_c - f1, 0) over the eight (four)
 * values f_c that f1 was interpolated from with weights w: the most that interpolation can have taken from
 * what is above f1, and as much from what is below. Values without weight have no say. (Clamped to the
 * extremes of all f_c, a sample on the edge of a plume could take any value from within it while its path ran
 * along the edge: ripples a few cells long grew there, in the velocity too, and stayed.) There are no new
 * extremes, so densities stay positive and temperatures between those that were there. Paths are traced by
 * the midpoint rule, x_b = x - dt u(x - dt/2 u(x)). The way forwards costs nothing more: x_b and x_f = x + dt
 * u + dt^2/2 Du differ from x by odd and even terms, so that x_f = x_b + 2 dt u(x) is as accurate as x_b.
 *
 * Eight samples of a row are traced side by side (particle/lanes.h).
 *
 * Beside walls thinner than a cell, samples are interpolated from what is on their side (grid/sight.h).
 *
 * Limits: not conservative; linear interpolation; the correction is left out where a path meets the domain's
 * sides, and beside thin walls; paths around a periodic axis are shorter than it. */
#include "stage/transport/advect_grid.h"

#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "grid/wrap.h"
#include "particle/lanes.h"

typedef struct {
    const mac_grid *g;
    const advect_paths *p;
    float *out;
    const float *in, *first;
    cell_range range;
} job;

/* What a row needs again and again: eight samples side by side. */
typedef struct {
    const advect_paths *p;
    const box *b;
    int32_t base, row, plane; /* of the sample (-GHOST, -GHOST, -GHOST); steps */
    vec8 lower[3], upper[3], first[3], last[3], offset[3];
    float period[3]; /* cells; 0: not periodic */
    vec8 cells;
} lanes;

INLINE lanes lanes_of(const job *s, int dim) {
    const box *b = &s->g->box;
    lanes l = {.p = s->p, .b = b, .row = (int32_t)b->step[1], .plane = (int32_t)b->step[2]};
    l.base = (int32_t)(b->first - GHOST * (1 + b->step[1] + (dim == 3 ? b->step[2] : 0)));
    for (int a = 0; a < dim; ++a) {
        l.period[a] = b->periodic[a] ? (float)b->n[a] : 0;
        l.lower[a] = vec8_all(s->p->lower[a]);
        l.upper[a] = vec8_all(s->p->upper[a]);
        l.first[a] = vec8_all(s->p->first[a]);
        l.last[a] = vec8_all(s->p->last[a]);
        l.offset[a] = vec8_all(s->p->at == a ? 0 : 0.5f);
    }
    l.cells = vec8_all(s->p->cells);
    return l;
}

/* Where a path ends along an axis: at a side, or around a periodic axis. */
INLINE vec8 end_inside(const lanes *l, vec8 x, int a) {
    if (l->period[a] > 0) {
        x = vec8_select(x < 0, x + l->period[a], x);
        x = vec8_select(x >= l->period[a], x - l->period[a], x);
    }
    return vec8_clamp(x, l->lower[a], l->upper[a]);
}

/* y is in cells from sample (0, 0, 0), at least -GHOST. */
INLINE void place(spot *s, const lanes *l, const vec8 y[3], int dim) {
    int8 whole[3], at;
    for (int a = 0; a < dim; ++a) s->f[a] = vec8_split(&whole[a], y[a] + (float)GHOST);
    at = l->base + whole[0] + whole[1] * l->row;
    if (dim == 3) at += whole[2] * l->plane;
    spot_at(s, at);
}

INLINE vec8 sample(const float *f, const lanes *l, const spot *s, int dim) {
    return look(f, s, l->row, l->plane, dim, 0).value;
}

INLINE vec8 least(vec8 a, vec8 b) {
    return vec8_select(a < b, a, b);
}
INLINE vec8 most(vec8 a, vec8 b) {
    return vec8_select(a > b, a, b);
}

/* What `first`, interpolated at a spot, becomes when it is corrected to v: within the values around, and no
 * further from first than they are above and below it in the mean, by weight. */
INLINE vec8 limited(vec8 v, vec8 first, const float *f, const lanes *l, const spot *s, int dim) {
    vec8 bottom = first, top = first, above = vec8_all(0);
    for (int corner = 0; corner < (dim == 3 ? 4 : 2); ++corner) {
        const float *row = f + (corner & 1) * (ptrdiff_t)l->row + (corner >> 1) * (ptrdiff_t)l->plane;
        const vec8 low = pairs_load(row, s->at, 0), high = pairs_load(row, s->at, 1);
        const vec8 near = FIRSTS(low, high), far = SECONDS(low, high);
        vec8 weight = corner & 1 ? s->f[1] : 1 - s->f[1];
        if (dim == 3) weight *= corner >> 1 ? s->f[2] : 1 - s->f[2];
        above += weight *
                 ((1 - s->f[0]) * most(near - first, vec8_all(0)) + s->f[0] * most(far - first, vec8_all(0)));
        bottom = least(bottom, least(near, far));
        top = most(top, most(near, far));
    }
    return most(least(v, least(first + above, top)), most(first - above, bottom));
}

/* u at the samples c ... c + 7 themselves: linear interpolation comes down to means of the faces around. */
INLINE void velocity_at_samples(vec8 k[3], const lanes *l, ptrdiff_t c, int dim) {
    const int at = l->p->at;
    for (int a = 0; a < dim; ++a) {
        const float *f = l->p->u->value[a] + c;
        const ptrdiff_t step = l->b->step[a];
        if (a == at) {
            k[a] = vec8_load(f);
        } else if (at == ADVECT_CELLS) {
            k[a] = 0.5f * (vec8_load(f) + vec8_load(f + step));
        } else {
            const float *low = f - l->b->step[at];
            k[a] = 0.25f * ((vec8_load(f) + vec8_load(f + step)) + (vec8_load(low) + vec8_load(low + step)));
        }
    }
}

/* A row may end within a vector. */
INLINE void store_row(float *to, vec8 v, int left) {
    if (left >= LANES) vec8_store(to, v);
    else memcpy(to, &v, (size_t)left * sizeof *to);
}

INLINE void trace_eight(const lanes *l, ptrdiff_t c, const vec8 x[3], int left, int dim) {
    vec8 v[3], mid[3];
    velocity_at_samples(v, l, c, dim);
    for (int a = 0; a < dim; ++a) mid[a] = end_inside(l, x[a] - 0.5f * l->cells * v[a], a);
    for (int a = 0; a < dim; ++a) {
        vec8 y[3];
        spot s;
        for (int d = 0; d < dim; ++d) y[d] = d == a ? mid[d] : mid[d] - 0.5f;
        place(&s, l, y, dim);
        v[a] = sample(l->p->u->value[a], l, &s, dim);
    }
    for (int a = 0; a < dim; ++a)
        store_row(l->p->back[a] + c, end_inside(l, x[a] - l->cells * v[a], a), left);
}

INLINE void trace_block(const job *s, int block, int dim) {
    static const vec8 count = {0, 1, 2, 3, 4, 5, 6, 7};
    const lanes l = lanes_of(s, dim);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->range.upper[0]; i += LANES) {
            const vec8 x[3] = {count + (float)i + l.offset[0], (float)j + l.offset[1],
                               (float)k + l.offset[2]};
            trace_eight(&l, row + i, x, s->range.upper[0] - i, dim);
        }
    }
}

/* Where the samples came from. Lanes behind the end of a row hold anything. */
INLINE void spot_back(spot *s, vec8 back[3], const lanes *l, ptrdiff_t c, int dim) {
    vec8 y[3];
    for (int a = 0; a < dim; ++a) {
        back[a] = vec8_clamp(vec8_load(l->p->back[a] + c), l->lower[a], l->upper[a]);
        y[a] = back[a] - l->offset[a];
    }
    place(s, l, y, dim);
}

/* Where they go; the mask is 0 in lanes whose path there or back meets a side. */
INLINE int8 spot_ahead(spot *s, const lanes *l, const vec8 back[3], ptrdiff_t c, int dim) {
    vec8 v[3], y[3];
    int8 inside = ~(int8){0};
    velocity_at_samples(v, l, c, dim);
    for (int a = 0; a < dim; ++a) {
        const vec8 x = back[a] + 2 * l->cells * v[a];
        if (!(l->period[a] > 0))
            inside &=
                (back[a] > l->lower[a]) & (back[a] < l->upper[a]) & (x > l->first[a]) & (x < l->last[a]);
        y[a] = end_inside(l, x, a) - l->offset[a];
    }
    place(s, l, y, dim);
    return inside;
}

INLINE void carry_eight(const job *s, const lanes *l, ptrdiff_t c, int left, int dim) {
    spot from;
    vec8 back[3];
    spot_back(&from, back, l, c, dim);
    store_row(s->out + c, sample(s->in, l, &from, dim), left);
}

/* out = f1 + (f - f0) / 2, clamped; f1 alone where f0 cannot be had. */
INLINE void correct_eight(const job *s, const lanes *l, ptrdiff_t c, int left, int dim) {
    spot from, ahead;
    vec8 back[3];
    spot_back(&from, back, l, c, dim);
    const int8 inside = spot_ahead(&ahead, l, back, c, dim);
    const vec8 first = vec8_load(s->first + c),
               v = first + 0.5f * (vec8_load(s->in + c) - sample(s->first, l, &ahead, dim));
    store_row(s->out + c, vec8_select(inside, limited(v, first, s->in, l, &from, dim), first), left);
}

/* out = f + (f - f0) / 2 */
INLINE void compensate_eight(const job *s, const lanes *l, ptrdiff_t c, int left, int dim) {
    spot from, ahead;
    vec8 back[3];
    spot_back(&from, back, l, c, dim);
    const int8 inside = spot_ahead(&ahead, l, back, c, dim);
    const vec8 f = vec8_load(s->in + c), v = f + 0.5f * (f - sample(s->first, l, &ahead, dim));
    store_row(s->out + c, vec8_select(inside, v, f), left);
}

/* out = A first, within the values of f that A f is interpolated from */
INLINE void clamp_eight(const job *s, const lanes *l, ptrdiff_t c, int left, int dim) {
    spot from;
    vec8 back[3];
    spot_back(&from, back, l, c, dim);
    const vec8 first = sample(s->in, l, &from, dim), v = sample(s->first, l, &from, dim);
    store_row(s->out + c, limited(v, first, s->in, l, &from, dim), left);
}

#define BLOCK(name)                                                                                          \
    INLINE void name##_block(const job *s, int block, int dim) {                                             \
        const lanes l = lanes_of(s, dim);                                                                    \
        FOR_ROWS(&s->range, block, j, k) {                                                                   \
            const ptrdiff_t row = box_at(&s->g->box, 0, j, k);                                               \
            for (int i = 0; i < s->range.upper[0]; i += LANES)                                               \
                name##_eight(s, &l, row + i, s->range.upper[0] - i, dim);                                    \
        }                                                                                                    \
    }
BLOCK(carry)
BLOCK(correct)
BLOCK(compensate)
BLOCK(clamp)

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
        const int low = o->open_wall[2 * a] && !g->box.periodic[a],
                  high = o->open_wall[2 * a + 1] && !g->box.periodic[a];
        p->lower[a] = low ? -1.0f : 0.0f;
        p->upper[a] = (float)g->box.n[a] + (high ? 1.0f : 0.0f);
        p->first[a] = low ? 0.5f : 0.0f;
        p->last[a] = (float)g->box.n[a] - (high ? 0.5f : 0.0f);
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

/* ---- samples beside thin walls ---- */

enum { SPOT_GRAIN = 1024 };

typedef struct {
    const mac_grid *g;
    const sight *walled;
    float *out;
    const float *in;
    int stay; /* out = in; else where it came from, as far as it is seen */
} walled_job;

static void walled_task(void *context, int block) {
    const walled_job *s = context;
    const size_t from = (size_t)block * SPOT_GRAIN,
                 to = from + SPOT_GRAIN < s->walled->count ? from + SPOT_GRAIN : s->walled->count;
    for (size_t i = from; i < to; ++i) {
        const sighted *one = &s->walled->list[i];
        s->out[one->sample] = s->stay ? s->in[one->sample] : sight_value(one, &s->g->box, s->in);
    }
}

static void mend(const job *s, float *out, const float *in, int stay) {
    walled_job w = {.g = s->g, .walled = s->p->walled, .out = out, .in = in, .stay = stay};
    if (w.walled) parallel_for(s->g->pool, block_count((long)w.walled->count, SPOT_GRAIN), walled_task, &w);
}

void advect_carry(float *out, float *const scratch[2], const float *in, const advect_paths *p,
                  const mac_grid *g, advect_scheme scheme) {
    const job s = {.g = g, .p = p, .range = range_of(g, p->at)};
    float *first = scheme == ADVECT_SEMI_LAGRANGIAN ? out : scratch[0];
    run(&s, first, in, NULL, carry_task);
    mend(&s, first, in, 0);
    if (scheme == ADVECT_SEMI_LAGRANGIAN) return;
    advect_fill_border(first, g, p->at, NULL, 0);
    if (scheme == ADVECT_MACCORMACK) {
        run(&s, out, in, first, correct_task);
        mend(&s, out, in, 0);
        return;
    }
    run(&s, scratch[1], in, first, compensate_task);
    mend(&s, scratch[1], in, 1);
    advect_fill_border(scratch[1], g, p->at, NULL, 0);
    run(&s, out, in, scratch[1], clamp_task);
    mend(&s, out, in, 0);
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
            const int air = open_wall && open_wall[2 * a + side] && !b->periodic[a];
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
    wrap_field(f, g);
}
