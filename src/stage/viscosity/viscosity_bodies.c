/* Bodies whose velocity is solved, beside walls that cut differences short.
 *
 * A difference of velocities is taken up to where the body's surface is crossed, at r_w, not to the face in
 * it at r_f:
 *
 *   D = stretch (u - (v + omega x r_f) - omega x (r_w - r_f))
 *
 * The last term is 0 unless the body turns. It has the turning of before the solve, as the walls have that
 * are given; so it is a force on the faces beside the surface, and, as here, its opposite on the body.
 *
 * Limits: first order in time for bodies whose turning changes in a step. */
#include <string.h>
#include "core/memory.h"
#include "stage/viscosity/viscosity_inside.h"

int viscosity_hold_bodies(viscosity *v, int bodies) {
    if (bodies <= v->bodies_held) return 0;
    mem_free(v->momentum);
    v->momentum = mem_alloc((size_t)bodies * sizeof *v->momentum);
    v->bodies_held = v->momentum ? bodies : 0;
    return v->momentum ? 0 : -1;
}

/* J^T of a force on the face. */
static void push(double on[6], const viscous_body *b, int c, const int at[3], int dim, double force) {
    const int p = (c + 1) % 3, q = (c + 2) % 3;
    double arm[3];
    for (int a = 0; a < 3; ++a) arm[a] = a < dim ? at[a] + (a == c ? 0 : 0.5) - b->centre[a] : 0;
    on[c] += force;
    on[3 + p] += force * arm[q];
    on[3 + q] -= force * arm[p];
}

const double (*viscosity_push_bodies(const job *w, const double (*rhs)[6]))[6] {
    viscosity *v = w->v;
    const box *b = &w->g->box;
    if (w->in->bodies == 0 || !w->in->wall) return rhs;
    memcpy(v->momentum, rhs, (size_t)w->in->bodies * sizeof *v->momentum);
    for (int row = 0; row < row_count(b); ++row) {
        int jk[2];
        row_place(jk, b, row);
        for (int i = v->extent[row][0]; v->dirty[row] && i <= v->extent[row][1]; ++i) {
            const int at[3] = {i, jk[0], jk[1]};
            for (int c = 0; c < b->dim; ++c) {
                const uint16_t owner = v->owner[c][box_at(b, i, jk[0], jk[1])];
                if (owner == VISCOUS_FREE || owner == VISCOUS_KNOWN) continue;
                push(v->momentum[owner - 1], &w->in->body[owner - 1], c, at, b->dim,
                     -viscosity_wall_share(w, c, at));
            }
        }
    }
    return (const double(*)[6])v->momentum;
}
