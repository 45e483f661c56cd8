/* Pressure beside viscosity: minimise the energy of viscosity.c subject to
 *
 *   sum +-(A_f u_f + (1 - A_f) w_f) = source   in every cell with liquid outside solids,
 *
 * A_f the open share of a face, w_f the solid's velocity, whose multiplier is q = p dt / (rho dx). No
 * pressure is given anywhere: at the surface it is what balances the normal stress, (-p I + tau) n = 0, and
 * there is none in the air. How much liquid a cell holds does not enter: scaling a constraint by it scales
 * its q alone.
 *
 * Masses are A_f L_f, L_f the liquid share of the face's control volume with solids filled by the liquid's
 * phi: then q = max(p at the cell's centre, 0) of hydrostatic rest under a surface along the grid solves all
 * rows exactly, whatever the walls are. Bodies' velocities are unknowns of the constraints, too.
 *
 * Free walls: a face in the solid that is partly open is an unknown and meets stress as its wet share says,
 * so that walls let liquid slide along them at any angle.
 *
 * Source: Larionov, Batty and Bridson 2017 (variational Stokes), with areas for volumes where walls cut (Ng,
 * Min and Gibou 2009). Limits: beside a face of a body the middle of what it closes counts as the face's. */
#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "geom/fractions.h"
#include "stage/viscosity/viscosity_inside.h"

/* ---- memory ---- */

static void *hold(pressure_part *p, size_t bytes, bool *good) {
    void *block = mem_alloc(bytes);
    *good &= block != NULL;
    p->bytes += bytes;
    return block;
}

int pressure_part_hold(viscosity *v, const mac_grid *g) {
    pressure_part *p = &v->pressure;
    if (p->solver) return 0;
    bool good = true;
    for (int c = 0; c < g->box.dim; ++c) p->open[c] = hold(p, g->box.size * sizeof(float), &good);
    p->asked = hold(p, g->box.size * sizeof(float), &good);
    p->liquid = hold(p, g->box.size, &good);
    p->solver = stokes_create(&g->box, g->pool, VISCOUS_MULTIGRID);
    if (good && p->solver) return 0;
    pressure_part_free(p);
    return -1;
}

void pressure_part_free(pressure_part *p) {
    for (int c = 0; c < 3; ++c) mem_free(p->open[c]);
    mem_free(p->asked);
    mem_free(p->liquid);
    mem_free(p->row);
    mem_free(p->first);
    stokes_free(p->solver);
    memset(p, 0, sizeof *p);
}

size_t pressure_part_bytes(const pressure_part *p) {
    return p->solver ? p->bytes + stokes_bytes(p->solver) : 0;
}

void pressure_clear_row(pressure_part *p, const box *b, ptrdiff_t q, size_t length) {
    for (int c = 0; c < b->dim; ++c) memset(p->open[c] + q, 0, length * sizeof(float));
    memset(p->asked + q, 0, length * sizeof(float));
    memset(p->liquid + q, 0, length);
}

/* ---- faces and cells ---- */

static bool is_closed_side(const job *w, int c, const int at[3]) {
    const bool low = at[c] <= 0, high = at[c] >= w->g->box.n[c];
    return (low || high) && !(w->in->open_side && w->in->open_side[2 * c + high]);
}

double pressure_open(const job *w, int c, const int at[3]) {
    const box *b = &w->g->box;
    const ptrdiff_t q = box_at(b, at[0], at[1], at[2]);
    for (int a = 0; a < b->dim; ++a)
        if (at[a] < 0 || at[a] > b->n[a] - (a != c)) return 0;
    if (w->in->open) return (double)w->in->open->value[c][q];
    if (is_closed_side(w, c, at)) return 0;
    if (!w->in->node_phi) return 1;
    const int p = c == 0 ? 1 : 0, r = c == 2 ? 1 : 2;
    const float *phi = w->in->node_phi + q;
    if (b->dim == 2) return fraction_segment((double)phi[0], (double)phi[b->step[p]]);
    const double corner[4] = {(double)phi[0], (double)phi[b->step[p]], (double)phi[b->step[r]],
                              (double)phi[b->step[p] + b->step[r]]};
    return fraction_square(corner);
}

bool pressure_slides(const job *w, int c, const int at[3]) {
    int h[3];
    viscosity_face_point(h, c, at);
    return isinf(shares_slip(&w->at, h)) && pressure_open(w, c, at) > 0;
}

void pressure_put(const job *w, const int at[3], bool mixed, bool walls) {
    const box *b = &w->g->box;
    const pressure_part *p = &w->v->pressure;
    const ptrdiff_t q = box_at(b, at[0], at[1], at[2]);
    const int h[3] = {2 * at[0] + 1, 2 * at[1] + 1, 2 * at[2] + 1};
    for (int c = 0; c < b->dim; ++c) p->open[c][q] = walls ? (float)pressure_open(w, c, at) : 1;
    for (int a = 0; a < b->dim; ++a)
        if (at[a] < 0 || at[a] >= b->n[a]) return;
    p->liquid[q] = !mixed || shares_wet(&w->at, h, walls) > 0;
}

/* ---- bodies ---- */

