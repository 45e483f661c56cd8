/* What a projection leaves: the fastest face and the largest divergence.
 *
 *   |u|_a = max over known faces across axis a,   |div u| = max_c |sum_f +-(A_f u_f + (1 - A_f) w_f) - s_c| /
 * dx
 *
 * with s_c the source of a cell. Bits of a non-negative float compare as integers do, infinities and NaN on
 * top.
 *
 * Source: the balance of stage/pressure/projection.c.
 *
 * Limits: cells without an open face, and those where a void opens, have no divergence. */
#include "stage/pressure/parts.h"

#include <math.h>
#include <string.h>
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *phi, *source;
    const mac_field *u;
    cell_range range;
    const uint8_t *voids;
    int axis;
} job;

INLINE double divergence_block(const job *s, int block, int dim) {
    const int n = s->g->box.n[0], walls = s->o->wall.value[0] != NULL, moves[3] = {walls, walls, walls};
    const int8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    int8 most = {0};
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        if (!row_is_wet(s->phi + row, n)) continue;
        for (int i = 0; i < n; i += LANES) {
            const ptrdiff_t c = row + i;
            vec8 wide = {0}, out = outflow_of(s->o, s->u, &s->g->box, c, moves, dim);
            for (int a = 0; a < dim; ++a)
                wide += vec8_load(s->o->open.value[a] + c) +
                        vec8_load(s->o->open.value[a] + c + s->g->box.step[a]);
            int8 counts = (vec8_load(s->phi + c) < 0) & (wide > 0) & (lane < n - i);
            if (s->voids) counts &= ~mask_load(s->voids + c);
            if (s->source) out -= vec8_load(s->source + c);
            const int8 size = (int8)out & 0x7fffffff & counts, more = size > most;
            most = (size & more) | (most & ~more);
        }
    }
    float each[LANES], largest = 0;
    memcpy(each, &most, sizeof each);
    for (int i = 0; i < LANES; ++i) largest = each[i] > largest || isnan(each[i]) ? each[i] : largest;
    return (double)largest;
}

INLINE double speed_block(const job *s, int block) {
    const float deep = -WET_MIN * (float)s->g->dx;
    const ptrdiff_t step = s->g->box.step[s->axis];
    int32_t most = 0;
    FOR_ROWS(&s->range, block, j, k) {
        if (!is_wet_row(s->phi, s->g, s->axis, j, k)) continue;
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        const float *open = s->o->open.value[s->axis] + row, *phi = s->phi + row,
                    *u = s->u->value[s->axis] + row;
        const uint16_t *mover = s->o->mover[s->axis] ? s->o->mover[s->axis] + row : NULL;
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            int32_t bits;
            memcpy(&bits, u + i, sizeof bits);
            const int set = ((phi[i] < deep) | (phi[i - step] < deep)) & face_is_wide(open, mover, i);
            bits = set ? bits & 0x7fffffff : 0;
            most = most > bits ? most : bits;
        }
    }
    float speed;
    memcpy(&speed, &most, sizeof speed);
    return isfinite(speed) ? (double)speed : INFINITY;
}

HOT static double divergence_task(void *context, int block) {
    const job *s = context;
    return s->g->box.dim == 3 ? divergence_block(s, block, 3) : divergence_block(s, block, 2);
}

HOT static double speed_task(void *context, int block) {
    return speed_block(context, block);
}

void pressure_speed(double speed[3], const mac_field *u, const mac_grid *g, const openings *o,
                    const float *phi) {
    job s = {.g = g, .o = o, .phi = phi, .u = u};
    speed[2] = 0;
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        speed[s.axis] = parallel_max(g->pool, range_blocks(&s.range), speed_task, &s);
    }
}

double pressure_divergence(const mac_field *u, const mac_grid *g, const openings *o, const float *phi,
                           const float *source, const uint8_t *voids) {
    job s = {.g = g, .o = o, .phi = phi, .source = source, .voids = voids, .u = u};
    s.range = range_cells(g);
    return parallel_max(g->pool, range_blocks(&s.range), divergence_task, &s) / g->dx;
}
