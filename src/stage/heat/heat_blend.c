/* Heat from cells back to the particles that lie in them:
 *
 *   dH_p = c_p dT,   d_p = T_p - T   ->   dT_p = dT - d_p (a + s - a s) + s o_p
 *
 * so that what particles take is what cells give, sum_p m dH_p = C dT. As enthalpy is what is kept, none of
 * the latent heat is passed over, however long the step.
 *
 * a: where a cell changes by more than its particles leave room for, they come nearer to its temperature,
 * which changes nothing of their sum: cold lava between hot one would else become colder than all that is
 * around.
 *
 * s = w / (1 + w), w = 2 dim kappa dt / dx^2: what particles of a cell differ by beside the slope o_p that
 * cells have dies as waves of a cell's length would, implicitly as sweeps have it; within the cell, where it
 * sums to nothing. Towards temperatures interpolated from cells it would be carried on to the next ones: as
 * if heat were conducted by two thirds more, on any grid. In cells in which something melts, s = 1.
 *
 * Upwind, s = 1 and o = 0: particles that leave a cell take its temperature along. That is the donor cell's
 * scheme for -(u . grad) T (Carlson 2004, equation 50), with the mass of particles that cross as the flux, so
 * that heat is kept to rounding and nothing becomes hotter or colder than what meets.
 *
 * What differs by no more than floats round counts as equal, so that what has one temperature costs nothing.
 *
 * That is linear as long as no particle begins or ends to melt. Where one does, the step is taken once more,
 * by what each law makes of enthalpies. Enthalpies keep what a float drops (Kahan), else slow changes would
 * be lost one by one. */
#include "grid/rows.h"
#include "stage/heat/heat_lanes.h"

enum { PIECE = 64 };
#define ROUNDING                                                                                             \
    (2.0 / (1 << 24)) /* of a float: what it makes of equal temperatures, and of what is kept of it */

typedef struct blend {
    particles *p;
    const heat_cells *cells;
    const float *change;
    const heat_input *in;
    int melts; /* some law has a zone in which it does */
    cell_range range;
    float share_rate;   /* w of a cell over its k f / C, W/(m K) / (J/K) */
    float noise, least; /* K: differences, and changes, that are none */
} blend;

/* Of the cells of a piece of a row: what their particles do. */
typedef struct plan {
    float lost[PIECE], share[PIECE];                     /* a, s */
    float slope[3][PIECE], room[PIECE];                  /* K a cell, K: of offsets */
    unsigned sloped[PIECE / LANES], acts[PIECE / LANES]; /* a bit a cell */
} plan;

/* ---- what cells ask for, eight at a time ---- */

/* The cells around eight, `off` from them: their temperatures to be, and whether they hold any. */
INLINE vec8 become(const blend *t, ptrdiff_t c) {
    return vec8_load(t->cells->temperature + c) + vec8_load(t->change + c);
}

INLINE int8 hold_any(const blend *t, ptrdiff_t c) {
    return vec8_load(t->cells->capacity + c) > 0;
}

INLINE vec8 size_of(vec8 v) {
    return vec8_select(v < 0, -v, v);
}

/* Slope along an axis: the smaller of both sides', 0 at extremes and beside cells without particles. */
INLINE vec8 find_slope(const blend *t, ptrdiff_t c, ptrdiff_t step, vec8 here) {
    const vec8 low = here - become(t, c - step), high = become(t, c + step) - here;
    const int8 rises = hold_any(t, c) & hold_any(t, c - step) & hold_any(t, c + step) & (low * high > 0);
    return lanes_masked(rises, vec8_select(size_of(low) < size_of(high), low, high));
}

INLINE void widen(vec8 *low, vec8 *high, const blend *t, ptrdiff_t c) {
    const vec8 there = become(t, c);
    const int8 any = hold_any(t, c);
    *low = vec8_select(any & (there < *low), there, *low);
    *high = vec8_select(any & (there > *high), there, *high);
}

/* How far the cells around go beyond a temperature at least, to both sides. */
INLINE vec8 find_room(const blend *t, ptrdiff_t c, vec8 here, int dim) {
    const box *b = &t->in->g->box;
    vec8 low = here, high = here;
    for (int z = -(dim == 3); z <= (dim == 3); ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) widen(&low, &high, t, c + x + y * b->step[1] + z * b->step[2]);
    return vec8_select(here - low < high - here, here - low, high - here);
}

