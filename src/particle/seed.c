/* Jittered seeding: in octant o of cell c, x = corner(c, o) + (r1, r2, r3) / 2 with r uniform in [0, 1) from
 * the counter-based generator, kept strictly inside the octant also after rounding.
 *
 * Two passes: the first asks for every candidate and keeps a bit an octant, the second appends; so the set
 * grows once. Limits: with only_empty, what was appended since the last sort is not seen.
 *
 * A moving lattice has one candidate an octant as well, but its layers are shifted across by a sequence of
 * low discrepancy: the mean number within an opening of area A is A / octant^2 over few layers, also for a
 * round one. Hat functions of a cell's width see an even density whatever the shift. */
#include "particle/seed.h"

#include <assert.h>
#include <math.h>
#include "core/memory.h"
#include "core/random.h"

typedef struct range {
    int lower[3], n[3];
    size_t cells;
} range;

/* How far a particle may stray from the middle of its octant, of the octant's half width. All of it would
 * make the density of a fresh fill uneven by five percent, which then takes seconds to settle; some of it
 * avoids lattice artefacts. */
#define JITTER 0.25f

/* A moving lattice is off the middles of octants by this much of one, so that rounding does not decide in
 * which of two steps a layer passes an opening that lies there. */
#define LATTICE_NUDGE -1.4142135e-4

static range clip_range(const box *b, const particles_seeding *s) {
    range r = {.cells = 1};
    for (int a = 0; a < 3; ++a) {
        int low = a < b->dim && s->lower[a] > 0 ? s->lower[a] : 0;
        int high = a < b->dim && s->upper[a] < b->n[a] ? s->upper[a] : b->n[a];
        r.lower[a] = low;
        r.n[a] = high > low ? high - low : 0;
        r.cells *= (size_t)r.n[a];
    }
    return r;
}

static void range_cell(int cell[3], const range *r, size_t c) {
    size_t nx = (size_t)r->n[0], ny = (size_t)r->n[1];
    cell[0] = r->lower[0] + (int)(c % nx);
    cell[1] = r->lower[1] + (int)(c / nx % ny);
    cell[2] = r->lower[2] + (int)(c / nx / ny);
}

static void candidate(float x[3], const box *b, const int cell[3], int octant, uint64_t seed) {
    uint64_t dense = box_dense(b, cell[0], cell[1], cell[2]);
    for (int a = 0; a < b->dim; ++a) {
        float low = (float)cell[a] + 0.5f * (float)(octant >> a & 1), high = low + 0.5f;
        float at =
            low + 0.25f + 0.5f * JITTER * (random_unit(seed, dense, (uint64_t)(octant * 3 + a)) - 0.5f);
        x[a] = at < high ? at : nextafterf(high, low);
    }
}

/* A bit for each octant of the cell that holds a particle of the sorted set. */
static unsigned filled_octants(const particles *p, const box *b, const int cell[3]) {
    size_t dense = box_dense(b, cell[0], cell[1], cell[2]);
    unsigned filled = 0;
    for (uint32_t q = p->cell_start[dense]; q < p->cell_start[dense + 1]; ++q) {
        unsigned octant = 0;
        for (int a = 0; a < b->dim; ++a)
            if (p->x[a][q] - (float)cell[a] >= 0.5f) octant |= 1u << a;
        filled |= 1u << octant;
    }
    return filled;
}

static size_t choose(uint8_t *chosen, const particles *p, const mac_grid *g, const particles_seeding *s,
                     const range *r) {
    const box *b = &g->box;
    int octants = 1 << b->dim;
    size_t count = 0;
    for (size_t c = 0; c < r->cells; ++c) {
        int cell[3];
        range_cell(cell, r, c);
        unsigned skip = s->only_empty ? filled_octants(p, b, cell) : 0;
        for (int o = 0; o < octants; ++o) {
            if (skip >> o & 1) continue;
            float x[3] = {0};
            candidate(x, b, cell, o, s->seed);
            double world[3];
            for (int a = 0; a < 3; ++a) world[a] = g->origin[a] + g->dx * (double)x[a];
            if (s->accept && !s->accept(s->context, world)) continue;
            chosen[c] |= (uint8_t)(1u << o);
            ++count;
        }
    }
    return count;
}

