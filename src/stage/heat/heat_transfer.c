/* Heat between particles and the cells that they lie in:
 *
 *   C = sum_p m c_p,   T = sum_p m c_p T_p / C,   dH_p = c_p dT
 *
 * so that what particles take is what cells give, sum_p m dH_p = C dT. c_p is the slope of the particle's own
 * law where it is: in its melting zone much more than outside. As enthalpy is what is kept, none of the
 * latent heat is passed over, however long the step. Weights that reach into the next cells, as velocity has
 * them, would carry a melting front ahead by 0.9 cells.
 *
 * Where a cell changes by more than its particles leave room for, they come nearer to its temperature, which
 * changes nothing of their sum: cold lava between hot one would else become colder than all that is around.
 *
 * What particles of a cell differ by beside the slope that cells have dies within the cell, where it sums to
 * nothing. Towards temperatures interpolated from cells it would be carried on to the next ones: as if heat
 * were conducted by two thirds more, on any grid.
 *
 * Enthalpies keep what a float drops (Kahan), else slow changes would be lost one by one.
 *
 * Limits: a cell's temperature is that of where its particles are on the mean, not of its middle; one without
 * particles conducts nothing. */
#include <math.h>
#include "grid/rows.h"
#include "stage/heat/heat.h"

/* Cells are full from four fifths on: particles are never even, and halves that are cut off would not be made
 * up for by those that are not (0.5 % of conduction, at rest). */
#define FILLED 1.25f

heat_law heat_law_of(double capacity, double conductivity, double latent, double melts, double molten) {
    heat_law law = {.capacity = (float)capacity, .conductivity = (float)conductivity};
    law.melting_capacity = law.capacity;
    law.warming = law.melting_warming = 1 / law.capacity;
    if (!(latent > 0)) return law;
    const double zone = capacity + latent / (molten - melts);
    law.melting_capacity = (float)zone;
    law.melting_warming = 1 / law.melting_capacity;
    law.cold[0] = (float)melts;
    law.warm[0] = (float)molten;
    /* liquid at zero has no enthalpy, also where zero lies in the zone or above it */
    const double below = melts > 0    ? melts * capacity
                         : molten > 0 ? melts * zone
                                      : molten * capacity - (molten - melts) * zone;
    law.cold[1] = (float)below;
    law.warm[1] = (float)(below + (molten - melts) * zone);
    return law;
}

INLINE float temperature_of(const heat_law *l, float h) {
    if (h <= l->cold[1]) return l->cold[0] + (h - l->cold[1]) * l->warming;
    if (h < l->warm[1]) return l->cold[0] + (h - l->cold[1]) * l->melting_warming;
    return l->warm[0] + (h - l->warm[1]) * l->warming;
}

INLINE float capacity_of(const heat_law *l, float h) {
    return h > l->cold[1] && h < l->warm[1] ? l->melting_capacity : l->capacity;
}

float heat_temperature(const heat_law *law, float enthalpy) {
    return temperature_of(law, enthalpy);
}

double heat_enthalpy(const heat_law *l, double t) {
    const double cold = (double)l->cold[0], warm = (double)l->warm[0], c = (double)l->capacity;
    if (t <= cold) return (double)l->cold[1] + (t - cold) * c;
    if (t < warm) return (double)l->cold[1] + (t - cold) * (double)l->melting_capacity;
    return (double)l->warm[1] + (t - warm) * c;
}

/* ---- to cells and back ---- */

typedef struct transfer {
    particles *p; /* heat_to_cells() reads it */
    heat_cell *cells;
    const float *change;
    const heat_input *in;
    cell_range range;
} transfer;

INLINE float enthalpy_of(const transfer *t, size_t i) {
    return t->p->extra[t->in->column.enthalpy][i];
}

static heat_cell sum_cell(const transfer *t, size_t from, size_t end) {
    float capacity = 0, warmth = 0, conductivity = 0;
    if (from == end) return (heat_cell){0};
    for (size_t i = from; i < end; ++i) {
        const heat_law *law = &t->in->law[t->p->fluid[i]];
        const float h = enthalpy_of(t, i), c = capacity_of(law, h);
        capacity += c;
        warmth += c * temperature_of(law, h);
        conductivity += law->conductivity;
    }
    const float count = (float)(end - from);
    return (heat_cell){lesser(count * FILLED / (float)t->in->full, 1), (float)t->in->mass * capacity,
                       warmth / capacity, conductivity / count};
}

