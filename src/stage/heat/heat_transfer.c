/* Laws of heat, and what cells hold of the particles that lie in them:
 *
 *   C = sum_p m c_p,   T = sum_p m c_p T_p / C
 *
 * c_p is the slope of the particle's own law where it is: in its melting zone much more than outside. Weights
 * that reach into the next cells, as velocity has them, would carry a melting front ahead by 0.9 cells.
 *
 * Limits: a cell's temperature is that of where its particles are on the mean, not of its middle; one without
 * particles conducts nothing. */
#include "grid/rows.h"
#include "stage/heat/heat_lanes.h"

/* Cells are full from four fifths on: particles are never even, and halves that are cut off would not be made
 * up for by those that are not (0.5 % of conduction, at rest). */
#define FILLED 1.25f
enum { GRAIN = 4096 };

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

float heat_temperature(const heat_law *l, float h) {
    if (h <= l->cold[1]) return l->cold[0] + (h - l->cold[1]) * l->warming;
    if (h < l->warm[1]) return l->cold[0] + (h - l->cold[1]) * l->melting_warming;
    return l->warm[0] + (h - l->warm[1]) * l->warming;
}

double heat_enthalpy(const heat_law *l, double t) {
    const double cold = (double)l->cold[0], warm = (double)l->warm[0], c = (double)l->capacity;
    if (t <= cold) return (double)l->cold[1] + (t - cold) * c;
    if (t < warm) return (double)l->cold[1] + (t - cold) * (double)l->melting_capacity;
    return (double)l->warm[1] + (t - warm) * c;
}

heat_cells heat_cells_in(float *block, size_t size) {
    float *at[HEAT_CELL_ARRAYS];
    for (size_t i = 0; i < HEAT_CELL_ARRAYS; ++i) at[i] = block + i * size;
    return (heat_cells){at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
}

static void empty_cell(const heat_cells *cells, ptrdiff_t c) {
    cells->fill[c] = cells->capacity[c] = cells->temperature[c] = cells->conductivity[c] = 0;
    cells->beyond[c] = cells->least[c] = cells->most[c] = 0;
}

/* ---- to cells ---- */

typedef struct transfer {
    const particles *p;
    const heat_cells *cells;
    const heat_input *in;
    cell_range range;
    int melts; /* some law has a zone in which it does */
} transfer;

static float mean_conductivity(const transfer *t, size_t from, size_t end, int one) {
    const uint8_t *fluid = t->p->fluid;
    float sum = 0;
    if (one) return t->in->law[fluid[from]].conductivity;
    for (size_t i = from; i < end; ++i) sum += t->in->law[fluid[i]].conductivity;
    return sum / (float)(end - from);
}

/* Returns the largest |T| of particles. */
INLINE float sum_cell(const transfer *t, ptrdiff_t c, size_t from, size_t end, int melts) {
    const float *h = t->p->extra[t->in->column.enthalpy];
    const uint8_t *fluid = t->p->fluid;
    const heat_cells *cells = t->cells;
    const int one = law_is_one(t->in, fluid + from, end - from);
    vec8 capacity = vec8_all(0), warmth = capacity, least = vec8_all(INFINITY), most = -least;
    law_lanes law = law_of_all(&t->in->law[fluid[from]], melts);
    float about = 0; /* the first's temperature: sums lose less around it */
    for (size_t i = from; i < end; i += LANES) {
        if (!one) law = law_of_each(t->in->law, fluid + i, end - i, melts);
        const int8 mask = lanes_first(end - i);
        const vec8 here = vec8_load(h + i), degrees = lanes_temperature(&law, here);
        const vec8 own = lanes_masked(mask, lanes_capacity(&law, here));
        if (i == from) about = degrees[0];
        capacity += own;
        warmth += lanes_masked(mask, own * (degrees - about));
        least = vec8_select(mask & (degrees < least), degrees, least);
        most = vec8_select(mask & (degrees > most), degrees, most);
    }
    const float sum = lanes_sum(capacity);
    cells->fill[c] = lesser((float)(end - from) * FILLED / (float)t->in->full, 1);
    cells->capacity[c] = (float)t->in->mass * sum;
    const float over = lanes_sum(warmth) / sum;
    cells->temperature[c] = about + over;
    cells->beyond[c] = over - (cells->temperature[c] - about);
    cells->conductivity[c] = mean_conductivity(t, from, end, one);
    cells->least[c] = lanes_least(least);
    cells->most[c] = -lanes_least(-most);
    return greater(cells->most[c], -cells->least[c]);
}

INLINE float sum_rows(const transfer *t, int block, int melts) {
    float most = 0;
    const box *b = &t->in->g->box;
    FOR_ROWS(&t->range, block, j, k) {
        const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i)
            if (start[i] < start[i + 1])
                most = greater(most, sum_cell(t, row + i, start[i], start[i + 1], melts));
            else if (t->cells->capacity[row + i] > 0) empty_cell(t->cells, row + i);
    }
    return most;
}

HOT static double cells_task(void *context, int block) {
    const transfer *t = context;
    return (double)(t->melts ? sum_rows(t, block, 1) : sum_rows(t, block, 0));
}

double heat_to_cells(const heat_cells *cells, const heat_input *in, const particles *p) {
    transfer t = {p, cells, in, range_cells(in->g), law_melts(in->law, in->laws)};
    return parallel_max(in->g->pool, range_blocks(&t.range), cells_task, &t);
}

/* ---- temperatures ---- */

typedef struct reading {
    float *degrees;
    const heat_law *law;
    const float *h;
    const uint8_t *fluid;
    size_t count;
    int laws, melts;
    float zero;
} reading;

INLINE void read_all(const reading *t, size_t from, size_t end) {
    const law_lanes law = law_of_all(t->law, t->melts);
    const vec8 zero = vec8_all(t->zero);
    size_t i = from;
    for (; i + LANES <= end; i += LANES)
        vec8_store(t->degrees + i, zero + lanes_temperature(&law, vec8_load(t->h + i)));
    for (; i < end; ++i) t->degrees[i] = t->zero + heat_temperature(t->law, t->h[i]);
}

HOT static void temperatures_task(void *context, int block) {
    const reading *t = context;
    const size_t from = (size_t)block * GRAIN, end = from + GRAIN < t->count ? from + GRAIN : t->count;
    if (t->laws == 1) read_all(t, from, end);
    for (size_t i = from; t->laws > 1 && i < end; ++i)
        t->degrees[i] = t->zero + heat_temperature(&t->law[t->fluid[i]], t->h[i]);
}

void heat_temperatures(float *degrees, const heat_law *law, int laws, int column, const particles *p,
                       double zero, pool *workers) {
    reading t = {degrees, law, p->extra[column], p->fluid, p->count, laws, law_melts(law, laws), (float)zero};
    parallel_for(workers, block_count((long)p->count, GRAIN), temperatures_task, &t);
}
