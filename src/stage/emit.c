/* Seeding shapes with particles, one an octant (Sommer 2018: 8 a cell, jittered). */
#include "stage/emit.h"

#include <math.h>
#include "grid/sample.h"
#include "particle/seed.h"

typedef struct {
    const shape *s;
    const mac_grid *g;
    const float *solid;
    float owed; /* share of octants cut by solids that is still to be filled */
    int64_t rejected;
} judge;

static int accept(void *context, const double x[3]) {
    judge *j = context;
    if (shape_distance(j->s, x) >= 0) return 0;
    if (!j->solid) return 1;
    float cells[3];
    for (int a = 0; a < 3; ++a) cells[a] = (float)((x[a] - j->g->origin[a]) / j->g->dx);
    /* Of an octant cut by a wall only a share is open. Filling it whole or not at all would raise or lower
     * the liquid along the wall and start waves: as many octants are filled as the shares add up to. A
     * particle that lands in the wall is moved out by the next step. */
    const float share = 0.5f + sample_nodes(j->solid, j->g, cells) / (float)(0.5 * j->g->dx);
    if (share >= 1) return 1;
    j->owed += share > 0 ? share : 0;
    if (share > 0 && j->owed >= 0.5f) {
        j->owed -= 1;
        return 1;
    }
    ++j->rejected;
    return 0;
}

/* The cells that a shape's bounds touch. */
static void touched_cells(int lower[3], int upper[3], const mac_grid *g, const shape *s) {
    double low[3], high[3];
    shape_bounds(low, high, s);
    for (int a = 0; a < 3; ++a) {
        const double from = floor((low[a] - g->origin[a]) / g->dx),
                     to = ceil((high[a] - g->origin[a]) / g->dx);
        lower[a] = from > 0 ? (int)fmin(from, g->box.n[a]) : 0;
        upper[a] = to < g->box.n[a] ? (int)fmax(to, 0) : g->box.n[a];
    }
    if (g->box.dim == 2) {
        lower[2] = 0;
        upper[2] = 1;
    }
}

static void push_inside(particles *p, const mac_grid *g, const shape *s, const int lower[3],
                        const int upper[3], const double velocity[3]) {
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j) {
            if (lower[0] >= upper[0]) continue;
            const uint32_t from = p->cell_start[box_dense(&g->box, lower[0], j, k)];
            const uint32_t to = p->cell_start[box_dense(&g->box, upper[0] - 1, j, k) + 1];
            for (uint32_t q = from; q < to; ++q) {
                double x[3] = {0, 0, g->origin[2] + 0.5 * g->dx};
                for (int a = 0; a < p->dim; ++a) x[a] = g->origin[a] + g->dx * (double)p->x[a][q];
                if (shape_distance(s, x) >= 0) continue;
                for (int a = 0; a < p->dim; ++a) p->v[a][q] = (float)velocity[a];
            }
        }
}

emission emit_shape(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                    const double velocity[3], int fluid, unsigned seed, const float *node_solid,
                    int only_empty) {
    judge j = {s, g, node_solid, 0, 0};
    particles_seeding seeding = {
        .accept = accept,
        .context = &j,
        .velocity = {velocity[0], velocity[1], velocity[2]},
        .fluid = (uint8_t)fluid,
        .seed = seed,
        .only_empty = only_empty,
    };
    touched_cells(seeding.lower, seeding.upper, g, s);
    if (only_empty) push_inside(p, g, s, seeding.lower, seeding.upper, velocity);
    const long added = particles_seed(p, g, &seeding, next_id);
    return (emission){added, j.rejected};
}