static void cells_task(void *context, int block) {
    const transfer *t = context;
    const box *b = &t->in->g->box;
    FOR_ROWS(&t->range, block, j, k) {
        const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
        heat_cell *cell = t->cells + box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) cell[i] = sum_cell(t, start[i], start[i + 1]);
    }
}

void heat_to_cells(heat_cell *cells, const heat_input *in, particles *p) {
    transfer t = {.p = p, .cells = cells, .in = in, .range = range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), cells_task, &t);
}

/* sum + rest take `more` without loss. */
INLINE void add_kept(float *sum, float *rest, double more) {
    const double all = (double)*sum + ((double)*rest + more);
    *sum = (float)all;
    *rest = (float)(all - (double)*sum);
}

INLINE float temperature_at(const transfer *t, size_t i) {
    return temperature_of(&t->in->law[t->p->fluid[i]], enthalpy_of(t, i));
}

/* Widens what is between low and high by what the cells beside one become. */
static void widen_by_neighbours(float span[2], const transfer *t, ptrdiff_t c, const int at[3]) {
    const box *b = &t->in->g->box;
    for (int d = 0; d < 2 * b->dim; ++d) {
        const int a = d / 2, next = at[a] + (d % 2 ? 1 : -1);
        const ptrdiff_t n = c + (d % 2 ? b->step[a] : -b->step[a]);
        if (next < 0 || next >= b->n[a] || !(t->cells[n].capacity > 0)) continue;
        span[0] = lesser(span[0], t->cells[n].temperature + t->change[n]);
        span[1] = greater(span[1], t->cells[n].temperature + t->change[n]);
    }
}

/* How much of their difference from the cell particles may keep, so that none becomes colder or warmer than
 * they, the cell and its neighbours make it. */
static float kept_of(const float span[2], const float own[2], float before, float after) {
    float kept = 1;
    if (own[0] < before) kept = lesser(kept, (after - span[0]) / (before - own[0]));
    if (own[1] > before) kept = lesser(kept, (span[1] - after) / (own[1] - before));
    return kept;
}

static float find_kept(const transfer *t, size_t from, size_t end, ptrdiff_t c, const int at[3]) {
    const float before = t->cells[c].temperature, after = before + t->change[c];
    float own[2] = {before, before};
    for (size_t i = from; i < end; ++i) {
        own[0] = lesser(own[0], temperature_at(t, i));
        own[1] = greater(own[1], temperature_at(t, i));
    }
    float span[2] = {lesser(own[0], after), greater(own[1], after)};
    if (!(kept_of(span, own, before, after) < 1)) return 1;
    widen_by_neighbours(span, t, c, at);
    return kept_of(span, own, before, after);
}

static void particles_task(void *context, int block) {
    const transfer *t = context;
    const box *b = &t->in->g->box;
    float *h = t->p->extra[t->in->column.enthalpy], *rest = t->p->extra[t->in->column.rest];
    FOR_ROWS(&t->range, block, j, k) {
        const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
        for (int c = 0; c < b->n[0]; ++c) {
            const ptrdiff_t n = box_at(b, c, j, k);
            const float change = t->change[n], before = t->cells[n].temperature;
            if (start[c] == start[c + 1] || change == 0) continue;
            const float kept = find_kept(t, start[c], start[c + 1], n, (const int[]){c, j, k});
            for (size_t i = start[c]; i < start[c + 1]; ++i) {
                const float by = change - (1 - kept) * (temperature_at(t, i) - before);
                add_kept(&h[i], &rest[i],
                         (double)capacity_of(&t->in->law[t->p->fluid[i]], h[i]) * (double)by);
            }
        }
    }
}

static void change_task(void *context, int block) {
    const transfer *t = context;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&t->in->g->box, 0, j, k);
        for (ptrdiff_t c = row; c < row + t->in->g->box.n[0]; ++c) t->cells[c].temperature += t->change[c];
    }
}

