/* Viscous stress over a time step, implicit and variational: the velocity that minimises
 *
 *   E = sum rho V_f (u - u_old)^2 + dt sum mu V_s |D u|^2        (full: D = the whole strain, E 3.10, 3.36)
 *
 * over the liquid: V_f and V_s are the shares of faces' and of stresses' control volumes that are liquid and
 * outside solids, so that free surfaces bear no stress and nothing is asked of the air. Wet faces between two
 * cells of air have no velocity yet: they are without mass, and follow. Faces whose centre
 * lies in a solid move with it. Where a difference of velocities reaches from liquid into a solid it is taken
 * up to the wall: D = (u - u_wall) / (theta dx), theta from the solid's distance, u_wall the wall's velocity
 * where it is crossed. Slip of length l scales the energy of that stress by theta / (theta + (1 - n^2) l /
 * dx), n the normal's component along the velocity: the wall counts as that much farther away, and none is
 * free.
 *
 * Edges use a mean of the four cells' mu: harmonic by default, as others make iterations grow at jumps. A
 * system is scaled by density dx^dim, so that its numbers are of order one.
 *
 * `laplacian` (A 4.1-4.3) lets each component diffuse alone: not true where mu varies or at free surfaces,
 * which it holds against turning.
 *
 * Limits: no periodic axes. Without the velocity of walls those of bodies that are solved lie on faces. */
#include "stage/viscosity/viscosity.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "grid/rows.h"
#include "stage/viscosity/viscosity_inside.h"
#include "stage/viscosity/viscosity_tree.h"

enum { PIECE = PATCH_CELLS };
static const double THETA_LEAST = 0.02, THETA_MOST = 1.5, ON_WALL = 0.02, MOSTLY_NORMAL = 0.95;
static const double THETA_BODY = 0.25; /* nearer surfaces of bodies that are solved count as so far: a stiff
                                          tie to a light body costs iterations */
static const float LOOSE = 0.1f;       /* of a shear: what else must hold a face without mass */

void viscosity_free(viscosity *v) {
    if (!v) return;
    for (int c = 0; c < 3; ++c) {
        mem_free(v->mass[c]);
        mem_free(v->rhs[c]);
        mem_free(v->normal[c]);
        mem_free(v->owner[c]);
        for (int part = 0; part < 3; ++part) mem_free(v->edge[c][part]);
    }
    pressure_part_free(&v->pressure);
    viscosity_tree_free(v->tree);
    mem_free(v->loose);
    mem_free(v->momentum);
    mem_free(v->heavy);
    mem_free(v->wet);
    mem_free(v->dirty);
    mem_free(v->extent);
    viscous_free(v->solver);
    mem_free(v);
}

static void *hold(viscosity *v, size_t bytes, bool *good) {
    void *block = mem_alloc(bytes);
    *good &= block != NULL;
    v->bytes += bytes;
    return block;
}

viscosity *viscosity_create(const mac_grid *g, viscous_kind kind) {
    viscosity *v = mem_alloc(sizeof *v);
    if (!v) return NULL;
    bool good = true;
    const size_t bytes = g->box.size * sizeof(float);
    for (int c = 0; c < g->box.dim; ++c) {
        v->mass[c] = hold(v, bytes, &good);
        v->rhs[c] = hold(v, bytes, &good);
        v->normal[c] = hold(v, bytes, &good);
        v->owner[c] = hold(v, g->box.size * sizeof(uint16_t), &good);
    }
    for (int e = g->box.dim == 3 ? 0 : 2; e < 3; ++e)
        for (int part = 0; part < 3; ++part) v->edge[e][part] = hold(v, bytes, &good);
    v->loose = hold(v, g->box.size, &good);
    v->wet = hold(v, (size_t)row_count(&g->box), &good);
    v->dirty = hold(v, (size_t)row_count(&g->box), &good);
    v->extent = hold(v, (size_t)row_count(&g->box) * sizeof *v->extent, &good);
    v->solver = viscous_create(&g->box, g->pool, kind);
    if (good && v->solver) return v;
    viscosity_free(v);
    return NULL;
}

size_t viscosity_bytes(const viscosity *v) {
    return sizeof *v + v->bytes + viscous_bytes(v->solver) + pressure_part_bytes(&v->pressure) +
           viscosity_tree_bytes(v->tree);
}

