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
    const heat_cell *cells;
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

static void find_wet(bundle *q, const sweep *s, int n) {
    q->from = n;
    q->end = 0;
    for (int l = 0; l < q->lanes; ++l) {
        const heat_cell *line = s->cells + q->first + l * q->across;
        int low = 0, high = n;
        while (low < n && !(line[low * q->along].capacity > 0)) ++low;
        while (high > low && !(line[(high - 1) * q->along].capacity > 0)) --high;
        if (low < q->from) q->from = low;
        if (high > q->end) q->end = high;
    }
}

/* G dt of the face between a cell and the next one, whose open share is `open`. */
INLINE double conductance(const heat_cell *a, const heat_cell *b, float open) {
    const float sum = a->conductivity + b->conductivity;
    if (!(a->capacity > 0 && b->capacity > 0 && sum > 0)) return 0;
    return (double)(a->conductivity / sum * b->conductivity * (a->fill + b->fill) * open);
}

INLINE void load_lane(lines *w, const bundle *q, const sweep *s, int l, int n) {
    const ptrdiff_t line = q->first + l * q->across;
    const float *open = s->in->open->open.value[s->axis];
    double before = 0, flux = 0; /* of the face below */
    for (int k = q->from; k < q->end; ++k) {
        const ptrdiff_t c = line + k * q->along, next = c + q->along;
        const heat_cell *here = &s->cells[c];
        const int at = (k - q->from) * L + l;
        double g = 0, up = 0;
        if (here->capacity > 0) {
            const double t = (double)here->temperature + (double)s->change[c];
            double fixed = 0, pull = 0;
            if (k + 1 < n && k + 1 < q->end) {
                g = s->per_face * conductance(here, &s->cells[next], open[next]);
                up = g * ((double)s->cells[next].temperature + (double)s->change[next] - t);
            }
            for (int side = 0; side < 2; ++side) {
                const double held = s->in->side[2 * s->axis + side];
                if (k != (side ? n - 1 : 0) || isnan(held)) continue;
                const double to = 2 * s->per_face * (double)(here->conductivity * here->fill);
                fixed += to;
                pull += to * (held - t);
            }
            if (s->in->outside) {
                const double to = s->in->dt / s->in->g->box.dim * (double)s->in->outside[c];
                fixed += to;
                pull += s->in->dt / s->in->g->box.dim * (double)s->in->pull[c] - to * t;
            }
            w->d[at] = (double)here->capacity + before + g + fixed;
            w->b[at] = up - flux + pull;
        } else {
            w->d[at] = 1;
            w->b[at] = 0;
        }
        w->e[at] = -g;
        before = g;
        flux = up;
    }
}

static void fill_lane(lines *w, const bundle *q, int l) {
    for (int at = l; at < (q->end - q->from) * L; at += L) {
        w->d[at] = 1;
        w->b[at] = w->e[at] = 0;
    }
}

HOT static void sweep_task(void *context, int block) {
    const sweep *s = context;
    const box *b = &s->in->g->box;
    const int n = b->n[s->axis], groups = (b->n[s->beside] + L - 1) / L;
    const int start = block % groups * L, row = block / groups, left = b->n[s->beside] - start;
    lines w;
    bundle q = {.along = b->step[s->axis], .across = b->step[s->beside], .lanes = left < L ? left : L};
    q.first = b->first + start * b->step[s->beside] + (b->dim == 3 ? row * b->step[s->other] : 0);
    find_wet(&q, s, n);
    if (q.from >= q.end) return;
    for (int l = 0; l < q.lanes; ++l) load_lane(&w, &q, s, l, n);
    for (int l = q.lanes; l < L; ++l) fill_lane(&w, &q, l);
    tridiagonal_solve(w.b, w.d, w.e, q.end - q.from);
    for (int l = 0; l < q.lanes; ++l)
        for (int k = q.from; k < q.end; ++k)
            s->change[q.first + l * q.across + k * q.along] += (float)w.b[(k - q.from) * L + l];
}

void heat_conduct(float *change, const heat_cell *cells, const heat_input *in, int reversed) {
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
    const heat_cell *cells;
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
            const double g = (double)t->conductance[c] * t->in->dt, capacity = (double)t->cells[c].capacity;
            if (!(g > 0 && capacity > 0)) continue;
            const double now = (double)t->cells[c].temperature + (double)t->change[c];
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
            const double g = (double)t->conductance[c] * t->in->dt, capacity = (double)t->cells[c].capacity;
            if (g > 0 && capacity > 0)
                sum += g * capacity / (capacity + g) *
                       ((double)t->cells[c].temperature + (double)t->change[c] - t->temperature);
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
            const double g = (double)t->conductance[c] * t->in->dt, capacity = (double)t->cells[c].capacity;
            if (g > 0 && capacity > 0) sum += g * capacity / (capacity + g);
        }
    }
    return sum;
}

double heat_share(float *change, const heat_cell *cells, const heat_input *in, const float *conductance,
                  double capacity, double temperature) {
    exchanging t = {change, cells, in, conductance, temperature, range_cells(in->g)};
    const int blocks = range_blocks(&t.range);
    const double pull = parallel_sum(in->g->pool, blocks, pull_task, &t);
    const double joined = parallel_sum(in->g->pool, blocks, joined_task, &t);
    t.temperature += pull / (capacity + joined);
    parallel_for(in->g->pool, blocks, exchange_task, &t);
    return t.temperature;
}