void heat_to_particles(particles *p, heat_cell *cells, const float *change, const heat_input *in) {
    transfer t = {p, cells, change, in, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), particles_task, &t);
    parallel_for(in->g->pool, range_blocks(&t.range), change_task, &t);
}

/* ---- within cells ---- */

/* Slope of the temperature along an axis, K a cell: the smaller of both sides', 0 at extremes and edges. */
static float slope_of(const transfer *t, ptrdiff_t c, int axis, int at) {
    const ptrdiff_t step = t->in->g->box.step[axis];
    if (at == 0 || at == t->in->g->box.n[axis] - 1) return 0;
    if (!(t->cells[c - step].capacity > 0 && t->cells[c + step].capacity > 0)) return 0;
    const float low = t->cells[c].temperature - t->cells[c - step].temperature;
    const float high = t->cells[c + step].temperature - t->cells[c].temperature;
    if (!(low * high > 0)) return 0;
    return fabsf(low) < fabsf(high) ? low : high;
}

/* What m c_p weighs: the mean temperature of a cell's own particles, and where it is. */
typedef struct middle {
    double capacity, temperature, x[3];
} middle;

static middle middle_of(const transfer *t, size_t from, size_t end) {
    middle m = {0};
    for (size_t i = from; i < end; ++i) {
        const heat_law *law = &t->in->law[t->p->fluid[i]];
        const float h = t->p->extra[t->in->column.enthalpy][i];
        const double c = (double)capacity_of(law, h);
        m.capacity += c;
        m.temperature += c * (double)temperature_of(law, h);
        for (int a = 0; a < t->p->dim; ++a) m.x[a] += c * (double)t->p->x[a][i];
    }
    m.temperature /= m.capacity;
    for (int a = 0; a < t->p->dim; ++a) m.x[a] /= m.capacity;
    return m;
}

static double offset_of(const transfer *t, const middle *m, size_t i, const float slope[3]) {
    double off = 0;
    for (int a = 0; a < t->p->dim; ++a) off += (double)slope[a] * ((double)t->p->x[a][i] - m->x[a]);
    return off;
}

/* Whether some particle melts or sets, or some have and others have not. */
static int is_melting(const transfer *t, size_t from, size_t end) {
    int below = 0, above = 0;
    for (size_t i = from; i < end; ++i) {
        const heat_law *law = &t->in->law[t->p->fluid[i]];
        const float h = t->p->extra[t->in->column.enthalpy][i];
        if (!(law->melting_capacity > law->capacity)) continue;
        if (h > law->cold[1] && h < law->warm[1]) return 1;
        *(h <= law->cold[1] ? &below : &above) = 1;
    }
    return below && above;
}

/* Enthalpy of all at a common temperature beside their offsets, less what they have; J/kg. */
static double excess(const transfer *t, const middle *m, size_t from, size_t end, const float slope[3],
                     double temperature) {
    double sum = 0;
    for (size_t i = from; i < end; ++i)
        sum += heat_enthalpy(&t->in->law[t->p->fluid[i]], temperature + offset_of(t, m, i, slope)) -
               (double)t->p->extra[t->in->column.enthalpy][i];
    return sum;
}

/* The temperature at which a melting cell has the heat that it has. What it would be by slopes alone gives
 * particles at the end of melting heat that was for others. */
static double common_temperature(const transfer *t, const middle *m, size_t from, size_t end,
                                 const float slope[3]) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = from; i < end; ++i) {
        const heat_law *law = &t->in->law[t->p->fluid[i]];
        const double own =
            (double)temperature_of(law, t->p->extra[t->in->column.enthalpy][i]) - offset_of(t, m, i, slope);
        low = fmin(low, own);
        high = fmax(high, own);
    }
    for (int halving = 0; halving < 40; ++halving) {
        const double half = 0.5 * (low + high);
        *(excess(t, m, from, end, slope, half) < 0 ? &low : &high) = half;
    }
    return 0.5 * (low + high);
}

