/* Quiet faces: those whose slow velocity is the surface's own error.
 *
 *   forget: A_f < NARROW beside the surface and |u| < quiet (up to HALF, a TENTH of it), or air across two
 *           axes and |u| < quiet_air: the face takes what extrapolation carries to it;
 *   recall: u = the slower of what was solved and what was carried there, 0 where they oppose each other.
 *
 * Pressure is zero on a surface known to a part of a cell only. Beside walls at rest that error drives a
 * current through narrow faces that never ends.
 *
 * Source: docs/decisions/0011-rest.md.
 *
 * Limits: wider and faster faces carry the contact line of waves along walls at 45 degrees, which then go
 * slow or gain (tests/validation/sim_slosh.c); faces of movers are never quiet. */
#include "stage/rest/rest.h"

#include <math.h>
#include "grid/extrapolate.h"
#include "grid/rows.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *phi;
    cell_range range;
    const mac_field *flow;
    mac_field *u;
    float *solved;
    uint8_t *layer;
    int axis;
    float quiet, quiet_air, *far;
} job;

#define LOUD INFINITY /* for a velocity: not quiet */
/* Shares of a face: up to NARROW it is quiet below the given speed, up to HALF below a tenth of it. */
#define NARROW 0.35f
#define HALF   0.5f
#define TENTH  0.1f

/* Narrow faces of a row, beside the surface, slower than what the surface's own error gives them. */
INLINE void quiet_row(const job *s, ptrdiff_t row, int n) {
    const float near = -(float)s->g->dx;
    const float *open = s->o->open.value[s->axis] + row, *phi = s->phi + row,
                *low = phi - s->g->box.step[s->axis], *u = s->flow->value[s->axis] + row;
    const uint16_t *mover = s->o->mover[s->axis] ? s->o->mover[s->axis] + row : NULL;
    uint8_t *layer = s->layer + row;
    float *solved = s->solved + row;
    for (int i = 0; i < n; ++i) {
        const int cut = (open[i] > 0) & (open[i] < HALF) & !(mover && mover[i]);
        const float limit = open[i] < NARROW ? s->quiet : TENTH * s->quiet;
        const int quiet = cut & ((phi[i] > near) | (low[i] > near)) & (fabsf(u[i]) < limit);
        layer[i] = quiet ? EXTRAPOLATE_UNKNOWN : layer[i];
        solved[i] = quiet ? u[i] : LOUD;
    }
}

/* Whether air borders a liquid cell across more than one axis. */
INLINE int is_corner(const job *s, ptrdiff_t c) {
    int axes = 0;
    for (int a = 0; a < s->g->box.dim; ++a) {
        const ptrdiff_t step = s->g->box.step[a];
        const float *open = s->o->open.value[a] + c, *phi = s->phi + c;
        axes += ((open[0] > 0) & (phi[-step] >= 0)) | ((open[step] > 0) & (phi[step] >= 0));
    }
    return axes > 1;
}

/* Faces of a row between a corner of the liquid and air. Pressure must vanish at two places beside it, or
 * three, and what these are off one straight surface by drives a current in through one face and out through
 * another: without end, as it moves no surface. */
INLINE void quiet_corners(const job *s, ptrdiff_t row, int n) {
    const ptrdiff_t step = s->g->box.step[s->axis];
    const float *phi = s->phi + row, *u = s->flow->value[s->axis] + row,
                *open = s->o->open.value[s->axis] + row;
    for (int i = 0; i < n; ++i) {
        const int wet = phi[i] < 0, below = phi[i - step] < 0;
        if (wet == below || !(open[i] > 0) || !(fabsf(u[i]) < s->quiet_air)) continue;
        if (!is_corner(s, row + i - (wet ? 0 : step))) continue;
        s->layer[row + i] = EXTRAPOLATE_UNKNOWN;
        s->solved[row + i] = u[i];
    }
}

/* The slower of two velocities that go the same way, 0 where they do not. */
INLINE float slower(float a, float b) {
    return a * b > 0 ? fabsf(a) < fabsf(b) ? a : b : 0;
}

INLINE void recall_row(const job *s, ptrdiff_t row, int n) {
    const float *solved = s->solved + row;
    float *u = s->u->value[s->axis] + row, *far = s->far ? s->far + row : NULL;
    for (int i = 0; i < n; ++i) {
        if (!(solved[i] < LOUD)) continue;
        const float held = slower(u[i], solved[i]);
        if (far) far[i] += held - u[i];
        u[i] = held;
    }
}

HOT static void quiet_task(void *context, int block) {
    const job *s = context;
    const int n = s->range.upper[0] - s->range.lower[0];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        if (!is_wet_row(s->phi, s->g, s->axis, j, k)) continue;
        quiet_row(s, row, n);
        if (s->quiet_air > 0) quiet_corners(s, row, n);
    }
}

static void recall_task(void *context, int block) {
    const job *s = context;
    const int n = s->range.upper[0] - s->range.lower[0];
    FOR_ROWS(&s->range, block, j, k) {
        if (is_wet_row(s->phi, s->g, s->axis, j, k)) recall_row(s, box_at(&s->g->box, 0, j, k), n);
    }
}

void rest_forget_quiet(uint8_t *layer, float *solved, const mac_grid *g, const openings *o, const float *phi,
                       const mac_field *u, double quiet, double quiet_air, int axis) {
    job s = {.g = g, .o = o, .phi = phi, .flow = u, .solved = solved, .layer = layer, .axis = axis};
    s.quiet = (float)quiet;
    s.quiet_air = (float)quiet_air;
    s.range = range_faces(g, axis);
    parallel_for(g->pool, range_blocks(&s.range), quiet_task, &s);
}

void rest_recall_quiet(mac_field *u, mac_field *far, float *solved, const mac_grid *g, const float *phi,
                       int axis) {
    job s = {
        .g = g, .phi = phi, .u = u, .solved = solved, .far = far ? far->value[axis] : NULL, .axis = axis};
    s.range = range_faces(g, axis);
    parallel_for(g->pool, range_blocks(&s.range), recall_task, &s);
}