/* ---- one difference of velocities ---- */

/* u_c along an axis between face `at` and the one before it. */
typedef struct cut {
    double stretch; /* 1 / theta */
    double slip;    /* factor of the energy */
    double offset; /* D = stretch (difference + offset): from the solid's face to where the wall is crossed */
} cut;

void viscosity_face_point(int h[3], int c, const int at[3]) {
    for (int a = 0; a < 3; ++a) h[a] = 2 * at[a] + (a != c);
}

double viscosity_wall_at(const job *w, int c, const int at[3], int axis, int back) {
    int place[3] = {at[0], at[1], at[2]};
    place[axis] -= back;
    return w->in->wall ? (double)w->in->wall->value[c][box_at(&w->g->box, place[0], place[1], place[2])] : 0;
}

uint16_t viscosity_body_at(const job *w, int c, const int at[3]) {
    if (!w->in->solid[c]) return VISCOUS_FREE;
    const uint16_t *solid = w->in->solid[c] + box_at(&w->g->box, at[0], at[1], at[2]);
    for (int a = 0; a < w->g->box.dim && *solid == VISCOUS_FREE; ++a)
        for (int side = -1; side <= 1; side += 2)
            if (solid[side * w->g->box.step[a]] != VISCOUS_FREE) return solid[side * w->g->box.step[a]];
    return *solid;
}

static cut cut_between(const job *w, int c, int axis, const int at[3]) {
    const double wall = ON_WALL * w->g->dx;
    int high[3], low[3];
    cut k = {1, 1, 0};
    viscosity_face_point(high, c, at);
    memcpy(low, high, sizeof low);
    low[axis] -= 2;
    const double above = shares_solid(&w->at, high), below = shares_solid(&w->at, low);
    const int *inside = above <= wall ? high : low, back = above > wall;
    int place[3] = {at[0], at[1], at[2]}, before[3] = {at[0], at[1], at[2]};
    place[axis] -= back;
    --before[axis];
    if ((above <= wall) == (below <= wall)) {
        if (w->in->model == VISCOSITY_STOKES && above <= wall)
            k.slip = pressure_slides(w, c, at) == pressure_slides(w, c, before);
        return k;
    }
    if (w->in->model == VISCOSITY_STOKES && pressure_slides(w, c, place)) return k;
    const double theta = fmin(fmax(shares_reach(&w->at, high, low, axis), THETA_LEAST), THETA_MOST);
    const double length = shares_slip(&w->at, inside) / w->g->dx;
    if (length > 0) {
        const double along = 1 - shares_normal(&w->at, inside, c);
        k.slip = isinf(length) ? along < 1 - MOSTLY_NORMAL : theta / (theta + along * length);
    }
    const bool moves = viscosity_body_at(w, c, place) != VISCOUS_FREE;
    if (moves && !w->in->wall) return k;
    k.stretch = 1 / (moves ? fmax(theta, THETA_BODY) : theta);
    k.slip *= fmax(theta, 1); /* the share of the volume beyond the face that counts as wall */
    k.offset =
        (1 - 1 / k.stretch) * (viscosity_wall_at(w, c, at, axis, 1) - viscosity_wall_at(w, c, at, axis, 0));
    return k;
}

/* ---- samples ---- */

static double cell_mu(const job *w, const int at[3]) {
    int in[3];
    for (int a = 0; a < 3; ++a) {
        const int last = w->g->box.n[a] - 1;
        in[a] = at[a] < 0 ? 0 : at[a] > last ? last : at[a];
    }
    return (double)w->in->mu[box_at(&w->g->box, in[0], in[1], in[2])];
}

static double edge_mu(const job *w, int e, const int at[3]) {
    const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
    double sum = 0;
    int known = 0;
    for (int n = 0; n < 4; ++n) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[p] -= n & 1;
        cell[q] -= n >> 1;
        const double mu = cell_mu(w, cell);
        if (!(mu >= 0)) continue;
        ++known;
        if (mu <= 0 && w->in->mean != VISCOSITY_ARITHMETIC) return 0;
        sum += w->in->mean == VISCOSITY_HARMONIC ? 1 / mu : w->in->mean == VISCOSITY_GEOMETRIC ? log(mu) : mu;
    }
    if (!known) return 0;
    sum /= known;
    return w->in->mean == VISCOSITY_HARMONIC ? 1 / sum : w->in->mean == VISCOSITY_GEOMETRIC ? exp(sum) : sum;
}