/* What a face's solid part lets out of the cell on its low side: by a body's V, or by the wall's velocity. */
static uint16_t mover(const job *w, double *share, int c, const int at[3]) {
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    const uint16_t owner = w->v->owner[c][q];
    const bool moves = owner != VISCOUS_FREE && owner != VISCOUS_KNOWN;
    *share = moves ? 1 : 1 - (double)w->v->pressure.open[c][q];
    if (moves) return owner;
    return *share > 0 && !is_closed_side(w, c, at) ? viscosity_body_at(w, c, at) : VISCOUS_FREE;
}

static void add_row(poisson_row *row, const job *w, int body, int c, const int at[3], double share) {
    const int p = (c + 1) % 3, q = (c + 2) % 3;
    double arm[3];
    for (int a = 0; a < 3; ++a)
        arm[a] = a >= w->g->box.dim ? 0 : at[a] + (a == c ? 0 : 0.5) - w->in->body[body].centre[a];
    row->value[c] += (float)share;
    row->value[3 + p] += (float)(share * arm[q]);
    row->value[3 + q] -= (float)(share * arm[p]);
}

/* Rows of a body in order of cells, from `row` on, or their number alone (NULL). */
static int list_body(const job *w, int body, poisson_row *row) {
    const box *b = &w->g->box;
    int count = 0;
    for (int n = 0; n < row_count(b); ++n) {
        int jk[2];
        row_place(jk, b, n);
        for (int i = w->v->extent[n][0]; w->v->dirty[n] && i <= w->v->extent[n][1]; ++i) {
            const ptrdiff_t cell = box_at(b, i, jk[0], jk[1]);
            bool any = false;
            for (int side = 0; w->v->pressure.liquid[cell] && side < 2 * b->dim; ++side) {
                int at[3] = {i, jk[0], jk[1]};
                double share;
                at[side / 2] += side & 1;
                if (mover(w, &share, side / 2, at) != body + 1) continue;
                if (!any && row) row[count] = (poisson_row){.cell = (int32_t)cell};
                any = true;
                if (row) add_row(&row[count], w, body, side / 2, at, side & 1 ? share : -share);
            }
            count += any;
        }
    }
    return count;
}

static int list_bodies(const job *w) {
    pressure_part *p = &w->v->pressure;
    const int bodies = w->in->bodies;
    if (bodies + 1 > p->bodies_held) {
        mem_free(p->first);
        p->first = mem_alloc((size_t)(bodies + 1) * sizeof *p->first);
        p->bodies_held = p->first ? bodies + 1 : 0;
        if (!p->first) return -1;
    }
    p->first[0] = 0;
    for (int n = 0; n < bodies; ++n) p->first[n + 1] = p->first[n] + list_body(w, n, NULL);
    if (p->first[bodies] > p->rows_held) {
        mem_free(p->row);
        p->rows_held = p->first[bodies] + p->first[bodies] / 2;
        p->row = mem_alloc((size_t)p->rows_held * sizeof *p->row);
        if (!p->row) p->rows_held = 0;
        if (!p->row) return -1;
    }
    for (int n = 0; n < bodies; ++n) list_body(w, n, p->row + p->first[n]);
    return 0;
}

int pressure_setup(const job *w, const viscous_system *faces) {
    const pressure_part *p = &w->v->pressure;
    if (list_bodies(w)) return -1;
    stokes_system s = {.faces = *faces, .liquid = p->liquid, .row = p->row, .first = p->first};
    for (int c = 0; c < w->g->box.dim; ++c) s.open[c] = p->open[c];
    return stokes_setup(p->solver, &s);
}

/* ---- the solve ---- */

/* What walls push into a cell beside what it shall let out. */
static void ask_row(void *context, int row) {
    const job *w = context;
    const box *b = &w->g->box;
    int jk[2];
    row_place(jk, b, row);
    for (int i = w->v->extent[row][0]; w->v->dirty[row] && i <= w->v->extent[row][1]; ++i) {
        const ptrdiff_t q = box_at(b, i, jk[0], jk[1]);
        if (!w->v->pressure.liquid[q]) continue;
        double asked = w->in->source ? (double)w->in->source[q] : 0;
        for (int side = 0; w->in->wall && side < 2 * b->dim; ++side) {
            int at[3] = {i, jk[0], jk[1]};
            double share;
            at[side / 2] += side & 1;
            if (mover(w, &share, side / 2, at) != VISCOUS_FREE) continue;
            const double push = share * viscosity_wall_at(w, side / 2, at, side / 2, 0);
            asked -= side & 1 ? push : -push;
        }
        w->v->pressure.asked[q] = (float)asked;
    }
}

viscous_result viscosity_solve_stokes(mac_field *u, float *q, double (*V)[6], const double (*rhs)[6],
                                      viscosity *v, const mac_grid *g, const viscosity_input *in,
                                      double tolerance, int max_iterations) {
    job w = {.v = v, .g = g, .in = in, .u = u, .at = {g, in, NULL}};
    viscosity_load(&w);
    parallel_for(g->pool, row_count(&g->box), ask_row, &w);
    const viscous_result r =
        stokes_solve(v->pressure.solver, u->value, q, in_order(v->rhs), v->pressure.asked, V,
                     viscosity_push_bodies(&w, rhs), tolerance, max_iterations);
    viscosity_keep(&w);
    return r;
}
