/* Viscosity of cells from particles, and the motion of solids around their surface.
 *
 * A cell has the mean of its particles' viscosity in the sense that edges use (harmonic, geometric,
 * arithmetic); what stress reaches beyond the last particle is filled from the cells around, two layers, each
 * from the one before alone, so that no order matters.
 *
 * Where a difference of velocities crosses a wall, the wall's velocity is asked for on both sides of it: the
 * rigid motion of a solid is continued from faces that it closes (stage/walls/movers.c) to those beside them.
 *
 * Limits: particles count in their own cell only; the motion of the first mover found beside a face wins. */
#include "stage/viscosity/viscosity_fields.h"

#include <math.h>
#include <string.h>
#include "grid/rows.h"

enum { FILL_LAYERS = 2, REACH = 2 };
static const float ON_WALL = 0.02f; /* cells, as in viscosity.c: a face so near a wall is the wall's */

/* ---- viscosity of cells ---- */

typedef struct mu_job {
    float *mu;
    const float *from;
    const mac_grid *g;
    const particles *parts;
    const double *by_fluid;
    const float *by_particle;
    viscosity_mean mean;
    cell_range range;
} mu_job;

/* Means are arithmetic ones of something; a liquid without viscosity makes the harmonic and the geometric 0.
 */
static double into_mean(double mu, viscosity_mean mean) {
    return mean == VISCOSITY_HARMONIC ? 1 / mu : mean == VISCOSITY_GEOMETRIC ? log(mu) : mu;
}
static double from_mean(double sum, viscosity_mean mean) {
    return mean == VISCOSITY_HARMONIC ? 1 / sum : mean == VISCOSITY_GEOMETRIC ? exp(sum) : sum;
}

static void mean_task(void *context, int block) {
    const mu_job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const uint32_t *start = s->parts->cell_start + box_dense(b, i, j, k);
            double sum = 0;
            for (uint32_t p = start[0]; p < start[1]; ++p)
                sum += into_mean(s->by_particle ? (double)s->by_particle[p] : s->by_fluid[s->parts->fluid[p]],
                                 s->mean);
            const uint32_t count = start[1] - start[0];
            s->mu[box_at(b, i, j, k)] = count ? (float)from_mean(sum / count, s->mean) : -1;
        }
    }
}

static void fill_task(void *context, int block) {
    const mu_job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(b, i, j, k);
            const int at[3] = {i, j, k};
            double sum = 0;
            int count = 0;
            s->mu[c] = s->from[c];
            for (int d = 0; d < 2 * b->dim && s->from[c] < 0; ++d) {
                const int a = d / 2, next = at[a] + (d % 2 ? 1 : -1);
                const ptrdiff_t n = c + (d % 2 ? b->step[a] : -b->step[a]);
                if (next < 0 || next >= b->n[a] || s->from[n] < 0) continue;
                sum += into_mean((double)s->from[n], s->mean);
                ++count;
            }
            if (count) s->mu[c] = (float)from_mean(sum / count, s->mean);
        }
    }
}

void viscosity_of_particles(float *mu, float *spare, const mac_grid *g, const particles *p,
                            const double *by_fluid, int fluids, const float *by_particle,
                            viscosity_mean mean) {
    mu_job s = {.mu = mu, .g = g, .parts = p, .by_fluid = by_fluid, .by_particle = by_particle, .mean = mean};
    s.range = range_cells(g);
    if (fluids == 1 && !by_particle) {
        for (size_t c = 0; c < g->box.size; ++c) mu[c] = (float)by_fluid[0];
        return;
    }
    parallel_for(g->pool, range_blocks(&s.range), mean_task, &s);
    for (int layer = 0; layer < FILL_LAYERS; ++layer) {
        memcpy(spare, mu, g->box.size * sizeof *mu);
        s.from = spare;
        parallel_for(g->pool, range_blocks(&s.range), fill_task, &s);
    }
}

/* ---- solids ---- */

typedef struct wall_job {
    mac_field *wall;
    uint16_t *const *of;
    const mac_grid *g;
    const openings *o;
    const obstacle *solids;
    const float *node_phi;
    const uint16_t *number;
    int axis;
    cell_range range;
} wall_job;