static double scale(const job *w) {
    return w->in->dt / (w->in->density * w->g->dx * w->g->dx);
}

/* Where the surface holds the liquid, stress goes on to the faces beyond it. */
static double stress_share(const job *w, const int h[3], bool walls) {
    if (!w->in->held_surface) return shares_wet(&w->at, h, walls);
    bool reached = false;
    for (int n = 0; n < 2 * w->g->box.dim; ++n) {
        int near[3] = {h[0], h[1], h[2]};
        near[n / 2] += n & 1 ? 1 : -1;
        reached |= shares_wet(&w->at, near, walls) > 0;
    }
    return reached ? 1 : 0;
}

/* A normal stress of cell `at`, whose share is V. */
static void put_normals(job *w, const int at[3], double V, bool walls) {
    const double k = (w->in->model == VISCOSITY_LAPLACIAN ? 1 : 2) * scale(w) * fmax(cell_mu(w, at), 0) * V;
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    for (int c = 0; c < w->g->box.dim; ++c) {
        int next[3] = {at[0], at[1], at[2]};
        ++next[c];
        const cut s = walls && k > 0 ? cut_between(w, c, c, next) : (cut){1, 1, 0};
        w->v->normal[c][q] = (float)(k * s.slip * s.stretch * s.stretch);
        if (s.stretch > 1 || s.stretch < 1 || s.slip < 1) __atomic_store_n(w->cut, 1, __ATOMIC_RELAXED);
    }
}

static void put_edge(job *w, int e, const int at[3], double V, bool walls) {
    const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
    const ptrdiff_t here = box_at(&w->g->box, at[0], at[1], at[2]);
    double k = V > 0 ? scale(w) * edge_mu(w, e, at) * V : 0;
    cut first = {1, 1, 0}, second = {1, 1, 0};
    if (walls && k > 0) {
        first = cut_between(w, p, q, at);
        second = cut_between(w, q, p, at);
    }
    k *= first.slip * second.slip;
    w->v->edge[e][0][here] = (float)(k * first.stretch * first.stretch);
    w->v->edge[e][1][here] = (float)(k * first.stretch * second.stretch);
    w->v->edge[e][2][here] = (float)(k * second.stretch * second.stretch);
    const bool plain = first.stretch >= 1 && first.stretch <= 1 && second.stretch >= 1 && second.stretch <= 1;
    if (!plain) __atomic_store_n(w->cut, 1, __ATOMIC_RELAXED);
}

static void put_face(job *w, int c, const int at[3], double V, bool walls) {
    int h[3];
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    const double density = w->in->densities[c] ? (double)w->in->densities[c][q] / w->in->density : 1;
    viscosity_face_point(h, c, at);
    if (w->in->held_surface) V = V > 0 ? 1 : 0;
    else if (V > 0 && V < 1 && !viscosity_beside_liquid(w, c, at, 0)) V = 0;
    w->v->mass[c][q] = (float)(density * V);
    w->v->owner[c][q] = VISCOUS_FREE;
    if (walls && w->in->model == VISCOSITY_STOKES && pressure_slides(w, c, at)) return;
    if (walls && shares_solid(&w->at, h) <= ON_WALL * w->g->dx)
        w->v->owner[c][q] =
            viscosity_body_at(w, c, at) != VISCOUS_FREE ? viscosity_body_at(w, c, at) : VISCOUS_KNOWN;
    else if (w->in->held_surface && !(V > 0)) w->v->owner[c][q] = VISCOUS_KNOWN;
    else if (w->in->held && w->in->held[q] >> c & 1) w->v->owner[c][q] = VISCOUS_KNOWN;
}

/* What of a face's control volume moves. With pressure: the liquid share of what is open, or pressure at rest
 * would not balance gravity beside oblique walls. */
static double face_share(const job *w, int c, const int at[3], const int h[3], bool walls) {
    if (w->in->model != VISCOSITY_STOKES) return shares_wet(&w->at, h, walls);
    return shares_wet(&w->at, h, false) * (walls ? pressure_open(w, c, at) : 1);
}