/* How much of their difference from the cell particles lose, so that none becomes colder or warmer than they,
 * the cell and its neighbours make it. */
INLINE vec8 find_lost(const blend *t, ptrdiff_t c, vec8 here, int dim) {
    const box *b = &t->in->g->box;
    const vec8 was = vec8_load(t->cells->temperature + c), least = vec8_load(t->cells->least + c),
               most = vec8_load(t->cells->most + c), one = vec8_all(1);
    vec8 low = vec8_select(least < here, least, here), high = vec8_select(most > here, most, here);
    for (int d = 0; d < 2 * dim; ++d) widen(&low, &high, t, c + (d % 2 ? b->step[d / 2] : -b->step[d / 2]));
    const int8 colder = was - least > 0, warmer = most - was > 0;
    const vec8 down = vec8_select(colder, (here - low) / vec8_select(colder, was - least, one), one);
    const vec8 up = vec8_select(warmer, (high - here) / vec8_select(warmer, most - was, one), one);
    const vec8 kept = vec8_select(down < up, down, up);
    return vec8_select(kept < 1, 1 - kept, vec8_all(0));
}

INLINE vec8 find_share(const blend *t, ptrdiff_t c) {
    const vec8 capacity = vec8_load(t->cells->capacity + c);
    const vec8 w = t->share_rate * vec8_load(t->cells->conductivity + c) * vec8_load(t->cells->fill + c) /
                   vec8_select(capacity > 0, capacity, vec8_all(1));
    return w / (1 + w);
}

INLINE void find_plan(plan *a, const blend *t, ptrdiff_t from, int count, int dim) {
    for (int i = 0; i < count; i += LANES) {
        const ptrdiff_t c = from + i;
        const vec8 here = become(t, c);
        int8 sloped = {0};
        for (int d = 0; d < dim && !t->in->upwind; ++d) {
            const vec8 slope = find_slope(t, c, t->in->g->box.step[d], here);
            sloped |= size_of(slope) > t->noise;
            vec8_store(a->slope[d] + i, slope);
        }
        const int8 differ = vec8_load(t->cells->most + c) - vec8_load(t->cells->least + c) > t->noise;
        a->sloped[i / LANES] = mask_bits(sloped);
        a->acts[i / LANES] = mask_bits(sloped | differ | (size_of(vec8_load(t->change + c)) > t->least));
        if (!a->acts[i / LANES]) continue;
        if (a->sloped[i / LANES]) vec8_store(a->room + i, find_room(t, c, here, dim));
        vec8_store(a->lost + i, find_lost(t, c, here, dim));
        vec8_store(a->share + i, t->in->upwind ? vec8_all(1) : find_share(t, c));
    }
}

/* ---- particles of a cell, as long as laws are straight ---- */

/* The middle of a cell's heat. */
typedef struct middle {
    float beyond; /* of its temperature: what rounding leaves */
    float x[3];   /* what m c_p weighs, cells from the cell's low corner */
    int melts;    /* something does, or some have and others have not */
} middle;

typedef struct group {
    size_t from, end, stop; /* particles; whole vectors may be written before `stop` */
    ptrdiff_t cell;
    int at[3], one; /* of one fluid */
} group;

INLINE law_lanes law_here(const blend *t, const group *q, size_t i, const law_lanes *all, int melts) {
    return q->one ? *all : law_of_each(t->in->law, t->p->fluid + i, q->end - i, melts);
}

INLINE vec8 offsets_of(const blend *t, const group *q, const float slope[3], const float centre[3],
                       size_t i) {
    vec8 off = vec8_all(0);
    for (int a = 0; a < t->p->dim; ++a)
        off += slope[a] * (vec8_load(t->p->x[a] + i) - (float)q->at[a] - centre[a]);
    return off;
}

