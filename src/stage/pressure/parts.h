/* What the files of the projection share: how much of a face lies in liquid, and what flows out of cells. */
#ifndef STAGE_PRESSURE_PARTS_H
#define STAGE_PRESSURE_PARTS_H

#include "core/lanes.h"
#include "stage/pressure/pressure.h"

#define DEPTH_MIN 1e-4f /* cells that liquid is deep at least: it bounds the diagonal */
/* What a cell is liquid by at least, m. */
INLINE float least_depth(const mac_grid *g) {
    return DEPTH_MIN * (float)g->dx;
}

/* The share 1 / theta of a face between liquid (a < 0) and air (b >= 0). What is bounded is the liquid's
 * depth and not theta, face by face: pressures across the axes must stay in the ratio of the thetas, or a
 * cell that is liquid by less is pushed sideways by as much as gravity. */
INLINE float ghost(float a, float b, float least) {
    const float depth = -a > least ? -a : least;
    return (depth + b) / depth;
}

INLINE vec8 ghosts(vec8 a, vec8 b, vec8 least) {
    const vec8 depth = vec8_select(-a > least, -a, least);
    return (depth + b) / depth;
}

/* Sum of the fluxes out of eight cells of a row, in m/s. moves: the axes across which walls may; most faces
 * are wholly open, and no wall is read. */
INLINE vec8 outflow_of(const openings *o, const mac_field *u, const box *b, ptrdiff_t c, const int moves[3],
                       int dim) {
    vec8 sum = {0};
    for (int a = 0; a < dim; ++a) {
        const ptrdiff_t h = c + b->step[a];
        const vec8 low = vec8_load(o->open.value[a] + c), high = vec8_load(o->open.value[a] + h);
        sum += high * vec8_load(u->value[a] + h) - low * vec8_load(u->value[a] + c);
        if (!moves[a] || !mask_bits((low < 1) | (high < 1))) continue;
        const float *wall = o->wall.value[a];
        sum += (1 - high) * vec8_load(wall + h) - (1 - low) * vec8_load(wall + c);
    }
    return sum;
}

/* The system assembled last. */
poisson_system pressure_system(const pressure_work *work);
/* work->rhs <- source - D u of the unknowns. */
void pressure_find_rhs(const pressure_work *work, const mac_grid *g, const openings *o, const float *phi,
                       const mac_field *u);
/* What closed regions cannot swallow, beside the flow that walls push through them where that is larger than
 * what the solve has to mend: a vessel that moves with its water asks nearly nothing of pressure, and what is
 * left of that is rounding of its walls. */
void pressure_relate_to_walls(poisson_result *r, const pressure_work *work, const mac_grid *g,
                              const openings *o);
/* Faces along films flow more easily, by film_face.mobility: their coefficients, and what they lose of a
 * gradient beyond what others do. */
void pressure_scale_films(pressure_work *work, const mac_grid *g, const openings *o);
void pressure_move_films(mac_field *u, const float *q, const pressure_work *work, const mac_grid *g,
                         const openings *o);
#endif