static void put_sample(job *w, const int at[3], bool mixed, bool walls) {
    const int dim = w->g->box.dim;
    int h[3] = {2 * at[0] + 1, 2 * at[1] + 1, 2 * at[2] + 1};
    put_normals(w, at, mixed ? stress_share(w, h, walls) : 1, walls);
    for (int c = 0; c < dim; ++c) {
        viscosity_face_point(h, c, at);
        put_face(w, c, at, mixed ? face_share(w, c, at, h, walls) : 1, walls);
    }
    if (w->in->model == VISCOSITY_STOKES) pressure_put(w, at, mixed, walls);
    for (int e = dim == 3 ? 0 : 2; e < 3; ++e) {
        for (int a = 0; a < 3; ++a) h[a] = 2 * at[a] + (a == e || a >= dim);
        put_edge(w, e, at, mixed ? stress_share(w, h, walls) : 1, walls);
    }
}

/* ---- rows ---- */

/* What surrounds a piece of a row: the least and the largest phi of cells, the least distance of nodes. */
typedef struct around {
    float phi_low, phi_high, solid_low;
} around;

static int held(int i, int n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static around look_around(const job *w, int i, int j, int k, int length, int reach) {
    const box *b = &w->g->box;
    around a = {INFINITY, -INFINITY, INFINITY};
    const int deep = b->dim == 3 ? reach : 0;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -reach; y <= reach; ++y) {
            const float *phi = w->in->phi + box_at(b, 0, held(j + y, b->n[1]), held(k + z, b->n[2]));
            for (int x = held(i - reach, b->n[0]); x <= held(i + length - 1 + reach, b->n[0]); ++x) {
                a.phi_low = lesser(phi[x], a.phi_low);
                a.phi_high = greater(phi[x], a.phi_high);
            }
            if (!w->in->node_phi) continue;
            const float *node = w->in->node_phi + box_at(b, i, j + y, k + z);
            for (int x = -1; x <= length; ++x) a.solid_low = lesser(node[x], a.solid_low);
        }
    return a;
}

static bool near_side(const box *b, int i, int j, int k, int length) {
    const int low[3] = {i, j, k}, high[3] = {i + length - 1, j, k};
    for (int a = 0; a < b->dim; ++a)
        if (low[a] < 2 || high[a] > b->n[a] - 2) return true;
    return false;
}

static void clear_row(viscosity *v, const box *b, int j, int k) {
    const ptrdiff_t q = box_at(b, -GHOST, j, k);
    const size_t length = (size_t)(b->n[0] + 2 * GHOST);
    for (int c = 0; c < b->dim; ++c) {
        memset(v->mass[c] + q, 0, length * sizeof(float));
        memset(v->rhs[c] + q, 0, length * sizeof(float));
        memset(v->normal[c] + q, 0, length * sizeof(float));
        memset(v->owner[c] + q, 0, length * sizeof(uint16_t));
    }
    for (int e = b->dim == 3 ? 0 : 2; e < 3; ++e)
        for (int part = 0; part < 3; ++part) memset(v->edge[e][part] + q, 0, length * sizeof(float));
    if (v->pressure.liquid) pressure_clear_row(&v->pressure, b, q, length);
}

/* How far from liquid samples are asked for, in cells: with pressure also the faces of cells that liquid
 * hardly reaches. */
static int reach_of(const viscosity_input *in) {
    return in->held_surface || in->model == VISCOSITY_STOKES ? 2 : 1;
}

static void wet_task(void *context, int row) {
    const job *w = context;
    const box *b = &w->g->box;
    int jk[2];
    row_place(jk, b, row);
    w->v->wet[row] =
        row_is_wet(w->in->phi + box_at(b, 0, held(jk[0], b->n[1]), held(jk[1], b->n[2])), b->n[0]) != 0;
}

static bool wet_beside(const job *w, int row) {
    const int wide = w->g->box.n[1] + 3, deep = w->g->box.dim == 3, reach = reach_of(w->in);
    for (int z = -reach * deep; z <= reach * deep; ++z)
        for (int y = -reach; y <= reach; ++y) {
            const int j = row % wide + y, other = row + y + z * wide;
            if (j >= 0 && j < wide && other >= 0 && other < row_count(&w->g->box) && w->v->wet[other])
                return true;
        }
    return false;
}