/* The moving solid at a face, or at the nearest face along an axis; 0: none. */
static uint16_t mover_near(const wall_job *s, const int at[3]) {
    const box *b = &s->g->box;
    const uint16_t *mover = s->o->mover[s->axis] + box_at(b, at[0], at[1], at[2]);
    if (*mover) return *mover;
    for (int reach = 1; reach <= REACH; ++reach)
        for (int a = 0; a < b->dim; ++a) {
            const ptrdiff_t step = reach * b->step[a];
            if (mover[-step]) return mover[-step];
            if (mover[step]) return mover[step];
        }
    return 0;
}

static float velocity_at(const wall_job *s, const obstacle *solid, const int at[3]) {
    const int a = s->axis, p = (a + 1) % 3, q = (a + 2) % 3;
    double x[3];
    mac_place(x, s->g, at[0] + (a != 0) * 0.5, at[1] + (a != 1) * 0.5, at[2] + (a != 2) * 0.5);
    const placement now = obstacle_felt(solid);
    return (float)(now.velocity[a] + now.spin[p] * (x[q] - now.position[q]) -
                   now.spin[q] * (x[p] - now.position[p]));
}

static void velocity_task(void *context, int block) {
    const wall_job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const int at[3] = {i, j, k};
            const uint16_t mover = mover_near(s, at);
            s->wall->value[s->axis][box_at(b, i, j, k)] =
                mover ? velocity_at(s, &s->solids[mover - 1], at) : 0;
        }
    }
}

void viscosity_wall_velocity(mac_field *wall, const mac_grid *g, const openings *o, const obstacle *solids) {
    wall_job s = {.wall = wall, .g = g, .o = o, .solids = solids};
    for (s.axis = 0; s.axis < g->box.dim && o->mover[0]; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), velocity_task, &s);
    }
}

/* Distance of a face's middle from solids: the mean of its nodes. */
static float face_distance(const wall_job *s, ptrdiff_t n) {
    const ptrdiff_t *step = s->g->box.step, p = step[(s->axis + 1) % 3], q = step[(s->axis + 2) % 3];
    if (s->g->box.dim == 2) return 0.5f * (s->node_phi[n] + s->node_phi[n + (s->axis == 0 ? step[1] : 1)]);
    return 0.25f * (s->node_phi[n] + s->node_phi[n + p] + s->node_phi[n + q] + s->node_phi[n + p + q]);
}

static void owner_task(void *context, int block) {
    const wall_job *s = context;
    const float wall = ON_WALL * (float)s->g->dx;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            const uint16_t mover = s->o->mover[s->axis][n];
            const uint16_t mine = mover ? s->number[mover - 1] : 0;
            s->of[s->axis][n] = mine && face_distance(s, n) <= wall ? mine : 0;
        }
    }
}

void viscosity_faces_of_bodies(uint16_t *const of[3], const mac_grid *g, const openings *o,
                               const float *node_phi, const uint16_t *number) {
    wall_job s = {.of = of, .g = g, .o = o, .node_phi = node_phi, .number = number};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), owner_task, &s);
    }
}

/* ---- slip ---- */

typedef struct slip_job {
    float *slip;
    const mac_grid *g;
    const float *node_phi;
    const obstacle *solids;
    const double *lengths;
    int count;
    cell_range range;
} slip_job;

static void slip_task(void *context, int block) {
    const slip_job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            int nearest = 0;
            double x[3], least = INFINITY;
            mac_place(x, s->g, i, j, k);
            for (int o = 0; o < s->count && fabsf(s->node_phi[n]) < REACH * (float)s->g->dx; ++o) {
                const double d = obstacle_distance(&s->solids[o], x);
                if (d < least) least = d, nearest = o;
            }
            s->slip[n] = (float)s->lengths[nearest];
        }
    }
}

void viscosity_slip_of_solids(float *slip, const mac_grid *g, const float *node_phi, const obstacle *solids,
                              const double *lengths, int count) {
    slip_job s = {slip, g, node_phi, solids, lengths, count, range_grow(range_nodes(g), g, GHOST - 1)};
    parallel_for(g->pool, range_blocks(&s.range), slip_task, &s);
}
