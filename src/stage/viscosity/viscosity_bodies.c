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
 * With pressure (`stokes`) a face whose middle lies in the body and which is open in part holds liquid that
 * pressure acts on and that moves as the body: its mass and its weight are the body's, or it would float too
 * high.
 *
 * Limits: first order in time for bodies whose turning changes in a step. */
#include <string.h>
#include "core/memory.h"
#include "linear/six.h"
#include "stage/viscosity/viscosity_inside.h"

int viscosity_hold_bodies(viscosity *v, int bodies) {
    if (bodies <= v->bodies_held) return 0;
    mem_free(v->momentum);
    mem_free(v->heavy);
    v->momentum = mem_alloc((size_t)bodies * sizeof *v->momentum);
    v->heavy = mem_alloc((size_t)bodies * sizeof *v->heavy);
    v->bodies_held = v->momentum && v->heavy ? bodies : 0;
    return v->bodies_held ? 0 : -1;
}

/* J of a face. */
static void face_row(double row[6], const viscous_body *b, int c, const int at[3], int dim) {
    const int p = (c + 1) % 3, q = (c + 2) % 3;
    double arm[3];
    for (int a = 0; a < 3; ++a) arm[a] = a < dim ? at[a] + (a == c ? 0 : 0.5) - b->centre[a] : 0;
    memset(row, 0, 6 * sizeof *row);
    row[c] = 1;
    row[3 + p] = arm[q];
    row[3 + q] = -arm[p];
}

static void push(double on[6], const viscous_body *b, int c, const int at[3], int dim, double force) {
    double row[6];
    face_row(row, b, c, at, dim);
    for (int r = 0; r < 6; ++r) on[r] += force * row[r];
}

/* Calls act() for each face of a body. */
static void each_face(const job *w, void (*act)(const job *w, int body, int c, const int at[3])) {
    const box *b = &w->g->box;
    for (int row = 0; row < row_count(b); ++row) {
        int jk[2];
        row_place(jk, b, row);
        for (int i = w->v->extent[row][0]; w->v->dirty[row] && i <= w->v->extent[row][1]; ++i) {
            const int at[3] = {i, jk[0], jk[1]};
            for (int c = 0; c < b->dim; ++c) {
                const uint16_t owner = w->v->owner[c][box_at(b, i, jk[0], jk[1])];
                if (owner != VISCOUS_FREE && owner != VISCOUS_KNOWN) act(w, owner - 1, c, at);
            }
        }
    }
}

static void load_face(const job *w, int body, int c, const int at[3]) {
    viscous_body *b = &w->v->heavy[body];
    const double mass = (double)w->v->mass[c][box_at(&w->g->box, at[0], at[1], at[2])];
    double row[6];
    face_row(row, b, c, at, w->g->box.dim);
    for (int i = 0; i < 36 && mass > 0; ++i) b->mass[i] += mass * row[i / 6] * row[i % 6];
}

const viscous_body *viscosity_load_bodies(const job *w) {
    if (w->in->bodies == 0 || w->in->model != VISCOSITY_STOKES) return w->in->body;
    memcpy(w->v->heavy, w->in->body, (size_t)w->in->bodies * sizeof *w->v->heavy);
    each_face(w, load_face);
    return w->v->heavy;
}

/* What the liquid in a body's faces has of its motion before the solve: momentum of mass `more` - mass. */
static void load_momentum(double momentum[6], const double mass[36], const double more[36]) {
    double factor[36], gram[36], motion[6];
    memcpy(gram, mass, sizeof gram);
    memcpy(motion, momentum, sizeof motion);
    for (int r = 0; r < 6; ++r)
        if (!(gram[7 * r] > 0)) gram[7 * r] = 1; /* what 2D lacks */
    if (!six_factorise(factor, gram)) return;
    six_solve_lower(motion, factor);
    six_solve_upper(motion, factor);
    for (int i = 0; i < 36; ++i) momentum[i / 6] += (more[i] - mass[i]) * motion[i % 6];
}

static void push_face(const job *w, int body, int c, const int at[3]) {
    push(w->v->momentum[body], &w->in->body[body], c, at, w->g->box.dim, -viscosity_wall_share(w, c, at));
}

const double (*viscosity_push_bodies(const job *w, const double (*rhs)[6]))[6] {
    viscosity *v = w->v;
    if (w->in->bodies == 0) return rhs;
    memcpy(v->momentum, rhs, (size_t)w->in->bodies * sizeof *v->momentum);
    for (int n = 0; n < w->in->bodies && w->in->model == VISCOSITY_STOKES; ++n)
        load_momentum(v->momentum[n], w->in->body[n].mass, v->heavy[n].mass);
    if (w->in->wall) each_face(w, push_face);
    return (const double(*)[6])v->momentum;
}