static void stretch_extent(int extent[2], int from, int to) {
    if (from < extent[0]) extent[0] = from;
    if (to > extent[1]) extent[1] = to;
}

/* ---- stress that holds nothing ---- */

/* A wet face in the air is without mass, and goes where the stresses on it want it. Where one shear is all
 * there is, it vanishes by that, and what else it acts on is as good as free; but neither the diagonal nor a
 * smoother shows it, and thin wedges of liquid along walls cost iterations that grow with mu dt. Such a shear
 * is left out: it is the one that is 0 at the surface. A normal stress is so as well, but not where pressure
 * is to balance it. */
static void find_loose(const job *w, int c, ptrdiff_t q) {
    const viscosity *v = w->v;
    const ptrdiff_t *step = w->g->box.step;
    float most = 0, sum = v->normal[c][q] + v->normal[c][q - step[c]];
    for (int p = 0; p < w->g->box.dim; ++p) {
        if (p == c) continue;
        const float *own = v->edge[3 - c - p][c < p ? 0 : 2];
        for (int side = 0; side < 2; ++side) {
            const float k = own[q + side * step[p]];
            sum += k;
            if (k > most) most = k;
        }
    }
    if (!(sum - most < LOOSE * most)) return;
    for (int p = 0; p < w->g->box.dim; ++p)
        for (int side = 0; side < 2; ++side)
            if (p != c)
                __atomic_fetch_or(&v->loose[q + side * step[p]], (uint8_t)(1 << (3 - c - p)),
                                  __ATOMIC_RELAXED);
            else if (w->in->model != VISCOSITY_STOKES)
                __atomic_fetch_or(&v->loose[q - side * step[c]], 8, __ATOMIC_RELAXED);
}

static void loose_row(void *context, int row) {
    const job *w = context;
    int jk[2];
    row_place(jk, &w->g->box, row);
    for (int c = 0; c < w->g->box.dim && w->v->dirty[row]; ++c)
        for (int i = w->v->extent[row][0]; i <= w->v->extent[row][1]; ++i) {
            const ptrdiff_t q = box_at(&w->g->box, i, jk[0], jk[1]);
            if (w->v->owner[c][q] == VISCOUS_FREE && !(w->v->mass[c][q] > 0)) find_loose(w, c, q);
        }
}

static void release_row(void *context, int row) {
    const job *w = context;
    viscosity *v = w->v;
    int jk[2];
    row_place(jk, &w->g->box, row);
    for (int i = v->extent[row][0]; v->dirty[row] && i <= v->extent[row][1]; ++i) {
        const ptrdiff_t q = box_at(&w->g->box, i, jk[0], jk[1]);
        for (int e = 0; e < 3; ++e)
            for (int part = 0; part < 3 && v->loose[q] >> e & 1; ++part) v->edge[e][part][q] = 0;
        for (int c = 0; c < w->g->box.dim && v->loose[q] & 8; ++c) v->normal[c][q] = 0;
    }
}

/* Faces of bodies deep inside them, which nothing else asks for. Returns whether there are any in the row. */
static bool put_bodies(const job *w, int extent[2], int j, int k) {
    const box *b = &w->g->box;
    bool any = false;
    for (int c = 0; c < b->dim && w->in->solid[c]; ++c)
        for (int i = -1; i <= b->n[0] + 1; ++i) {
            const ptrdiff_t q = box_at(b, i, j, k);
            if (w->in->solid[c][q] == VISCOUS_FREE) continue;
            w->v->owner[c][q] = w->in->solid[c][q];
            stretch_extent(extent, i, i);
            any = true;
        }
    return any;
}

/* A piece of a row that is neither all liquid nor all air, or beside a wall. */
static void put_mixed(const job *all, int i, int j, int k, int length, bool walls, int reach) {
    shares_patch patch;
    job mine = *all, *w = &mine;
    shares_take(&patch, w->g, w->in, i, j, k, length);
    w->at.patch = &patch;
    for (int x = i; x < i + length; ++x) {
        const around a = look_around(w, x, j, k, 1, reach);
        if (a.phi_low < 0) put_sample(w, (int[3]){x, j, k}, walls || !(a.phi_high < 0), walls);
    }
}