static void append(particles *p, const particles_seeding *s, const float x[3], uint32_t id) {
    size_t i = p->count++;
    for (int a = 0; a < p->dim; ++a) {
        p->x[a][i] = x[a];
        p->v[a][i] = (float)s->velocity[a];
    }
    for (int e = 0; e < p->extra_count; ++e) p->extra[e][i] = 0;
    p->id[i] = id;
    p->fluid[i] = s->fluid;
    p->spray[i] = 0;
}

/* Emitters add a little every step: past the first fill the set grows by an eighth at least. */
static int reserve(particles *p, size_t more) {
    size_t wanted = p->count + more;
    if (wanted <= p->capacity) return 0;
    size_t roomy = p->count ? wanted + wanted / 8 : wanted;
    return particles_reserve(p, roomy) ? particles_reserve(p, wanted) : 0;
}

long particles_seed(particles *p, const mac_grid *g, const particles_seeding *s, uint32_t *next_id) {
    const box *b = &g->box;
    range r = clip_range(b, s);
    if (!r.cells) return 0;
    uint8_t *chosen = mem_alloc(r.cells);
    if (!chosen) return -1;
    size_t count = choose(chosen, p, g, s, &r);
    if (reserve(p, count)) {
        mem_free(chosen);
        return -1;
    }
    for (size_t c = 0; c < r.cells; ++c) {
        int cell[3];
        range_cell(cell, &r, c);
        for (int o = 0; o < 1 << b->dim; ++o) {
            float x[3];
            if (!(chosen[c] >> o & 1)) continue;
            candidate(x, b, cell, o, s->seed);
            append(p, s, x, (*next_id)++);
        }
    }
    mem_free(chosen);
    return (long)count;
}

/* Where a layer lies across: the multiples of these, of which no few are near a whole number in all axes at
 * once (the golden number; in space the powers of the plastic number). */
static double layer_shift(int dim, int across, int64_t layer, double origin) {
    const double step = dim == 2 ? 0.6180339887498949 : across ? 0.5698402909980532 : 0.7548776662466927;
    const double turns = origin + step * (double)layer;
    return turns - floor(turns);
}

/* A candidate, in cells. */
static void lattice_point(double x[3], int dim, const moving_lattice *l, const int64_t index[3],
                          double origin) {
    for (int a = 0; a < 3; ++a) {
        const int across = (a - l->axis + 3) % 3 == 2;
        const double shift =
            a == l->axis ? LATTICE_NUDGE : layer_shift(dim, across, index[l->axis], origin) - 0.5;
        x[a] = a < dim ? l->moved[a] + 0.5 * ((double)index[a] + 0.5 + shift) : 0;
    }
}

long particles_seed_moving(particles *p, const mac_grid *g, const particles_seeding *s,
                           const moving_lattice *l, uint32_t *next_id) {
    const box *b = &g->box;
    const size_t before = p->count;
    const uint32_t first = *next_id;
    const double origin = (double)random_unit(s->seed, 0, 0);
    int64_t low[3] = {0, 0, 0}, high[3] = {1, 1, 1}, at[3];
    for (int a = 0; a < b->dim; ++a) { /* shifts are less than an octant */
        low[a] = (int64_t)floor(2 * (s->lower[a] - l->moved[a])) - 1;
        high[a] = (int64_t)ceil(2 * (s->upper[a] - l->moved[a])) + 1;
    }
    for (at[2] = low[2]; at[2] < high[2]; ++at[2])
        for (at[1] = low[1]; at[1] < high[1]; ++at[1])
            for (at[0] = low[0]; at[0] < high[0]; ++at[0]) {
                double middle[3], world[3];
                float x[3];
                lattice_point(middle, b->dim, l, at, origin);
                for (int a = 0; a < 3; ++a) world[a] = g->origin[a] + g->dx * middle[a];
                if (!s->accept(s->context, world)) continue;
                if (reserve(p, 1)) {
                    p->count = before;
                    *next_id = first;
                    return -1;
                }
                for (int a = 0; a < b->dim; ++a) x[a] = (float)middle[a];
                append(p, s, x, (*next_id)++);
            }
    return (long)(p->count - before);
}
