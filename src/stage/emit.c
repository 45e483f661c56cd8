/* Seeding shapes with particles, one an octant (Sommer 2018: 8 a cell, jittered). */
#include "stage/emit.h"

#include <math.h>
#include "grid/sample.h"
#include "particle/seed.h"

#define EDGE 1e-3 /* cells from the domain's sides */

typedef struct {
    const shape *s;
    const mac_grid *g;
    const float *solid;
    double offset[3]; /* m: the lattice of candidates moves with the inflow */
    double back[3];   /* m: where a candidate was at the start of the step, from where it is; 0 for a fill */
    float owed;       /* share of octants cut by solids that is still to be filled */
    int64_t rejected;
} judge;

/* Inside the shape now, and for an inflow still outside when the step began. */
static int has_entered(const judge *j, const double x[3]) {
    if (shape_distance(j->s, x) >= 0) return 0;
    if (j->back[0] == 0 && j->back[1] == 0 && j->back[2] == 0) return 1;
    return shape_distance(j->s, (const double[3]){x[0] - j->back[0], x[1] - j->back[1], x[2] - j->back[2]}) >=
           0;
}

static int is_in_domain(const judge *j, const double x[3]) {
    for (int a = 0; a < j->g->box.dim; ++a) {
        const double cells = (x[a] - j->g->origin[a]) / j->g->dx;
        if (cells < EDGE || cells > j->g->box.n[a] - EDGE) return 0;
    }
    return 1;
}

static int accept(void *context, const double place[3]) {
    judge *j = context;
    const double x[3] = {place[0] + j->offset[0], place[1] + j->offset[1], place[2] + j->offset[2]};
    if (!has_entered(j, x) || !is_in_domain(j, x)) return 0;
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

static emission seed_accepted(particles *p, uint32_t *next_id, const particles_seeding *seeding, judge *j) {
    const size_t before = p->count;
    const long added = particles_seed(p, j->g, seeding, next_id);
    for (int a = 0; a < p->dim && added > 0; ++a)
        for (size_t q = before; q < p->count; ++q) p->x[a][q] += (float)(j->offset[a] / j->g->dx);
    return (emission){added, j->rejected};
}

emission emit_fill(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                   const double velocity[3], int fluid, unsigned seed, const float *node_solid) {
    judge j = {.s = s, .g = g, .solid = node_solid};
    particles_seeding seeding = {
        .accept = accept,
        .context = &j,
        .velocity = {velocity[0], velocity[1], velocity[2]},
        .fluid = (uint8_t)fluid,
        .seed = seed,
        .only_empty = p->count > 0,
    };
    touched_cells(seeding.lower, seeding.upper, g, s);
    return seed_accepted(p, next_id, &seeding, &j);
}

emission emit_inflow(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                     const double velocity[3], int fluid, unsigned seed, const float *node_solid, double time,
                     double dt) {
    judge j = {.s = s, .g = g, .solid = node_solid};
    const double octant = 0.5 * g->dx;
    particles_seeding seeding = {
        .accept = accept,
        .context = &j,
        .velocity = {velocity[0], velocity[1], velocity[2]},
        .fluid = (uint8_t)fluid,
        .seed = seed,
    };
    touched_cells(seeding.lower, seeding.upper, g, s);
    push_inside(p, g, s, seeding.lower, seeding.upper, velocity);
    for (int a = 0; a < p->dim; ++a) {
        const double path = velocity[a] * (time + dt);
        j.back[a] = velocity[a] * dt;
        j.offset[a] = path - octant * floor(path / octant);
        if (seeding.lower[a] > 0) seeding.lower[a] -= 1; /* candidates move by up to an octant */
    }
    if (j.back[0] == 0 && j.back[1] == 0 && j.back[2] == 0) return (emission){0, 0};
    return seed_accepted(p, next_id, &seeding, &j);
}

void emit_velocity(mac_field *u, const mac_grid *g, const shape *s, const double velocity[3]) {
    int lower[3], upper[3];
    touched_cells(lower, upper, g, s);
    for (int axis = 0; axis < g->box.dim; ++axis)
        for (int k = lower[2]; k < upper[2]; ++k)
            for (int j = lower[1]; j < upper[1]; ++j)
                for (int i = lower[0]; i < upper[0]; ++i) {
                    const double at[3] = {i + 0.5 * (axis != 0), j + 0.5 * (axis != 1),
                                          k + 0.5 * (axis != 2)};
                    double x[3];
                    for (int a = 0; a < 3; ++a) x[a] = g->origin[a] + g->dx * at[a];
                    if (shape_distance(s, x) < 0)
                        u->value[axis][box_at(&g->box, i, j, k)] = (float)velocity[axis];
                }
}