static void put_wet_row(job *w, int extent[2], int j, int k) {
    const box *b = &w->g->box;
    const int reach = reach_of(w->in);
    const float wall = (float)(ON_WALL * w->g->dx);
    for (int i = -1; i <= b->n[0] + 1; i += PIECE) {
        const int length = b->n[0] + 2 - i < PIECE ? b->n[0] + 2 - i : PIECE;
        const around a = look_around(w, i, j, k, length, reach);
        if (!(a.phi_low < 0)) continue;
        const bool walls = !(a.solid_low > wall) || near_side(b, i, j, k, length);
        stretch_extent(extent, i, i + length - 1);
        if (walls || !(a.phi_high < 0)) put_mixed(w, i, j, k, length, walls, reach);
        else
            for (int x = i; x < i + length; ++x) put_sample(w, (int[3]){x, j, k}, false, false);
    }
}

static void put_row(void *context, int row) {
    job *w = context;
    int jk[2];
    row_place(jk, &w->g->box, row);
    if (w->v->dirty[row]) clear_row(w->v, &w->g->box, jk[0], jk[1]);
    const bool wet = wet_beside(w, row);
    int *extent = w->v->extent[row];
    extent[0] = INT_MAX;
    extent[1] = INT_MIN;
    if (wet) put_wet_row(w, extent, jk[0], jk[1]);
    w->v->dirty[row] = (uint8_t)(put_bodies(w, extent, jk[0], jk[1]) || wet);
}

/* The samples that are not 0 lie within. */
static void find_within(int within[6], const viscosity *v, const box *b) {
    for (int a = 0; a < 3; ++a) {
        within[a] = INT_MAX;
        within[3 + a] = INT_MIN;
    }
    for (int row = 0; row < row_count(b); ++row) {
        int jk[2];
        row_place(jk, b, row);
        if (!v->dirty[row] || v->extent[row][0] > v->extent[row][1]) continue;
        const int low[3] = {v->extent[row][0], jk[0], jk[1]}, high[3] = {v->extent[row][1], jk[0], jk[1]};
        for (int a = 0; a < 3; ++a) {
            if (low[a] < within[a]) within[a] = low[a];
            if (high[a] > within[3 + a]) within[3 + a] = high[a];
        }
    }
}

int viscosity_assemble(viscosity *v, const mac_grid *g, const viscosity_input *in) {
    int any_cut = 0;
    job w = {.v = v, .g = g, .in = in, .at = {g, in, NULL}, .cut = &any_cut};
    viscous_system s = {.bodies = in->bodies};
    if (in->model == VISCOSITY_STOKES && pressure_part_hold(v, g)) return -1;
    if (viscosity_hold_bodies(v, in->bodies)) return -1;
    parallel_for(g->pool, row_count(&g->box), wet_task, &w);
    parallel_for(g->pool, row_count(&g->box), put_row, &w);
    memset(v->loose, 0, g->box.size); /* marks go beyond the rows that are released */
    parallel_for(g->pool, row_count(&g->box), loose_row, &w);
    parallel_for(g->pool, row_count(&g->box), release_row, &w);
    if (in->levels > 1) return viscosity_tree_assemble(&w);
    s.body = viscosity_load_bodies(&w);
    int within[6];
    find_within(within, v, &g->box);
    s.within = within;
    for (int c = 0; c < g->box.dim; ++c) {
        s.mass[c] = v->mass[c];
        s.normal[c] = v->normal[any_cut ? c : 0];
        s.owner[c] = v->owner[c];
    }
    for (int e = g->box.dim == 3 ? 0 : 2; e < 3; ++e) {
        float *const *part = v->edge[e];
        s.edge[e] = (viscous_edge){part[0], in->model == VISCOSITY_LAPLACIAN ? NULL : part[any_cut],
                                   part[2 * any_cut]};
    }
    return in->model == VISCOSITY_STOKES ? pressure_setup(&w, &s) : viscous_setup(v->solver, &s);
}

/* ---- the solve ---- */

/* What a sample of stress that a wall cuts adds to the right-hand side of one of its faces, its own
 * difference the first. */
