/* Conduction in liquid by locally one-dimensional sweeps (Carlson 2004, 4.2, equations 51 to 55):
 *
 *   C dT/dt = sum over faces of G (T' - T),   G = k A s f / dx
 *
 * implicitly along x, then y, then z, and the other way round in every other step; k: harmonic mean of the
 * two cells' conductivities, f: mean of their filled shares, s: open share of the face, 0 where either has no
 * particles. A side of the domain that is held at a temperature is half a cell away. Exchange with air and
 * with solids that are held, G (T_B - T), is in the sweeps, a part of it in each: after them it would take
 * from cells with few particles no more than these have. The systems are solved for changes, in doubles, so
 * that what one cell gives is what the next one takes.
 *
 * Eight lines of cells are solved side by side (linear/tridiagonal.c). Limits: first order in time, and the
 * axes one after the other; solids conduct nothing. */
#include <math.h>
#include "grid/rows.h"
#include "linear/tridiagonal.h"
#include "stage/heat/heat_lanes.h"

enum { L = TRIDIAGONAL_LANES, LINE_MOST = 4096 };

typedef struct sweep {
    float *change;
    const heat_cells *cells;
    const heat_input *in;
    int axis, beside, other; /* lines lie side by side along `beside` */
    double per_face;         /* A dt / dx, m s */
} sweep;

typedef struct lines {
    double b[LINE_MOST * L], d[LINE_MOST * L], e[LINE_MOST * L];
} lines;

/* Where cells are of the lines: k along them, l across. */
typedef struct bundle {
    ptrdiff_t first, along, across;
    int lanes, from, end; /* cells from .. end - 1 of some line hold heat */
} bundle;

INLINE int is_wet(const bundle *q, const sweep *s, int k) {
    const float *capacity = s->cells->capacity + q->first + k * q->along;
    int wet = 0;
    for (int l = 0; l < q->lanes; ++l) wet |= capacity[l * q->across] > 0;
    return wet;
}

static void find_wet(bundle *q, const sweep *s, int n) {
    q->from = 0;
    q->end = n;
    while (q->from < n && !is_wet(q, s, q->from)) ++q->from;
    while (q->end > q->from && !is_wet(q, s, q->end - 1)) --q->end;
}

/* Slices of the lines, a cell of each, TILE at a time. Where lines lie along x eight rows are turned about.
 */
enum { TILE = 4 };

