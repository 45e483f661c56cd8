/* A square lattice of half a cell, so that its density is 1 and boxes that end on it are full to their sides.
 * Jitter moves each particle by up to its share of half a spacing, by its number. */
#include "stage/sph/lattice.h"

#include <math.h>
#include "core/random.h"

#define CLEAR                                                                                                \
    0.15 /* cells that a particle keeps from a solid: a little more than half a spacing is usual             \
          */

static int is_inside(const sph_filling *s, const double x[3]) {
    for (int i = 0; i < s->before; ++i)
        if (shape_distance(s->shapes[i], x) < 0) return 0;
    for (int i = s->before; i < s->before + s->count; ++i)
        if (shape_distance(s->shapes[i], x) < 0) return 1;
    return 0;
}

static int is_in_solid(const sph_filling *s, const double x[3], double dx) {
    for (int i = 0; i < s->solid_count; ++i) {
        if (obstacle_is_beyond(&s->solids[i], x, CLEAR * dx)) continue;
        if (obstacle_distance(&s->solids[i], x) < CLEAR * dx) return 1;
    }
    return 0;
}

static int append(particles *p, const float at[3], uint32_t id, const sph_filling *s) {
    if (p->count == p->capacity && particles_reserve(p, p->capacity + p->capacity / 8 + 1024)) return -1;
    const size_t q = p->count++;
    for (int a = 0; a < p->dim; ++a) {
        p->x[a][q] = at[a];
        p->v[a][q] = (float)s->velocity[a];
    }
    for (int e = 0; e < p->extra_count; ++e) p->extra[e][q] = 0;
    p->id[q] = id;
    p->fluid[q] = s->fluid;
    p->spray[q] = 0;
    return 0;
}

/* Lattice places that the shapes' bounds touch. */
static void bounds_of(int lower[3], int upper[3], const mac_grid *g, const sph_filling *s) {
    for (int a = 0; a < 3; ++a) {
        lower[a] = a < g->box.dim ? 2 * g->box.n[a] : 0;
        upper[a] = a < g->box.dim ? 0 : 1;
    }
    for (int i = s->before; i < s->before + s->count; ++i) {
        double low[3], high[3];
        shape_bounds(low, high, s->shapes[i]);
        for (int a = 0; a < g->box.dim; ++a) {
            const double most = 2 * g->box.n[a], from = floor(2 * (low[a] - g->origin[a]) / g->dx);
            const double to = ceil(2 * (high[a] - g->origin[a]) / g->dx);
            lower[a] = (int)fmin(lower[a], fmax(0, from));
            upper[a] = (int)fmax(upper[a], fmin(most, to));
        }
    }
}

long sph_fill(particles *p, long *rejected, uint32_t *next_id, const mac_grid *g, const sph_filling *s) {
    int lower[3], upper[3];
    long added = 0;
    *rejected = 0;
    bounds_of(lower, upper, g, s);
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) {
                const int at[3] = {i, j, k};
                const uint64_t place =
                    (uint64_t)i +
                    2 * (uint64_t)g->box.n[0] * ((uint64_t)j + 2 * (uint64_t)g->box.n[1] * (uint64_t)k);
                float cells[3] = {0, 0, 0};
                double x[3];
                for (int a = 0; a < g->box.dim; ++a) {
                    const double shift = s->jitter * ((double)random_unit(s->seed, place, (uint64_t)a) - 0.5);
                    cells[a] = (float)(0.5 * (at[a] + 0.5 + shift));
                }
                mac_place(x, g, (double)cells[0], (double)cells[1], (double)cells[2]);
                if (!is_inside(s, x)) continue;
                if (is_in_solid(s, x, g->dx)) {
                    ++*rejected;
                    continue;
                }
                if (append(p, cells, (*next_id)++, s)) return -1;
                ++added;
            }
    return added;
}