static double offset_of(const job *w, int c, int p, const int at[3]) {
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    if (c == p) {
        const float k = w->v->normal[c][q];
        int next[3] = {at[0], at[1], at[2]};
        ++next[c];
        return k > 0 ? (double)k * cut_between(w, c, c, next).offset : 0;
    }
    const int e = 3 - c - p, first = c < p ? 0 : 2;
    if (!(w->v->edge[e][0][q] > 0)) return 0;
    const double own = (double)w->v->edge[e][first][q] * cut_between(w, c, p, at).offset;
    if (w->in->model == VISCOSITY_LAPLACIAN) return own;
    return own + (double)w->v->edge[e][1][q] * cut_between(w, p, c, at).offset;
}

double viscosity_wall_share(const job *w, int c, const int at[3]) {
    int before[3] = {at[0], at[1], at[2]};
    --before[c];
    double sum = offset_of(w, c, c, before) - offset_of(w, c, c, at);
    for (int p = 0; p < w->g->box.dim; ++p) {
        if (p == c) continue;
        int next[3] = {at[0], at[1], at[2]};
        ++next[p];
        sum += offset_of(w, c, p, at) - offset_of(w, c, p, next);
    }
    return sum;
}

/* Right-hand sides, and the wall's velocity where it holds the liquid. */
static void load_row(void *context, int row) {
    const job *w = context;
    const box *b = &w->g->box;
    int jk[2];
    row_place(jk, b, row);
    for (int c = 0; c < b->dim && w->v->dirty[row]; ++c)
        for (int i = w->v->extent[row][0]; i <= w->v->extent[row][1]; ++i) {
            const ptrdiff_t q = box_at(b, i, jk[0], jk[1]);
            float *u = w->u->value[c];
            w->v->rhs[c][q] = w->v->mass[c][q] * u[q];
            const bool flows = w->in->model == VISCOSITY_STOKES && w->v->pressure.open[c][q] > 0;
            if (!(viscosity_stiffness(w, c, q) > 0) && !flows) continue;
            const int at[3] = {i, jk[0], jk[1]};
            int h[3];
            viscosity_face_point(h, c, at);
            if (w->in->wall && shares_solid(&w->at, h) < 2 * w->g->dx)
                w->v->rhs[c][q] -= (float)viscosity_wall_share(w, c, at);
            if (w->v->owner[c][q] == VISCOUS_KNOWN && shares_solid(&w->at, h) <= ON_WALL * w->g->dx)
                u[q] = (float)viscosity_wall_at(w, c, at, c, 0);
        }
}

/* Right-hand sides have served: the velocity that stress has left takes their place. */
static void keep_row(void *context, int row) {
    const job *w = context;
    int jk[2];
    row_place(jk, &w->g->box, row);
    for (int c = 0; c < w->g->box.dim && w->v->dirty[row]; ++c)
        for (int i = w->v->extent[row][0]; i <= w->v->extent[row][1]; ++i) {
            const ptrdiff_t q = box_at(&w->g->box, i, jk[0], jk[1]);
            w->v->rhs[c][q] = w->u->value[c][q];
        }
}

void viscosity_load(const job *w) {
    parallel_for(w->g->pool, row_count(&w->g->box), load_row, (void *)(uintptr_t)w);
}

void viscosity_keep(const job *w) {
    parallel_for(w->g->pool, row_count(&w->g->box), keep_row, (void *)(uintptr_t)w);
}

viscous_result viscosity_solve(mac_field *u, double (*V)[6], const double (*rhs)[6], viscosity *v,
                               const mac_grid *g, const viscosity_input *in, double tolerance,
                               int max_iterations) {
    job w = {.v = v, .g = g, .in = in, .u = u, .at = {g, in, NULL}};
    viscosity_load(&w);
    const double(*momentum)[6] = viscosity_push_bodies(&w, rhs);
    const viscous_result r =
        in->levels > 1
            ? viscosity_tree_solve(&w, u, V, momentum, tolerance, max_iterations)
            : viscous_solve(v->solver, u->value, in_order(v->rhs), V, momentum, tolerance, max_iterations);
    viscosity_keep(&w);
    return r;
}

/* ---- forces on solids ---- */

typedef struct grip {
    job w;
    double unit; /* N of what the system counts in */
    void (*pull)(void *user, int axis, const int at[3], const double x[3], double force);
    void *user;
} grip;