INLINE void turn_about(vec8 v[TILE]) {
    const vec8 low01 = SHUFFLE(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13),
               high01 = SHUFFLE(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15),
               low23 = SHUFFLE(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13),
               high23 = SHUFFLE(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    v[0] = SHUFFLE(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = SHUFFLE(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
    v[2] = SHUFFLE(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
    v[3] = SHUFFLE(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
}

/* Lines that there are not repeat the last one. */
INLINE ptrdiff_t line_at(const bundle *q, int l) {
    return q->first + (l < q->lanes ? l : q->lanes - 1) * q->across;
}

INLINE void load_tile(vec8 v[TILE], const float *field, const bundle *q, int k, int along_x) {
    const int last = q->end - 1;
    for (int i = 0; i < TILE; ++i)
        if (along_x)
            v[i] =
                vec8_join(vec4_load(field + line_at(q, i) + k), vec4_load(field + line_at(q, i + TILE) + k));
        else v[i] = vec8_load(field + q->first + (k + i < last ? k + i : last) * q->along);
    if (along_x) turn_about(v);
}

typedef struct tile {
    vec8 capacity[TILE], conductivity[TILE], fill[TILE], was[TILE], by[TILE], open[TILE], outside[TILE],
        pull[TILE];
} tile;

INLINE void load_tiles(tile *to, const bundle *q, const sweep *s, int k, int along_x) {
    load_tile(to->capacity, s->cells->capacity, q, k, along_x);
    load_tile(to->conductivity, s->cells->conductivity, q, k, along_x);
    load_tile(to->fill, s->cells->fill, q, k, along_x);
    load_tile(to->was, s->cells->temperature, q, k, along_x);
    load_tile(to->by, s->change, q, k, along_x);
    if (s->in->open) load_tile(to->open, s->in->open->open.value[s->axis], q, k, along_x);
    if (s->in->outside) load_tile(to->outside, s->in->outside, q, k, along_x);
    if (s->in->pull) load_tile(to->pull, s->in->pull, q, k, along_x);
}

/* The slice before: what it still waits for is the face that it shares with the next one. */
typedef struct slice {
    vec8 capacity, conductivity, fill;
    wide temperature, b, d;
} slice;

/* k s f of the faces between cells and those before them. */
INLINE vec8 conductances(const slice *before, const slice *here) {
    const vec8 sum = before->conductivity + here->conductivity;
    const int8 joined = (before->capacity > 0) & (here->capacity > 0) & (sum > 0);
    const vec8 mean = before->conductivity / vec8_select(sum > 0, sum, vec8_all(1)) * here->conductivity;
    return lanes_masked(joined, mean * (before->fill + here->fill));
}

INLINE void put_slice(lines *w, int k, const slice *s, const wide *g) {
    for (int i = 0; i < 2; ++i) {
        const double4 e = -g->half[i];
        memcpy(w->b + k * L + 4 * i, &s->b.half[i], sizeof e);
        memcpy(w->d + k * L + 4 * i, &s->d.half[i], sizeof e);
        memcpy(w->e + k * L + 4 * i, &e, sizeof e);
    }
}

INLINE slice begin_slice(const tile *t, const sweep *s, int i, int8 lanes) {
    slice to = {
        lanes_masked(lanes, t->capacity[i]), t->conductivity[i], t->fill[i], {{{0}}}, {{{0}}}, {{{0}}}};
    const int8 wet = to.capacity > 0;
    const wide was = lanes_wide(t->was[i]), by = lanes_wide(t->by[i]);
    to.d = lanes_wide(vec8_select(wet, to.capacity, vec8_all(1)));
    for (int h = 0; h < 2; ++h) to.temperature.half[h] = was.half[h] + by.half[h];
    if (!s->in->outside) return to;
    const double part = s->in->dt / s->in->g->box.dim;
    const wide outside = lanes_wide(lanes_masked(wet, t->outside[i]));
    const wide pull = lanes_wide(s->in->pull ? lanes_masked(wet, t->pull[i]) : vec8_all(0));
    for (int h = 0; h < 2; ++h) {
        to.d.half[h] += part * outside.half[h];
        to.b.half[h] = part * (pull.half[h] - outside.half[h] * to.temperature.half[h]);
    }
    return to;
}

INLINE void load_lines(lines *w, const bundle *q, const sweep *s, int along_x) {
    const int8 lanes = lanes_first((size_t)q->lanes);
    tile t;
    slice before = {0};
    wide g = {0};
    for (int k = q->from; k < q->end; ++k) {
        const int i = (k - q->from) % TILE;
        if (i == 0) load_tiles(&t, q, s, k, along_x);
        slice here = begin_slice(&t, s, i, lanes);
        if (k > q->from) {
            const vec8 all = conductances(&before, &here);
            g = lanes_wide(s->in->open ? all * t.open[i] : all);
            for (int h = 0; h < 2; ++h) {
                g.half[h] *= s->per_face;
                const double4 flux = g.half[h] * (here.temperature.half[h] - before.temperature.half[h]);
                before.d.half[h] += g.half[h];
                before.b.half[h] += flux;
                here.d.half[h] += g.half[h];
                here.b.half[h] -= flux;
            }
            put_slice(w, k - 1 - q->from, &before, &g);
        }
        before = here;
    }
    put_slice(w, q->end - 1 - q->from, &before, &(wide){{{0}}});
}

/* A side of the domain that is held at a temperature, where the lines reach it. */
static void hold_side(lines *w, const bundle *q, const sweep *s, int side, int n) {
    const double held = s->in->side[2 * s->axis + side];
    const int k = side ? n - 1 : 0;
    if (isnan(held) || k < q->from || k >= q->end) return;
    for (int l = 0; l < q->lanes; ++l) {
        const ptrdiff_t c = q->first + l * q->across + k * q->along;
        const double to = 2 * s->per_face * (double)(s->cells->conductivity[c] * s->cells->fill[c]);
        w->d[(k - q->from) * L + l] += to;
        w->b[(k - q->from) * L + l] +=
            to * (held - ((double)s->cells->temperature[c] + (double)s->change[c]));
    }
}

/* Whether anything changes: lines of one temperature stay as they are. */
INLINE int any_flows(const lines *w, int count) {
    int any = 0;
    for (int i = 0; i < count; ++i) any |= w->b[i] != 0;
    return any;
}

INLINE void add_lines(const sweep *s, const bundle *q, const lines *w, int along_x) {
    for (int k = q->from; k < q->end; k += TILE) {
        const double *b = w->b + (k - q->from) * L;
        const int count = q->end - k < TILE ? q->end - k : TILE;
        if (along_x && count == TILE && q->lanes == L) {
            vec8 v[TILE];
            for (int i = 0; i < TILE; ++i) v[i] = lanes_narrow(b + i * L);
            turn_about(v);
            for (int l = 0; l < L; ++l) {
                float *to = s->change + line_at(q, l) + k, own[LANES];
                vec8_store(own, v[l % TILE]);
                vec4_store(to, vec4_load(to) + vec4_load(own + l / TILE * TILE));
            }
        } else
            for (int i = 0; i < count; ++i)
                for (int l = 0; l < q->lanes; ++l)
                    s->change[q->first + l * q->across + (k + i) * q->along] += (float)b[i * L + l];
    }
}

INLINE void sweep_bundle(const sweep *s, bundle *q, int n, int along_x) {
    lines w;
    find_wet(q, s, n);
    if (q->from >= q->end) return;
    load_lines(&w, q, s, along_x);
    for (int side = 0; side < 2; ++side) hold_side(&w, q, s, side, n);
    if (!any_flows(&w, (q->end - q->from) * L)) return;
    tridiagonal_solve(w.b, w.d, w.e, q->end - q->from);
    add_lines(s, q, &w, along_x);
}

static int groups_of(const sweep *s) {
    return (s->in->g->box.n[s->beside] + L - 1) / L;
}

/* Lines beside each other, of row `row` along the third axis. */
INLINE void sweep_group(const sweep *s, int group, int row) {
    const box *b = &s->in->g->box;
    const int n = b->n[s->axis], start = group * L, left = b->n[s->beside] - start;
    bundle q = {.along = b->step[s->axis], .across = b->step[s->beside], .lanes = left < L ? left : L};
    q.first = b->first + start * b->step[s->beside] + (b->dim == 3 ? row * b->step[s->other] : 0);
    if (q.along == 1) sweep_bundle(s, &q, n, 1);
    else sweep_bundle(s, &q, n, 0);
}

HOT static void sweep_task(void *context, int block) {
    const sweep *s = context;
    const int groups = groups_of(s);
    sweep_group(s, block % groups, block / groups);
}

/* Sweeps that follow each other in a plane, which stays in the cache. */
HOT static void plane_task(void *context, int plane) {
    const sweep *s = context;
    for (int i = 0; i < 2; ++i)
        for (int group = 0; group < groups_of(&s[i]); ++group) sweep_group(&s[i], group, plane);
}

void heat_conduct(float *change, const heat_cells *cells, const heat_input *in, int reversed) {
    const mac_grid *g = in->g;
    const box *b = &g->box;
    sweep of[3];
    parallel_zero(g->pool, change, b->size * sizeof *change);
    for (int i = 0; i < b->dim; ++i) {
        const int axis = reversed ? b->dim - 1 - i : i;
        of[i] =
            (sweep){change, cells, in, axis, axis == 0, axis == 2 ? 1 : 2, pow(g->dx, b->dim - 2) * in->dt};
    }
    if (b->dim == 2) {
        for (int i = 0; i < 2; ++i) parallel_for(g->pool, groups_of(&of[i]), sweep_task, &of[i]);
        return;
    }
    if (!reversed) parallel_for(g->pool, b->n[2], plane_task, &of[0]);
    sweep *across = &of[reversed ? 0 : 2];
    parallel_for(g->pool, groups_of(across) * b->n[1], sweep_task, across);
    if (reversed) parallel_for(g->pool, b->n[2], plane_task, &of[1]);
}

/* ---- what is not liquid ---- */

typedef struct exchanging {
    float *change;
    const heat_cells *cells;
    const heat_input *in;
    const float *conductance;
    double temperature;
    cell_range range;
} exchanging;

typedef struct joining {
    float *outside, *pull;
    const float *conductance;
    const heat_input *in;
    float temperature;
    cell_range range;
} joining;

static void join_task(void *context, int block) {
    const joining *t = context;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&t->in->g->box, 0, j, k);
        for (ptrdiff_t c = row; c < row + t->in->g->box.n[0]; ++c) {
            t->outside[c] += t->conductance[c];
            t->pull[c] += t->conductance[c] * t->temperature;
        }
    }
}

void heat_outside(float *outside, float *pull, const heat_input *in, const float *conductance,
                  double temperature) {
    joining t = {outside, pull, conductance, in, (float)temperature, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), join_task, &t);
}

/* Implicitly: (C + g) T' = C T + g T_B. */
static void exchange_task(void *context, int block) {
    const exchanging *t = context;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&t->in->g->box, 0, j, k);
        for (ptrdiff_t c = row; c < row + t->in->g->box.n[0]; ++c) {
            const double g = (double)t->conductance[c] * t->in->dt, capacity = (double)t->cells->capacity[c];
            if (!(g > 0 && capacity > 0)) continue;
            const double now = (double)t->cells->temperature[c] + (double)t->change[c];
            t->change[c] += (float)(g * (t->temperature - now) / (capacity + g));
        }
    }
}

