/* Velocity inside solids, where particles near a wall read it.
 *
 *   free slip:  u - min(0, (u - w) . n) n at the face itself,
 *   no slip:    w + (u_out - w) depth / STICK_DEPTH, u_out read STICK_DEPTH outside of the wall, depth < 0,
 *
 * n the solid's outward normal and w its velocity. Distances come from the nodes of the face and of the
 * planes behind and before it.
 *
 * Source: Batty et al. 2007, 3 (free slip); a straight profile through the wall (no slip).
 *
 * Limits: deeper than STICK_DEPTH no slip reads the solid's own velocity; liquid that the solid has just
 * reached moves as the solid does. */
#include "stage/walls/solids.h"

#include <math.h>
#include "grid/rows.h"
#include "grid/sample.h"
#include "stage/walls/tuning.h"

typedef struct {
    const mac_grid *g;
    const obstacle *solids;
    int count;
    const float *phi;
    const openings *open;
    mac_field *u;
    float *const *scratch;
    cell_range range;
    int axis, no_slip;
} job;

/* A face inside a solid: where it is, in cells, and what the distance has there. */
typedef struct {
    float x[3], depth, normal[3],
        square; /* depth < 0, in cells; normal as steep as the field, and |normal|^2 */
} buried_face;

/* From the nodes of the face and of the planes behind and before it, as samples half a cell to both sides
 * would have it. */
static buried_face bury(const job *s, int i, int j, int k) {
    const mac_grid *g = s->g;
    const int a = s->axis, corners = 1 << (g->box.dim - 1);
    const int p = a == 0 ? 1 : 0, q = a == 2 ? 1 : 2; /* the face's own axes; in 2D it has one */
    const float *node = s->phi + box_at(&g->box, i, j, k), each = 1 / (float)corners;
    buried_face f = {
        .x = {(float)i + (a != 0) * 0.5f, (float)j + (a != 1) * 0.5f, (float)k + (a != 2) * 0.5f}};
    for (int c = 0; c < corners; ++c) {
        const float *at = node + (c & 1) * g->box.step[p] + (c >> 1) * g->box.step[q];
        f.depth += each * at[0];
        f.normal[a] += 0.5f * each * (at[g->box.step[a]] - at[-g->box.step[a]]);
        f.normal[p] += (c & 1 ? 2 : -2) * each * at[0];
        if (g->box.dim == 3) f.normal[q] += (c >> 1 ? 2 : -2) * each * at[0];
    }
    f.depth /= (float)g->dx;
    for (int d = 0; d < g->box.dim; ++d) f.square += f.normal[d] * f.normal[d];
    return f;
}

/* The velocity of the solid that closes the face n at a place in cells. */
static void velocity_of_solid(double wall[3], const job *s, ptrdiff_t n, const float x[3]) {
    const int mover = s->open->mover[s->axis] ? s->open->mover[s->axis][n] : 0;
    double at[3];
    wall[0] = wall[1] = wall[2] = 0;
    mac_place(at, s->g, (double)x[0], (double)x[1], (double)x[2]);
    if (mover) placement_velocity(wall, &s->solids[mover - 1].now, at);
}

/* u - ((u - w) . n) n at a face inside a solid, n the solid's outward normal; one component of it. */
static float slide(const job *s, int i, int j, int k, ptrdiff_t n) {
    const buried_face f = bury(s, i, j, k);
    double wall[3];
    float u[3], into = 0;
    if (!(f.square > 0)) return s->u->value[s->axis][n];
    sample_faces(u, s->u, s->g, f.x);
    velocity_of_solid(wall, s, n, f.x);
    for (int d = 0; d < s->g->box.dim; ++d) into += (u[d] - (float)wall[d]) * f.normal[d];
    return u[s->axis] - (into < 0 ? into * f.normal[s->axis] / f.square : 0);
}

/* A straight profile from liquid that is clear of the wall, through w at the wall, into the solid: w + (u -
 * w) depth / STICK_DEPTH, so that what is read at the wall is w. Deeper than that nothing is read but by
 * liquid that the solid has just reached: it moves as the solid does. */
static float stick(const job *s, int i, int j, int k, ptrdiff_t n) {
    const buried_face f = bury(s, i, j, k);
    const float depth = lesser(greater(f.depth, -STICK_DEPTH), 0),
                turn = f.square > 0 ? 1 / sqrtf(f.square) : 0;
    float at_wall[3] = {0}, out[3] = {0}, u[3];
    double wall[3];
    for (int d = 0; d < s->g->box.dim; ++d) {
        at_wall[d] = f.x[d] - turn * f.normal[d] * depth;
        out[d] = at_wall[d] + turn * f.normal[d] * STICK_DEPTH;
    }
    velocity_of_solid(wall, s, n, at_wall);
    const float w = (float)wall[s->axis];
    if (!(f.square > 0) || !(depth < 0) || !(depth > -STICK_DEPTH)) return w;
    sample_faces(u, s->u, s->g, out);
    return w + (u[s->axis] - w) * depth / STICK_DEPTH;
}

/* A face inside a solid, but within reach of particles outside of it. Where liquid sticks, faces that are too
 * narrow for a velocity of their own are, too: carried over from wider ones it would slip. */
INLINE int is_buried(const job *s, ptrdiff_t n) {
    const float *open = s->open->open.value[s->axis];
    const int closed = s->no_slip ? !face_is_wide(open, s->open->mover[s->axis], n) : open[n] <= 0;
    return closed & (s->phi[n] > -(float)((GHOST - 1) * s->g->dx));
}

/* Most rows have none. */
HOT static int is_buried_row(const job *s, int j, int k) {
    const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
    int any = 0;
    for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) any |= is_buried(s, row + i);
    return any;
}

static void slide_task(void *context, int block) {
    const job *s = context;
    const int a = s->axis;
    FOR_ROWS(&s->range, block, j, k) {
        if (!is_buried_row(s, j, k)) continue;
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (!is_buried(s, n)) continue;
            s->scratch[a][n] = s->no_slip ? stick(s, i, j, k, n) : slide(s, i, j, k, n);
        }
    }
}

static void copy_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        if (!is_buried_row(s, j, k)) continue;
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (is_buried(s, n)) s->u->value[s->axis][n] = s->scratch[s->axis][n];
        }
    }
}

void solids_constrain(mac_field *u, float *const scratch[3], const mac_grid *g, const openings *o,
                      const float *node_phi, const obstacle *solids, int count, int no_slip) {
    job s = {.g = g, .phi = node_phi, .open = o, .u = u, .scratch = scratch, .no_slip = no_slip};
    s.solids = solids;
    s.count = count;
    for (int round = 0; round < 2; ++round) /* all components are read before one is written */
        for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
            s.range = range_faces(g, s.axis);
            s.range.lower[s.axis] += 1; /* the domain's own sides keep what the projection gave them */
            s.range.upper[s.axis] -= 1;
            parallel_for(g->pool, range_blocks(&s.range), round ? copy_task : slide_task, &s);
        }
}
