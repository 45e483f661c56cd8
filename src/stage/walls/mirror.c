/* Velocity behind the domain's closed sides, as their liquid's profile goes on there.
 *
 * The normal component is odd about a side. A tangential one u is carried on so that it is u at the side's
 * distance as a slip length l asks, u_side = l du/dn: behind it -u at l = 0 (liquid sticks), u at l = inf (it
 * slides), (2 l - dx) / (2 l + dx) u in between.
 *
 * Source: Carlson 2004, 3.2.2. Limits: edges where two sides meet have what the later one gives them. */
#include "stage/walls/solids.h"

#include <math.h>

/* One component beyond one side. Faces across the side's axis lie on it and are mirrored about it, others
 * stand half a cell off. */
static void mirror_side(float *u, const mac_grid *g, int component, int axis, int side, float sign) {
    const box *b = &g->box;
    const int on = component == axis, wall = side ? b->n[axis] : 0;
    cell_range r = range_grow(range_faces(g, component), g, GHOST - 1);
    r.lower[axis] = 0;
    r.upper[axis] = 1;
    for (int l = 1; l < GHOST; ++l) {
        const int out = side ? wall + l - !on : -l, in = side ? wall - l : l - !on;
        if (in < 0 || in >= b->n[axis] + on) return;
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                    const ptrdiff_t n = box_at(b, i, j, k);
                    u[n + out * b->step[axis]] = sign * u[n + in * b->step[axis]];
                }
    }
}

void solids_mirror_sides(mac_field *u, const mac_grid *g, const openings *o, double slip) {
    const double cells = slip / g->dx;
    const float along = isfinite(cells) && cells < 1e6 ? (float)((2 * cells - 1) / (2 * cells + 1)) : 1;
    for (int component = 0; component < g->box.dim; ++component)
        for (int w = 0; w < 2 * g->box.dim; ++w)
            if (!o->open_wall[w])
                mirror_side(u->value[component], g, component, w / 2, w % 2, component == w / 2 ? -1 : along);
}