static void mix_melting(const transfer *t, const middle *m, size_t from, size_t end, const float slope[3]) {
    const double common = common_temperature(t, m, from, end, slope);
    const double left = excess(t, m, from, end, slope, common) / (double)(end - from);
    for (size_t i = from; i < end; ++i) {
        float *h = &t->p->extra[t->in->column.enthalpy][i], *rest = &t->p->extra[t->in->column.rest][i];
        const double at = common + offset_of(t, m, i, slope);
        add_kept(h, rest, heat_enthalpy(&t->in->law[t->p->fluid[i]], at) - (double)*h - left);
    }
}

/* How far the cells around go beyond a temperature at least, to both sides. */
static double room_of(const transfer *t, const int at[3], double temperature) {
    const box *b = &t->in->g->box;
    double low = temperature, high = temperature;
    for (int k = at[2] - 1; k <= at[2] + 1; ++k)
        for (int j = at[1] - 1; j <= at[1] + 1; ++j)
            for (int i = at[0] - 1; i <= at[0] + 1; ++i) {
                if (i < 0 || i >= b->n[0] || j < 0 || j >= b->n[1] || k < 0 || k >= b->n[2]) continue;
                const heat_cell *c = &t->cells[box_at(b, i, j, k)];
                if (!(c->capacity > 0)) continue;
                low = fmin(low, (double)c->temperature);
                high = fmax(high, (double)c->temperature);
            }
    return fmin(temperature - low, high - temperature);
}

/* Slopes along several axes add up: in a corner they may lead beyond all that is around, and are cut. */
static void limit_slope(float slope[3], const transfer *t, const middle *m, size_t from, size_t end,
                        const int at[3]) {
    double most = 0;
    if (slope[0] == 0 && slope[1] == 0 && slope[2] == 0) return;
    for (size_t i = from; i < end; ++i) most = fmax(most, fabs(offset_of(t, m, i, slope)));
    const double room = most > 0 ? room_of(t, at, m->temperature) : 0;
    if (most <= room) return;
    for (int a = 0; a < 3; ++a) slope[a] *= (float)(room / most);
}

static void mix_cell(const transfer *t, size_t from, size_t end, double share, float slope[3],
                     const int at[3]) {
    const middle m = middle_of(t, from, end);
    limit_slope(slope, t, &m, from, end, at);
    if (is_melting(t, from, end)) {
        mix_melting(t, &m, from, end, slope);
        return;
    }
    for (size_t i = from; i < end; ++i) {
        const heat_law *law = &t->in->law[t->p->fluid[i]];
        float *h = &t->p->extra[t->in->column.enthalpy][i];
        const double to = m.temperature + offset_of(t, &m, i, slope);
        const double more = share * (double)capacity_of(law, *h) * (to - (double)temperature_of(law, *h));
        add_kept(h, &t->p->extra[t->in->column.rest][i], more);
    }
}

static void mix_task(void *context, int block) {
    const transfer *t = context;
    const mac_grid *g = t->in->g;
    const double volume = pow(g->dx, g->box.dim), waves = 2 * g->box.dim * t->in->dt / (g->dx * g->dx);
    FOR_ROWS(&t->range, block, j, k) {
        const uint32_t *start = t->p->cell_start + box_dense(&g->box, 0, j, k);
        for (int i = 0; i < g->box.n[0]; ++i) {
            const ptrdiff_t c = box_at(&g->box, i, j, k);
            const heat_cell *cell = &t->cells[c];
            const int at[3] = {i, j, k};
            float slope[3] = {0, 0, 0};
            if (start[i + 1] - start[i] < 2 || !(cell->capacity > 0)) continue;
            const double kappa = (double)(cell->conductivity * cell->fill / cell->capacity) * volume;
            for (int a = 0; a < g->box.dim; ++a) slope[a] = slope_of(t, c, a, at[a]);
            mix_cell(t, start[i], start[i + 1], -expm1(-waves * kappa), slope, at);
        }
    }
}

void heat_mix(particles *p, heat_cell *cells, const heat_input *in) {
    transfer t = {.p = p, .cells = cells, .in = in, .range = range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), mix_task, &t);
}
