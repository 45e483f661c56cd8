/* Heat between particles and cells:
 *
 *   C_c = sum_p w_cp m c_p,   T_c = sum_p w_cp m c_p T_p / C_c,
 *   m dH_p = m c_p sum_c w_cp (dT_c + r_c (T_c - T_p))
 *
 * with w trilinear, all of it in cells of the domain outside solids, so that what particles take is what cells
 * give: sum_p m dH_p = sum_c C_c dT_c, and the differences that die (r) sum to nothing in each cell. c_p is
 * the slope of the particle's own law where it is: in its melting zone much more than outside. As enthalpy is
 * what is kept, none of the latent heat is passed over, however long the step.
 *
 * Enthalpies keep what a float drops (Kahan), else slow changes would be lost one by one.
 *
 * Threads: slabs of planes (2D: rows) touch one more on either side; even slabs work first, then odd ones.
 * Limits: weights reach through solids thinner than a cell. */
#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "grid/rows.h"
#include "stage/heat/heat.h"

enum { SLAB = 4, GRAIN = 4096 };

heat_law heat_law_of(double capacity, double conductivity, double latent, double melts, double molten) {
    heat_law law = {.capacity = (float)capacity, .conductivity = (float)conductivity};
    law.melting_capacity = law.capacity;
    if (!(latent > 0)) return law;
    const double zone = capacity + latent / (molten - melts);
    law.melting_capacity = (float)zone;
    law.cold[0] = (float)melts;
    law.warm[0] = (float)molten;
    /* liquid at zero has no enthalpy, also where zero lies in the zone or above it */
    const double below = melts > 0 ? melts * capacity
                         : molten > 0 ? melts * zone
                                      : molten * capacity - (molten - melts) * zone;
    law.cold[1] = (float)below;
    law.warm[1] = (float)(below + (molten - melts) * zone);
    return law;
}

INLINE float temperature_of(const heat_law *l, float h) {
    if (h <= l->cold[1]) return l->cold[0] + (h - l->cold[1]) / l->capacity;
    if (h < l->warm[1]) return l->cold[0] + (h - l->cold[1]) / l->melting_capacity;
    return l->warm[0] + (h - l->warm[1]) / l->capacity;
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

/* ---- weights ---- */

/* The cells around a particle: the lowest, the steps to the others, and what each gets. */
typedef struct around {
    ptrdiff_t at[8];
    float weight[8];
} around;

INLINE void around_make(around *o, const particles *p, const box *b, size_t i, int dim) {
    float f[3] = {0, 0, 0};
    ptrdiff_t at = b->first;
    for (int a = 0; a < dim; ++a) {
        const float last = (float)(b->n[a] - 1), s = lesser(greater(p->x[a][i] - 0.5f, 0), last);
        int low = (int)s;
        if (low > b->n[a] - 2) low = b->n[a] - 2;
        f[a] = s - (float)low;
        at += low * b->step[a];
    }
    for (int q = 0; q < 1 << dim; ++q) {
        const int x = q & 1, y = q >> 1 & 1, z = q >> 2;
        const float across = (x ? f[0] : 1 - f[0]) * (y ? f[1] : 1 - f[1]);
        o->weight[q] = dim == 3 ? across * (z ? f[2] : 1 - f[2]) : across;
        o->at[q] = at + x + y * b->step[1] + (dim == 3 ? z * b->step[2] : 0);
    }
}

/* What solids would get goes to the other cells; where all are shut, to all. */
INLINE void around_shut(around *o, const uint8_t *shut, int corners) {
    float sum = 0;
    for (int q = 0; q < corners; ++q) sum += shut[o->at[q]] ? 0 : o->weight[q];
    if (!(sum > 0.01f)) return;
    for (int q = 0; q < corners; ++q) o->weight[q] = shut[o->at[q]] ? 0 : o->weight[q] / sum;
}

/* ---- to cells ---- */

typedef float four __attribute__((vector_size(16)));

typedef struct to_cells {
    heat_cell *cells;
    const heat_input *in;
    const particles *p;
    int parity;
    cell_range range;
} to_cells;

INLINE void add_particle(const to_cells *t, size_t i, int dim) {
    around o;
    const heat_law *law = &t->in->law[t->p->fluid[i]];
    const float h = t->p->extra[t->in->column.enthalpy][i];
    const float capacity = (float)t->in->mass * capacity_of(law, h);
    const four has = {1, capacity, capacity * temperature_of(law, h), law->conductivity};
    around_make(&o, t->p, &t->in->g->box, i, dim);
    if (t->in->shut) around_shut(&o, t->in->shut, 1 << dim);
    for (int q = 0; q < 1 << dim; ++q) {
        float *to = &t->cells[o.at[q]].fill;
        four sum;
        memcpy(&sum, to, sizeof sum);
        sum += o.weight[q] * has;
        memcpy(to, &sum, sizeof sum);
    }
}

HOT static void add_layer(const to_cells *t, int layer) {
    const box *b = &t->in->g->box;
    const uint32_t *start = t->p->cell_start;
    const size_t cells = (size_t)b->n[0] * (size_t)(b->dim == 3 ? b->n[1] : 1);
    const size_t from = start[cells * (size_t)layer], end = start[cells * ((size_t)layer + 1)];
    if (b->dim == 3)
        for (size_t i = from; i < end; ++i) add_particle(t, i, 3);
    else
        for (size_t i = from; i < end; ++i) add_particle(t, i, 2);
}

static void add_slab(void *context, int block) {
    const to_cells *t = context;
    const box *b = &t->in->g->box;
    const int first = (2 * block + t->parity) * SLAB, layers = b->n[b->dim - 1];
    for (int layer = first; layer < first + SLAB && layer < layers; ++layer) add_layer(t, layer);
}

static void divide_task(void *context, int block) {
    const to_cells *t = context;
    const box *b = &t->in->g->box;
    FOR_ROWS(&t->range, block, j, k) {
        heat_cell *cell = t->cells + box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            if (!(cell[i].fill > 0)) continue;
            cell[i].temperature /= cell[i].capacity;
            cell[i].conductivity /= cell[i].fill;
            cell[i].fill = lesser(cell[i].fill / (float)t->in->full, 1);
        }
    }
}