INLINE void find_centre(middle *m, const blend *t, const group *q, const law_lanes *all, int melts) {
    const float *h = t->p->extra[t->in->column.enthalpy];
    vec8 capacity = vec8_all(0), x[3] = {capacity, capacity, capacity};
    for (size_t i = q->from; i < q->end; i += LANES) {
        const law_lanes law = law_here(t, q, i, all, melts);
        const vec8 own = lanes_masked(lanes_first(q->end - i), lanes_capacity(&law, vec8_load(h + i)));
        capacity += own;
        for (int a = 0; a < t->p->dim; ++a) x[a] += own * (vec8_load(t->p->x[a] + i) - (float)q->at[a]);
    }
    const float sum = lanes_sum(capacity);
    for (int a = 0; a < t->p->dim; ++a) m->x[a] = lanes_sum(x[a]) / sum;
}

INLINE int find_melting(const blend *t, const group *q, const law_lanes *all) {
    const float *h = t->p->extra[t->in->column.enthalpy];
    const int melts = 1;
    int8 zone = {0}, below = {0}, above = {0};
    for (size_t i = q->from; i < q->end; i += LANES) {
        const law_lanes law = law_here(t, q, i, all, melts);
        const int8 may = lanes_first(q->end - i) & (law.melting_capacity > law.capacity);
        const vec8 here = vec8_load(h + i);
        zone |= may & lanes_melting(&law, here);
        below |= may & (here <= law.cold[1]);
        above |= may & (here >= law.warm[1]);
    }
    return mask_bits(zone) || (mask_bits(below) && mask_bits(above));
}

/* Slopes along several axes add up: in a corner they may lead beyond all that is around, and are cut. */
INLINE void limit_slopes(float slope[3], const blend *t, const group *q, const middle *m, float room) {
    vec8 most = vec8_all(0);
    if (fabsf(slope[0]) + fabsf(slope[1]) + fabsf(slope[2]) <= room) return; /* nothing is a cell off */
    for (size_t i = q->from; i < q->end; i += LANES) {
        const vec8 off = lanes_masked(lanes_first(q->end - i), offsets_of(t, q, slope, m->x, i));
        const vec8 size = vec8_select(off < 0, -off, off);
        most = vec8_select(size > most, size, most);
    }
    const float farthest = -lanes_least(-most);
    if (farthest <= room) return;
    for (int a = 0; a < 3; ++a) slope[a] *= room / farthest;
}

/* What a cell's particles do: dT - d gone + share o. */
typedef struct deed {
    float change, before, gone, share, slope[3];
} deed;

INLINE vec8 find_change(const blend *t, const group *q, const deed *w, const middle *m, vec8 degrees,
                        size_t i, int sloped) {
    const vec8 change = w->change - w->gone * (degrees - w->before - m->beyond);
    return sloped ? change + w->share * offsets_of(t, q, w->slope, m->x, i) : change;
}

/* Whether all particles stay on the straight part of their law on which they are. */
INLINE int stays_straight(const blend *t, const group *q, const law_lanes *all, const deed *w,
                          const middle *m, int sloped) {
    const float *h = t->p->extra[t->in->column.enthalpy];
    const int melts = 1;
    int8 leaves = {0};
    for (size_t i = q->from; i < q->end; i += LANES) {
        const law_lanes law = law_here(t, q, i, all, melts);
        const vec8 here = vec8_load(h + i), degrees = lanes_temperature(&law, here),
                   after = degrees + find_change(t, q, w, m, degrees, i, sloped);
        const int8 zone = lanes_melting(&law, here), cold = here <= law.cold[1];
        const int8 crosses = (cold & (after > law.cold[0])) | (~(cold | zone) & (after < law.warm[0])) |
                             (zone & ((after < law.cold[0]) | (after > law.warm[0])));
        leaves |= lanes_first(q->end - i) & (law.melting_capacity > law.capacity) & crosses;
    }
    return !mask_bits(leaves);
}

/* sum + rest take `more` without loss. */
INLINE void add_lanes(float *sum, float *rest, vec8 more, int8 mask, size_t left, size_t room) {
    const vec8 was = vec8_load(sum), dropped = vec8_load(rest), add = dropped + more;
    const vec8 now = was + add, taken = now - was, keeps = (was - (now - taken)) + (add - taken);
    if (room >= LANES) {
        vec8_store(sum, vec8_select(mask, now, was));
        vec8_store(rest, vec8_select(mask, keeps, dropped));
        return;
    }
    for (size_t l = 0; l < left && l < LANES; ++l) {
        sum[l] = now[l];
        rest[l] = keeps[l];
    }
}

