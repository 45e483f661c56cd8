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
#include "stage/heat/heat.h"

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

/* A cell of each line; those that there are not hold nothing. */
typedef struct slice {
    float capacity[L], conductivity[L], fill[L];
    double temperature[L];
} slice;

INLINE int is_wet(const bundle *q, const sweep *s, int k, ptrdiff_t across) {
    const float *capacity = s->cells->capacity + q->first + k * q->along;
    int wet = 0;
    for (int l = 0; l < q->lanes; ++l) wet |= capacity[l * across] > 0;
    return wet;
}

INLINE void find_wet(bundle *q, const sweep *s, int n, ptrdiff_t across) {
    q->from = 0;
    q->end = n;
    while (q->from < n && !is_wet(q, s, q->from, across)) ++q->from;
    while (q->end > q->from && !is_wet(q, s, q->end - 1, across)) --q->end;
}

INLINE void load_slice(slice *to, const bundle *q, const sweep *s, int k, ptrdiff_t across) {
    const ptrdiff_t c = q->first + k * q->along;
    const float *capacity = s->cells->capacity + c, *conductivity = s->cells->conductivity + c,
                *fill = s->cells->fill + c, *was = s->cells->temperature + c, *by = s->change + c;
    for (int l = 0; l < L; ++l) {
        to->capacity[l] = l < q->lanes ? capacity[l * across] : 0;
        to->conductivity[l] = conductivity[l * across];
        to->fill[l] = fill[l * across];
        to->temperature[l] = (double)was[l * across] + (double)by[l * across];
    }
}

/* G dt of the faces between cells and the next ones, whose open shares are `open`. */
INLINE void find_conductances(double to[L], const slice *a, const slice *b, const float *open,
                              ptrdiff_t across, double per_face) {
    for (int l = 0; l < L; ++l) {
        const float sum = a->conductivity[l] + b->conductivity[l];
        const float g = a->conductivity[l] / (sum > 0 ? sum : 1) * b->conductivity[l] *
                        (a->fill[l] + b->fill[l]) * open[l * across];
        to[l] = a->capacity[l] > 0 && b->capacity[l] > 0 ? per_face * (double)g : 0;
    }
}

INLINE void load_lines(lines *w, const bundle *q, const sweep *s, ptrdiff_t across) {
    const float *open = s->in->open->open.value[s->axis] + q->first;
    double before[L] = {0}, flux[L] = {0}; /* of the faces below */
    slice two[2];
    load_slice(&two[0], q, s, q->from, across);
    for (int k = q->from; k < q->end; ++k) {
        const slice *here = &two[(k - q->from) & 1];
        slice *next = &two[(k - q->from + 1) & 1];
        double g[L] = {0}, *b = w->b + (k - q->from) * L, *d = w->d + (k - q->from) * L,
               *e = w->e + (k - q->from) * L;
        if (k + 1 < q->end) {
            load_slice(next, q, s, k + 1, across);
            find_conductances(g, here, next, open + (k + 1) * q->along, across, s->per_face);
        }
        for (int l = 0; l < L; ++l) {
            const double up = k + 1 < q->end ? g[l] * (next->temperature[l] - here->temperature[l]) : 0;
            const int wet = here->capacity[l] > 0;
            d[l] = wet ? (double)here->capacity[l] + before[l] + g[l] : 1;
            b[l] = wet ? up - flux[l] : 0;
            e[l] = -g[l];
            before[l] = g[l];
            flux[l] = up;
        }
    }
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

INLINE void meet_outside(lines *w, const bundle *q, const sweep *s, ptrdiff_t across) {
    const double share = s->in->dt / s->in->g->box.dim;
    for (int k = q->from; k < q->end; ++k) {
        const ptrdiff_t c = q->first + k * q->along;
        double *b = w->b + (k - q->from) * L, *d = w->d + (k - q->from) * L;
        for (int l = 0; l < q->lanes; ++l) {
            const ptrdiff_t i = c + l * across;
            const int wet = s->cells->capacity[i] > 0;
            const double to = wet ? share * (double)s->in->outside[i] : 0;
            const double pull = wet ? share * (double)s->in->pull[i] : 0;
            d[l] += to;
            b[l] += pull - to * ((double)s->cells->temperature[i] + (double)s->change[i]);
        }
    }
}

/* Whether anything changes: lines of one temperature stay as they are. */
INLINE int any_flows(const lines *w, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum = fabs(w->b[i]) > sum ? fabs(w->b[i]) : sum;
    return sum > 0;
}

INLINE void sweep_bundle(const sweep *s, bundle *q, int n, ptrdiff_t across) {
    lines w;
    find_wet(q, s, n, across);
    if (q->from >= q->end) return;
    load_lines(&w, q, s, across);
    for (int side = 0; side < 2; ++side) hold_side(&w, q, s, side, n);
    if (s->in->outside) meet_outside(&w, q, s, across);
    if (!any_flows(&w, (q->end - q->from) * L)) return;
    tridiagonal_solve(w.b, w.d, w.e, q->end - q->from);
    for (int k = q->from; k < q->end; ++k)
        for (int l = 0; l < q->lanes; ++l)
            s->change[q->first + l * across + k * q->along] += (float)w.b[(k - q->from) * L + l];
}

HOT static void sweep_task(void *context, int block) {
    const sweep *s = context;
    const box *b = &s->in->g->box;
    const int n = b->n[s->axis], groups = (b->n[s->beside] + L - 1) / L;
    const int start = block % groups * L, row = block / groups, left = b->n[s->beside] - start;
    bundle q = {.along = b->step[s->axis], .across = b->step[s->beside], .lanes = left < L ? left : L};
    q.first = b->first + start * b->step[s->beside] + (b->dim == 3 ? row * b->step[s->other] : 0);
    if (q.across == 1) sweep_bundle(s, &q, n, 1);
    else sweep_bundle(s, &q, n, q.across);
}

void heat_conduct(float *change, const heat_cells *cells, const heat_input *in, int reversed) {
    const mac_grid *g = in->g;
    const box *b = &g->box;
    parallel_zero(g->pool, change, b->size * sizeof *change);
    for (int i = 0; i < b->dim; ++i) {
        sweep s = {.change = change, .cells = cells, .in = in, .axis = reversed ? b->dim - 1 - i : i};
        s.beside = s.axis == 0;
        s.other = s.axis == 2 ? 1 : 2;
        s.per_face = pow(g->dx, b->dim - 2) * in->dt;
        const int groups = (b->n[s.beside] + L - 1) / L, rows = b->dim == 3 ? b->n[s.other] : 1;
        parallel_for(g->pool, groups * rows, sweep_task, &s);
    }
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