void heat_to_cells(heat_cell *cells, const heat_input *in, const particles *p) {
    const box *b = &in->g->box;
    to_cells t = {.cells = cells, .in = in, .p = p, .range = range_cells(in->g)};
    const int pairs = (b->n[b->dim - 1] + 2 * SLAB - 1) / (2 * SLAB);
    parallel_zero(in->g->pool, cells, b->size * sizeof *cells);
    for (t.parity = 0; t.parity < 2; ++t.parity) parallel_for(in->g->pool, pairs, add_slab, &t);
    parallel_for(in->g->pool, range_blocks(&t.range), divide_task, &t);
}

/* ---- to particles ---- */

typedef struct to_particles {
    particles *p;
    heat_change *change;
    const heat_cell *cells;
    const heat_input *in;
    cell_range range;
} to_particles;

/* change and mix become what a particle's own temperature is multiplied by and added to: dT + r T_c and r. */
static void mix_task(void *context, int block) {
    const to_particles *t = context;
    const mac_grid *g = t->in->g;
    const double volume = pow(g->dx, g->box.dim), waves = 2 * g->box.dim * t->in->dt / (g->dx * g->dx);
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&g->box, 0, j, k);
        const heat_cell *cell = t->cells + row;
        for (int i = 0; i < g->box.n[0]; ++i) {
            heat_change *c = &t->change[row + i];
            if (!(cell[i].capacity > 0)) continue;
            const double full = (double)cell[i].capacity / (double)cell[i].fill;
            c->mix = (float)-expm1(-waves * (double)cell[i].conductivity * volume / full);
            c->change += c->mix * cell[i].temperature;
        }
    }
}

/* sum + rest take `more` without loss. */
INLINE void add_kept(float *sum, float *rest, double more) {
    const double all = (double)*sum + ((double)*rest + more);
    *sum = (float)all;
    *rest = (float)(all - (double)*sum);
}

INLINE void warm_particle(const to_particles *t, size_t i, int dim) {
    around o;
    const heat_law *law = &t->in->law[t->p->fluid[i]];
    float *h = &t->p->extra[t->in->column.enthalpy][i], change = 0, mix = 0;
    around_make(&o, t->p, &t->in->g->box, i, dim);
    if (t->in->shut) around_shut(&o, t->in->shut, 1 << dim);
    for (int q = 0; q < 1 << dim; ++q) {
        const heat_change *c = &t->change[o.at[q]];
        change += o.weight[q] * c->change;
        mix += o.weight[q] * c->mix;
    }
    const float degrees = change - mix * temperature_of(law, *h);
    add_kept(h, &t->p->extra[t->in->column.rest][i], (double)(capacity_of(law, *h) * degrees));
}

HOT static void warm_task(void *context, int block) {
    const to_particles *t = context;
    const size_t from = (size_t)block * GRAIN, left = t->p->count - from;
    const size_t end = from + (left < GRAIN ? left : GRAIN);
    if (t->in->g->box.dim == 3)
        for (size_t i = from; i < end; ++i) warm_particle(t, i, 3);
    else
        for (size_t i = from; i < end; ++i) warm_particle(t, i, 2);
}

void heat_to_particles(particles *p, heat_change *change, const heat_cell *cells, const heat_input *in) {
    to_particles t = {p, change, cells, in, range_cells(in->g)};
    parallel_for(in->g->pool, range_blocks(&t.range), mix_task, &t);
    parallel_for(in->g->pool, block_count((long)p->count, GRAIN), warm_task, &t);
}