INLINE void change_particles(const blend *t, const group *q, const law_lanes *all, const deed *w,
                             const middle *m, int sloped, int melts) {
    float *h = t->p->extra[t->in->column.enthalpy], *rest = t->p->extra[t->in->column.rest];
    for (size_t i = q->from; i < q->end; i += LANES) {
        const law_lanes law = law_here(t, q, i, all, melts);
        const vec8 here = vec8_load(h + i), degrees = lanes_temperature(&law, here);
        const vec8 by = lanes_capacity(&law, here) * find_change(t, q, w, m, degrees, i, sloped);
        add_lanes(h + i, rest + i, by, lanes_first(q->end - i), q->end - i, q->stop - i);
    }
}

/* ---- particles of a cell where some begin or end to melt, one by one ---- */

static void add_kept(float *sum, float *rest, double more) {
    const double all = (double)*sum + ((double)*rest + more);
    *sum = (float)all;
    *rest = (float)(all - (double)*sum);
}

static const heat_law *law_at(const blend *t, size_t i) {
    return &t->in->law[t->p->fluid[i]];
}

static double capacity_at(const heat_law *law, double temperature) {
    const int zone = temperature > (double)law->cold[0] && temperature < (double)law->warm[0];
    return (double)(zone ? law->melting_capacity : law->capacity);
}

static double offset_at(const blend *t, const group *q, const deed *w, const middle *m, size_t i) {
    double off = 0;
    for (int a = 0; a < t->p->dim; ++a)
        off += (double)w->slope[a] * ((double)t->p->x[a][i] - q->at[a] - (double)m->x[a]);
    return off;
}

/* Enthalpy of all at a common temperature beside their offsets, less what they have; J/kg. rise: what a
 * kelvin more adds. */
static double excess(double *rise, const blend *t, const group *q, const deed *w, const middle *m,
                     double temperature) {
    double sum = 0;
    *rise = 0;
    for (size_t i = q->from; i < q->end; ++i) {
        const double at = temperature + offset_at(t, q, w, m, i);
        sum += heat_enthalpy(law_at(t, i), at) - (double)t->p->extra[t->in->column.enthalpy][i];
        *rise += capacity_at(law_at(t, i), at);
    }
    return sum;
}

/* The temperature at which a melting cell has the heat that it has: what it would be by slopes alone gives
 * particles at the end of melting heat that was for others. Newton's steps end on a straight piece, and are
 * halvings where they would leave what is known to hold the answer. */
static double common_temperature(const blend *t, const group *q, const deed *w, const middle *m) {
    double low = INFINITY, high = -INFINITY, rise;
    for (size_t i = q->from; i < q->end; ++i) {
        const double own = (double)heat_temperature(law_at(t, i), t->p->extra[t->in->column.enthalpy][i]) -
                           offset_at(t, q, w, m, i);
        low = fmin(low, own);
        high = fmax(high, own);
    }
    double at = 0.5 * (low + high);
    for (int step = 0; step < 60 && low < high; ++step) {
        const double over = excess(&rise, t, q, w, m, at), next = at - over / rise;
        if (fabs(next - at) <= 1e-12 * (1 + fabs(at))) return next;
        *(over < 0 ? &low : &high) = at;
        at = next > low && next < high ? next : 0.5 * (low + high);
    }
    return at;
}

static void meet_in_one(const blend *t, const group *q, const deed *w, const middle *m) {
    double rise;
    float *h = t->p->extra[t->in->column.enthalpy], *rest = t->p->extra[t->in->column.rest];
    const double common = common_temperature(t, q, w, m);
    const double left = excess(&rise, t, q, w, m, common) / (double)(q->end - q->from);
    for (size_t i = q->from; i < q->end; ++i) {
        const double at = common + offset_at(t, q, w, m, i);
        add_kept(&h[i], &rest[i], heat_enthalpy(law_at(t, i), at) - (double)h[i] - left);
    }
}