/* What eliminating the cells leaves of the line of a body B:
 *   (T_B' - T_B) (C_B + sum g C / (C + g)) = sum g C / (C + g) (T - T_B). */
static double pull_task(void *context, int block) {
    const exchanging *t = context;
    double sum = 0;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&t->in->g->box, 0, j, k);
        for (ptrdiff_t c = row; c < row + t->in->g->box.n[0]; ++c) {
            const double g = (double)t->conductance[c] * t->in->dt, capacity = (double)t->cells->capacity[c];
            if (g > 0 && capacity > 0)
                sum += g * capacity / (capacity + g) *
                       ((double)t->cells->temperature[c] + (double)t->change[c] - t->temperature);
        }
    }
    return sum;
}

static double joined_task(void *context, int block) {
    const exchanging *t = context;
    double sum = 0;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&t->in->g->box, 0, j, k);
        for (ptrdiff_t c = row; c < row + t->in->g->box.n[0]; ++c) {
            const double g = (double)t->conductance[c] * t->in->dt, capacity = (double)t->cells->capacity[c];
            if (g > 0 && capacity > 0) sum += g * capacity / (capacity + g);
        }
    }
    return sum;
}

double heat_share(float *change, const heat_cells *cells, const heat_input *in, const float *conductance,
                  double capacity, double temperature) {
    exchanging t = {change, cells, in, conductance, temperature, range_cells(in->g)};
    const int blocks = range_blocks(&t.range);
    const double pull = parallel_sum(in->g->pool, blocks, pull_task, &t);
    const double joined = parallel_sum(in->g->pool, blocks, joined_task, &t);
    t.temperature += pull / (capacity + joined);
    parallel_for(in->g->pool, blocks, exchange_task, &t);
    return t.temperature;
}
