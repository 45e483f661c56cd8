/* Velocities on the faces of surface cells (Carlson 2004, 3.2.3.4).
 *
 *   u_right - u_left + v_top - v_bottom + w_front - w_back = 0        (22)
 *
 * A surface cell has 1 to 6 faces towards air: 63 cases (15 in a plane). Carlson goes through them by their
 * number; all of them follow from looking at the axes one by one. An axis has no air face, one (a single) or
 * two (a pair).
 *   - With singles: each copies the velocity of the opposite face, so that its axis adds nothing to (22), and
 *     what the other axes (pairs included) leave over is shared equally among the singles. That is his
 *     equation 23 for one face, "half the difference" for two corner faces, the plain copy for three, and
 *     his choices for 1 single + 1 pair, 2 singles + 1 pair and 1 single + 2 pairs.
 *   - Pairs on two axes and no single (4 faces): a quarter of the divergence is taken from each face.
 *   - One pair and nothing else, or air all around: nothing is done. Drips and films then fall by gravity
 *     alone, and the pressure, which includes surface cells, takes out what divergence they have.
 * A face alone with four or five others' divergence would get up to five times their speed, and keep it: the
 * noise that Carlson reports for such cells. So where the rule would make a face faster than the fastest face
 * of its cell was, the cell is left to the pressure as well, which spreads the change over all its faces.
 * Cells through which an emitter's liquid enters are not divergence-free: their faces towards air rest, but
 * for those behind the inflow, which take what the source leaves over of (22), and other faces that the
 * emitter closes in part move with it.
 * In a plane the third axis has no faces; two pairs are then air all around.
 *
 * Limits: air faces count as fully open, so next to cut solids (22) holds only after the projection. */
#include <math.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "stage/mac/mac.h"

/* Faces of an axis that have air behind them, as bits 1 (low) and 2 (high). */
INLINE unsigned air_of_axis(unsigned air, int axis) {
    return air >> 2 * axis & 3u;
}

INLINE float outflow(const float face[6], int dim) {
    float sum = 0;
    for (int a = 0; a < dim; ++a) sum += face[2 * a + 1] - face[2 * a];
    return sum;
}

/* Adds to the outflow through each of the given faces. */
INLINE void add_outflow(float face[6], unsigned faces, float flow, int dim) {
    for (int f = 0; f < 2 * dim; ++f)
        if (faces >> f & 1u) face[f] += f % 2 ? flow : -flow;
}

int mac_continuity(float face[6], unsigned air, int dim) {
    unsigned single_faces = 0;
    int singles = 0, pairs = 0;
    for (int a = 0; a < dim; ++a) {
        const unsigned side = air_of_axis(air, a);
        pairs += side == 3;
        if (side != 1 && side != 2) continue;
        singles += 1;
        single_faces |= side << 2 * a;
        if (side == 1) face[2 * a] = face[2 * a + 1];
        else face[2 * a + 1] = face[2 * a];
    }
    if (singles) add_outflow(face, single_faces, -outflow(face, dim) / (float)singles, dim);
    else if (pairs == 2 && dim == 3) add_outflow(face, air, -outflow(face, dim) / 4, dim);
    else return 0;
    return 1;
}

INLINE float fastest(const float face[6], int dim) {
    float most = 0;
    for (int f = 0; f < 2 * dim; ++f) most = fmaxf(most, fabsf(face[f]));
    return most;
}

typedef struct {
    const mac_grid *g;
    mac_field *u;
    const uint8_t *kind;
    const openings *o;
    const float *source;
    cell_range range;
} job;

/* A cell through which an emitter's liquid comes in. Its faces towards air are at rest, but for those behind
 * the inflow, which take what the inflow leaves over. */
INLINE void rest_beside_inflow(float face[6], unsigned air, float source, int dim) {
    unsigned behind = 0;
    int count = 0;
    for (int f = 0; f < 2 * dim; ++f) {
        if (!(air >> f & 1u)) continue;
        const float across = air >> (f ^ 1) & 1u ? 0 : face[f ^ 1];
        const int is_behind = f % 2 ? across < 0 : across > 0;
        behind |= (unsigned)is_behind << f;
        count += is_behind;
        face[f] = 0;
    }
    if (count) add_outflow(face, behind, (source - outflow(face, dim)) / (float)count, dim);
}

/* What passes through a face, as a velocity: the open share moves with the liquid, the rest with the wall. */
INLINE float passing(const job *s, int axis, ptrdiff_t n) {
    const float open = s->o->open.value[axis][n];
    const float wall = s->o->wall.value[axis] ? s->o->wall.value[axis][n] : 0;
    return open * s->u->value[axis][n] + (1 - open) * wall;
}

INLINE void close_cell(const job *s, ptrdiff_t c, int dim) {
    const box *b = &s->g->box;
    float face[6] = {0};
    unsigned air = 0;
    for (int f = 0; f < 2 * dim; ++f) {
        const int a = f / 2;
        const ptrdiff_t at = f % 2 ? c + b->step[a] : c, behind = f % 2 ? c + b->step[a] : c - b->step[a];
        const int towards_air = s->kind[behind] == MAC_EMPTY && s->o->open.value[a][at] > 0;
        air |= (unsigned)towards_air << f;
        face[f] = towards_air ? s->u->value[a][at] : passing(s, a, at);
    }
    const float before = fastest(face, dim), source = s->source ? s->source[c] : 0;
    if (!air) return;
    if (source > 0) rest_beside_inflow(face, air, source, dim);
    else if (!mac_continuity(face, air, dim) || fastest(face, dim) > before) return;
    for (int f = 0; f < 2 * dim; ++f)
        if (air >> f & 1u) s->u->value[f / 2][f % 2 ? c + b->step[f / 2] : c] = face[f];
}

/* Faces of a source cell that the emitter closes in part move with it as a whole: what there is of liquid in
 * the rest is what it has just brought. Left to themselves they gather momentum along the inflow, step by
 * step. */
static void follow_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (ptrdiff_t c = row; c < row + b->n[0]; ++c)
            for (int f = 0; f < 2 * b->dim && s->source[c] > 0; ++f) {
                const int a = f / 2;
                const ptrdiff_t at = f % 2 ? c + b->step[a] : c;
                if (f % 2 && s->source[at] > 0) continue; /* that cell's own */
                if (s->o->open.value[a][at] < 1) s->u->value[a][at] = s->o->wall.value[a][at];
            }
    }
}

/* An air face has liquid on one side only, so no two cells write the same one. */
static void close_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            if (s->kind[row + i] != MAC_LIQUID) continue;
            if (s->g->box.dim == 3) close_cell(s, row + i, 3);
            else close_cell(s, row + i, 2);
        }
    }
}

void mac_close_surface(mac_field *u, const mac_grid *g, const uint8_t *kind, const openings *o,
                       const float *source) {
    job s = {.g = g, .u = u, .kind = kind, .o = o, .source = source, .range = range_cells(g)};
    if (source) parallel_for(g->pool, range_blocks(&s.range), follow_task, &s);
    parallel_for(g->pool, range_blocks(&s.range), close_task, &s);
}