/* Each takes the cell's change by its law; then all come to a temperature. */
static void melt_particles(const blend *t, const group *q, const deed *w, const middle *m, double lost) {
    float *h = t->p->extra[t->in->column.enthalpy], *rest = t->p->extra[t->in->column.rest];
    for (size_t i = q->from; i < q->end; ++i) {
        const double own = (double)heat_temperature(law_at(t, i), h[i]);
        const double by = (double)w->change - lost * (own - (double)w->before - (double)m->beyond);
        const int zone = h[i] > law_at(t, i)->cold[1] && h[i] < law_at(t, i)->warm[1];
        add_kept(&h[i], &rest[i],
                 by * (double)(zone ? law_at(t, i)->melting_capacity : law_at(t, i)->capacity));
    }
    meet_in_one(t, q, w, m);
}

/* ---- cells ---- */

INLINE void blend_cell(const blend *t, const group *q, const plan *a, int n, int melts) {
    const law_lanes all = law_of_all(&t->in->law[t->p->fluid[q->from]], melts);
    const int sloped = a->sloped[n / LANES] >> n % LANES & 1;
    deed w = {.change = t->change[q->cell], .before = t->cells->temperature[q->cell]};
    for (int d = 0; d < t->p->dim && sloped; ++d) w.slope[d] = a->slope[d][n];
    middle m = {.beyond = t->cells->beyond[q->cell], .melts = melts && find_melting(t, q, &all)};
    if (sloped) find_centre(&m, t, q, &all, melts);
    w.share = m.melts ? 1 : a->share[n];
    w.gone = a->lost[n] + w.share * (1 - a->lost[n]);
    if (sloped) limit_slopes(w.slope, t, q, &m, a->room[n]);
    if (!melts || stays_straight(t, q, &all, &w, &m, sloped))
        change_particles(t, q, &all, &w, &m, sloped, melts);
    else melt_particles(t, q, &w, &m, (double)a->lost[n]);
}

INLINE void blend_rows(const blend *t, int block, int dim, int melts) {
    const box *b = &t->in->g->box;
    const int last = (block + 1) * ROWS_PER_BLOCK, rows = range_rows(&t->range);
    const size_t stop = t->p->cell_start[(size_t)b->n[0] * (size_t)(last < rows ? last : rows)];
    plan a;
    FOR_ROWS(&t->range, block, j, k) {
        const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
        if (start[0] == start[b->n[0]]) continue;
        for (int from = 0; from < b->n[0]; from += PIECE) {
            const int count = b->n[0] - from < PIECE ? b->n[0] - from : PIECE;
            const ptrdiff_t c = box_at(b, from, j, k);
            find_plan(&a, t, c, count, dim);
            for (int n = 0; n < count; ++n) {
                const size_t first = start[from + n], end = start[from + n + 1];
                if (first == end || !(a.acts[n / LANES] >> n % LANES & 1)) continue;
                const int one = law_is_one(t->in, t->p->fluid + first, end - first);
                blend_cell(t, &(group){first, end, stop, c + n, {from + n, j, k}, one}, &a, n, melts);
            }
        }
    }
}

HOT static void blend_task(void *context, int block) {
    const blend *t = context;
    const int flat = t->in->g->box.dim == 2;
    if (flat && t->melts) blend_rows(t, block, 2, 1);
    else if (flat) blend_rows(t, block, 2, 0);
    else if (t->melts) blend_rows(t, block, 3, 1);
    else blend_rows(t, block, 3, 0);
}

static void change_task(void *context, int block) {
    const blend *t = context;
    float *temperature = t->cells->temperature;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&t->in->g->box, 0, j, k);
        for (ptrdiff_t c = row; c < row + t->in->g->box.n[0]; ++c) temperature[c] += t->change[c];
    }
}

void heat_to_particles(particles *p, const heat_cells *cells, const float *change, const heat_input *in) {
    const mac_grid *g = in->g;
    blend t = {.p = p, .cells = cells, .change = change, .in = in, .range = range_cells(g)};
    t.share_rate = (float)(2 * g->box.dim * in->dt * pow(g->dx, g->box.dim - 2));
    t.noise = (float)(ROUNDING * in->farthest);
    t.least = (float)(ROUNDING * ROUNDING * in->farthest);
    t.melts = law_melts(in->law, in->laws);
    parallel_for(g->pool, range_blocks(&t.range), blend_task, &t);
    parallel_for(g->pool, range_blocks(&t.range), change_task, &t);
}
