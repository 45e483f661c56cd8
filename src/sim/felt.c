/* Forces on solids,
 *
 *   F = sum over closed shares c_f of faces of c_f (p_below - p_above) A e_a,   T = sum of r x dF,
 *
 * the transpose of what walls do to the divergence (Batty et al. 2007, 3.2), so that it is the momentum which
 * the liquid loses; viscous stress adds its own (stage/viscosity/). r is from the solid's centre to the
 * face's middle. In 2D both are per metre of depth.
 *
 * Limits: a face is one solid's, that of the mover that closes it or of the nearest solid at rest. */
#include "sim/felt.h"

#include <math.h>
#include <string.h>
#include "grid/rows.h"
#include "solid/vector.h"

void felt_clear(rheo_sim *s) {
    memset(s->felt, 0, (size_t)s->def.solid_count * sizeof *s->felt);
}

static int count_still(const rheo_sim *s) {
    int still = 0;
    while (still < s->wall_count && s->solids[still].def->motion == RHEO_STATIC) ++still;
    return still;
}

int felt_owner(const rheo_sim *s, const walls *w, int axis, const int at[3]) {
    const int still = count_still(s);
    const ptrdiff_t n = box_at(&s->g.box, at[0], at[1], at[2]);
    double x[3], least = INFINITY;
    int nearest = -1;
    if (is_closed_side(&w->open, &s->g.box, axis, at[axis])) return -1;
    if (w->open.mover[axis] && w->open.mover[axis][n]) return w->open.mover[axis][n] - 1;
    if (still == 1) return 0;
    mac_place(x, &s->g, at[0] + (axis != 0) * 0.5, at[1] + (axis != 1) * 0.5, at[2] + (axis != 2) * 0.5);
    for (int i = 0; i < still; ++i) {
        const double d = obstacle_distance(&s->solids[i], x);
        if (d < least) least = d, nearest = i;
    }
    return nearest;
}

void felt_push(rheo_sim *s, int solid, int axis, const double x[3], double force) {
    double arm[3], torque[3], push[3] = {0, 0, 0};
    vec_sub(arm, x, s->solids[solid].now.position);
    if (s->g.box.dim == 2) arm[2] = 0;
    push[axis] = force;
    vec_cross(torque, arm, push);
    s->felt[solid].force[axis] += force;
    for (int a = 0; a < 3; ++a) s->felt[solid].torque[a] += torque[a];
}

static void push_face(rheo_sim *s, const walls *w, int axis, const int at[3], double force) {
    const int solid = felt_owner(s, w, axis, at);
    double x[3];
    if (solid < 0) return;
    mac_place(x, &s->g, at[0] + (axis != 0) * 0.5, at[1] + (axis != 1) * 0.5, at[2] + (axis != 2) * 0.5);
    felt_push(s, solid, axis, x, force);
}

void felt_pressure(rheo_sim *s, const projection *p, const walls *w) {
    const mac_grid *g = &s->g;
    const box *b = &g->box;
    if (s->wall_count == 0 || !(p->q_dt > 0)) return;
    const double unit = sim_density(s) * g->dx / p->q_dt * pow(g->dx, b->dim - 1); /* N of q = 1 */
    for (int axis = 0; axis < b->dim; ++axis) {
        const cell_range r = range_inner_faces(g, axis);
        const float *open = w->open.open.value[axis];
        const ptrdiff_t step = b->step[axis];
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                    const ptrdiff_t n = box_at(b, i, j, k);
                    if (open[n] >= 1 || !(p->unknown[n] | p->unknown[n - step])) continue;
                    const double below = p->unknown[n - step] ? (double)p->q[n - step] : 0,
                                 above = p->unknown[n] ? (double)p->q[n] : 0;
                    push_face(s, w, axis, (const int[3]){i, j, k},
                              unit * (1 - (double)open[n]) * (below - above));
                }
    }
}