/* A difference of u_c along an axis bears the stress `pull`: what it does to those of its two faces that are
 * in a solid, where the wall is crossed if the other is in the liquid. */
static void grip_difference(grip *s, int c, int axis, const int at[3], const cut *k, double pull) {
    const box *b = &s->w.g->box;
    for (int back = 0; back < 2; ++back) {
        int here[3] = {at[0], at[1], at[2]}, there[3] = {at[0], at[1], at[2]};
        here[axis] -= back;
        there[axis] -= !back;
        if (s->w.v->owner[c][box_at(b, here[0], here[1], here[2])] == VISCOUS_FREE) continue;
        const bool alone = s->w.v->owner[c][box_at(b, there[0], there[1], there[2])] == VISCOUS_FREE;
        double x[3];
        mac_place(x, s->w.g, here[0] + (c != 0) * 0.5, here[1] + (c != 1) * 0.5, here[2] + (c != 2) * 0.5);
        if (alone) x[axis] += (back ? 1 : -1) * (1 - 1 / k->stretch) * s->w.g->dx;
        s->pull(s->user, c, here, x, s->unit * (back ? pull : -pull));
    }
}

static double difference(const job *w, int c, int axis, const int at[3]) {
    const ptrdiff_t q = box_at(&w->g->box, at[0], at[1], at[2]);
    return (double)w->u->value[c][q] - (double)w->u->value[c][q - w->g->box.step[axis]];
}

static bool any_held(const job *w, int c, ptrdiff_t q, ptrdiff_t step) {
    return w->v->owner[c][q] != VISCOUS_FREE || w->v->owner[c][q - step] != VISCOUS_FREE;
}

static void grip_edge(grip *s, int e, const int at[3]) {
    const job *w = &s->w;
    const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
    const ptrdiff_t here = box_at(&w->g->box, at[0], at[1], at[2]), *step = w->g->box.step;
    const double first_k = (double)w->v->edge[e][0][here], both = (double)w->v->edge[e][1][here],
                 second_k = (double)w->v->edge[e][2][here];
    if (!(first_k > 0) || !(any_held(w, p, here, step[q]) || any_held(w, q, here, step[p]))) return;
    const cut first = cut_between(w, p, q, at), second = cut_between(w, q, p, at);
    const double dp = difference(w, p, q, at) + first.offset, dq = difference(w, q, p, at) + second.offset;
    const double cross = w->in->model == VISCOSITY_LAPLACIAN ? 0 : both;
    grip_difference(s, p, q, at, &first, first_k * dp + cross * dq);
    grip_difference(s, q, p, at, &second, cross * dp + second_k * dq);
}

static void grip_normal(grip *s, int c, const int at[3]) {
    const job *w = &s->w;
    int next[3] = {at[0], at[1], at[2]};
    const ptrdiff_t here = box_at(&w->g->box, at[0], at[1], at[2]), step = w->g->box.step[c];
    const double k = (double)w->v->normal[c][here];
    ++next[c];
    if (!(k > 0) || !any_held(w, c, here + step, step)) return;
    const cut s_cut = cut_between(w, c, c, next);
    grip_difference(s, c, c, next, &s_cut, k * (difference(w, c, c, next) + s_cut.offset));
}

void viscosity_pulls(const viscosity *v, const mac_grid *g, const viscosity_input *in, const mac_field *u,
                     void (*pull)(void *user, int axis, const int at[3], const double x[3], double force),
                     void *user) {
    const box *b = &g->box;
    grip s = {.w = {.v = (viscosity *)(uintptr_t)v, .g = g, .in = in, .u = u, .at = {g, in, NULL}},
              .pull = pull,
              .user = user};
    s.unit = in->density * pow(g->dx, b->dim) / in->dt;
    for (int row = 0; row < row_count(b); ++row) {
        int jk[2];
        row_place(jk, b, row);
        for (int i = 0; i <= b->n[0] && v->dirty[row]; ++i) {
            const int at[3] = {i, jk[0], jk[1]};
            for (int c = 0; c < b->dim; ++c) grip_normal(&s, c, at);
            for (int e = b->dim == 3 ? 0 : 2; e < 3; ++e) grip_edge(&s, e, at);
        }
    }
}
