/* Viscosity on a graded tree under the regular grid (E 3.4, 3.5).
 *
 * Smallest leaves are the grid's cells, and stay wherever anything but liquid is near: within 1.5 cells of
 * the surface, of solids and sides, beside faces that are held, and where viscosity is steep. So their masses
 * and stiffness are the regular system's own, walls, slip, bodies and surface included; larger leaves are
 * full of liquid, or lie in the air and take no part.
 *
 *   H: a face of the tree gets the mean of the grid's faces around it, linear weights out to the smaller one
 *      of its leaves (E 3.43, which beside larger leaves takes as much on both sides)
 *   P: a face of the grid within a leaf is linear between the leaf's two faces along its axis; across, it is
 *      constant (`wang`, E 3.42) or goes on with the slopes that strain has (`quadratic`)
 *   z = (1 - k) (u - P H u),   W = P^T W_f,   (W + D^T K D) q = W H u + P^T W_f z
 *   u_new = u - z + P (q - H u)
 *
 * H and P keep constants, and for `quadratic` linear velocities: what turns has z = 0 and is left alone. k is
 * what stress leaves of waves as long as two leaves, 1 / (1 + nu dt (pi / s)^2); without z a stiff block
 * would keep, and creep by, what its leaves do not see. Momentum is kept for any H and k: stress adds up to
 * nothing, so 1^T W q = 1^T W H u + 1^T W_f z. E 3.45 (its sign mended) is k = 1. Where all is full W is
 * s^(dim-1) (s_low + s_high) / 2, the control volumes of E 3.4.2.
 *
 * Limits: what varies within a leaf is damped as one wave. Steep viscosity is looked for from cell to cell;
 * densities that vary within a leaf would cost momentum. */
#include "stage/viscosity/viscosity_tree.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"
#include "stage/viscosity/tree_ladder.h"

#define PI 3.14159265358979323846
enum { PAD = 2, GRAIN = 256 };
static const double DEEP = 1.5; /* cells: E 4.1 */
static const double STEEP = 2;  /* what viscosity may vary by across a leaf */

struct viscosity_tree {
    tree t;
    tree_system s;
    tree_ladder ladder;
    sparse_solver *by;
    double (*body_mass)[36];
    uint8_t *most;
    double *mu;           /* Pa s, of leaves */
    double *push;         /* of faces: the right-hand side */
    double *old, *change; /* of faces: H u; q - H u */
    double *slope;        /* of faces, two each: along the axes after its own */
    sparse slopes;        /* what these are of faces' velocities, two rows a face */
    buffer most_memory, leaf_memory, face_memory, body_memory;
};

typedef struct task {
    const job *w;
    viscosity_tree *v;
    mac_field *u;
    double (*V)[6];
    int pass;
} task;

void viscosity_tree_free(viscosity_tree *v) {
    if (!v) return;
    tree_free(&v->t);
    tree_system_free(&v->s);
    tree_ladder_free(&v->ladder);
    sparse_solver_free(v->by);
    sparse_free(&v->slopes);
    buffer_drop(&v->most_memory);
    buffer_drop(&v->leaf_memory);
    buffer_drop(&v->face_memory);
    buffer_drop(&v->body_memory);
    mem_free(v);
}

size_t viscosity_tree_bytes(const viscosity_tree *v) {
    if (!v) return 0;
    return sizeof *v + tree_bytes(&v->t) + tree_system_bytes(&v->s) + tree_ladder_bytes(&v->ladder) +
           sparse_bytes(&v->slopes) + sparse_solver_bytes(v->by) + v->most_memory.bytes +
           v->leaf_memory.bytes + v->face_memory.bytes + v->body_memory.bytes;
}

/* The place in fields of a cell or face of the tree, which goes PAD cells beyond the box; -1: it has none. */
static ptrdiff_t field_at(const box *b, const int at[3]) {
    int in[3] = {0, 0, 0};
    for (int a = 0; a < b->dim; ++a) {
        in[a] = at[a] - PAD;
        if (in[a] >= b->n[a] + GHOST) return -1;
    }
    return box_at(b, in[0], in[1], in[2]);
}

/* ---- where leaves may grow ---- */

static int clamp(int i, int n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Distances are known to one cell from the surface: deeper ones follow from what is around. */
static bool is_deep(const job *w, const int at[3]) {
    static const float left[4] = {0.5f, 0.5f, 0.0858f, -0.2321f}; /* cells: DEEP less what a cell is off */
    const box *b = &w->g->box;
    const int deep = b->dim == 3;
    const float dx = (float)w->g->dx;
    const ptrdiff_t here = box_at(b, at[0], at[1], at[2]);
    if (!(w->in->phi[here] < -0.5f * dx)) return false;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -1; y <= 1; ++y) {
            const float *row = w->in->phi + here + y * b->step[1] + z * b->step[2];
            for (int x = -1; x <= 1; ++x)
                if (!(row[x] < -left[x * x + y * y + z * z] * dx)) return false;
        }
    return true;
}

/* Whether nothing that the regular system holds lies in a cell or beside it. */
static bool is_empty(const job *w, const int at[3]) {
    const box *b = &w->g->box;
    const viscosity *v = w->v;
    const int deep = b->dim == 3, wide = b->n[1] + 3;
    if (w->in->phi[box_at(b, at[0], at[1], at[2])] < 0) return false;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -1; y <= 1; ++y) {
            const int row = at[1] + y + 1 + (deep ? (at[2] + z + 1) * wide : 0);
            if (!v->dirty[row]) continue;
            const ptrdiff_t q = box_at(b, at[0], at[1] + y, at[2] + z);
            for (int x = -1; x <= 1; ++x) {
                float sum = v->normal[0][q + x];
                for (int c = 0; c < b->dim; ++c) sum += v->mass[c][q + x];
                for (int e = deep ? 0 : 2; e < 3; ++e) sum += v->edge[e][0][q + x] + v->edge[e][2][q + x];
                if (sum > 0) return false;
            }
        }
    return true;
}

static bool is_off_solids(const job *w, const int at[3]) {
    const box *b = &w->g->box;
    for (int n = 0; n < (b->dim == 3 ? 8 : 4) && w->in->node_phi; ++n) {
        const ptrdiff_t node = box_at(b, at[0] + (n & 1), at[1] + (n >> 1 & 1), at[2] + (n >> 2));
        if (!((double)w->in->node_phi[node] > DEEP * w->g->dx)) return false;
    }
    return true;
}

static bool is_held(const job *w, const int at[3]) {
    const box *b = &w->g->box;
    const int deep = b->dim == 3;
    unsigned any = 0;
    for (int c = 0; c < b->dim; ++c)
        for (int z = -deep; z <= deep; ++z)
            for (int y = -1; y <= 1; ++y) {
                const uint16_t *owner = w->v->owner[c] + box_at(b, at[0], at[1] + y, at[2] + z);
                any |= (unsigned)owner[-1] | owner[0] | owner[1];
            }
    return any != VISCOUS_FREE;
}

/* The highest level across whose leaves viscosity, going on as it does here, varies by STEEP. */
static int level_for_viscosity(const job *w, const int at[3], int highest) {
    const box *b = &w->g->box;
    const float *mu = w->in->mu + box_at(b, at[0], at[1], at[2]);
    float low = *mu, high = *mu;
    for (int a = 0; a < b->dim; ++a)
        for (int side = -1; side <= 1; side += 2) {
            const float near = mu[side * b->step[a]];
            if (near >= 0) {
                low = lesser(near, low);
                high = greater(near, high);
            }
        }
    if (!(low < high)) return highest;
    if (!(low > 0)) return 0;
    const double across = log(STEEP) / log((double)high / (double)low); /* cells */
    int level = 0;
    while (level < highest && (2 << level) <= across) ++level;
    return level;
}

/* Whether the regular system holds anything in a row of cells or beside it. */
static bool any_beside(const job *w, const int at[3]) {
    const int deep = w->g->box.dim == 3, wide = w->g->box.n[1] + 3;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -1; y <= 1; ++y)
            if (w->v->dirty[at[1] + y + 1 + (deep ? (at[2] + z + 1) * wide : 0)]) return true;
    return false;
}

static void most_task(void *context, int row) {
    const task *k = context;
    const job *w = k->w;
    const tree *t = &k->v->t;
    const box *b = &w->g->box;
    int at[3] = {0, row % t->n[1], row / t->n[1]}, cell[3] = {0, 0, 0};
    for (int a = 1; a < b->dim; ++a) cell[a] = clamp(at[a] - PAD, b->n[a]);
    if (!any_beside(w, cell)) {
        memset(k->v->most + tree_at(t, at), t->levels - 1, (size_t)t->n[0]);
        return;
    }
    for (; at[0] < t->n[0]; ++at[0]) {
        bool inside = true;
        for (int a = 0; a < b->dim; ++a) {
            inside &= at[a] - PAD + 0.5 > DEEP && at[a] - PAD + 0.5 < b->n[a] - DEEP;
            cell[a] = clamp(at[a] - PAD, b->n[a]);
        }
        int most = 0;
        const bool empty = is_empty(w, cell);
        if (!empty && !(inside && is_deep(w, cell) && is_off_solids(w, cell))) most = 0;
        else if (!is_held(w, cell))
            most = empty ? t->levels - 1 : level_for_viscosity(w, cell, t->levels - 1);
        k->v->most[tree_at(t, at)] = (uint8_t)most;
    }
}

/* ---- viscosity of leaves ---- */

/* Sums of what the mean is arithmetic of. */
static double into_mean(const job *w, double mu) {
    if (w->in->mean == VISCOSITY_HARMONIC) return 1 / mu;
    return w->in->mean == VISCOSITY_GEOMETRIC ? log(mu) : mu;
}
static double from_mean(const job *w, double sum) {
    if (w->in->mean == VISCOSITY_HARMONIC) return 1 / sum;
    return w->in->mean == VISCOSITY_GEOMETRIC ? exp(sum) : sum;
}

static bool is_air(const job *w, const tree_leaf *l) {
    const box *b = &w->g->box;
    int cell[3] = {0, 0, 0};
    for (int a = 0; a < b->dim; ++a) cell[a] = clamp(l->at[a] - PAD, b->n[a]);
    return w->in->phi[box_at(b, cell[0], cell[1], cell[2])] >= 0;
}

static void mu_task(void *context, int block) {
    const task *k = context;
    const tree *t = &k->v->t;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < t->leaves; ++i) {
        const tree_leaf *l = &t->leaf[i];
        const int deep = t->dim == 3 ? l->size : 1;
        double sum = 0;
        k->v->mu[i] = 0;
        if (l->size == 1) continue;
        k->v->mu[i] = -1; /* of air */
        if (is_air(k->w, l)) continue;
        for (int z = 0; z < deep; ++z)
            for (int y = 0; y < l->size; ++y)
                for (int x = 0; x < l->size; ++x) {
                    const int at[3] = {l->at[0] + x, l->at[1] + y, l->at[2] + z};
                    sum += into_mean(k->w, (double)k->w->in->mu[field_at(&k->w->g->box, at)]);
                }
        k->v->mu[i] = from_mean(k->w, sum / (deep * l->size * l->size));
    }
}

/* ---- transfers ---- */

/* Sums of a field over the grid's faces that P makes of a face of the tree, with P's weights: by itself, and
 * times the distance along both axes after its own. With `reach` not NULL: out to so many cells on each side
 * in place of the leaves' sizes. */
static void gather(double sum[3], const tree *t, const tree_face *f, const box *b, const float *field,
                   const int *reach) {
    const int p = (f->axis + 1) % 3, q = (f->axis + 2) % 3, wide = p < t->dim ? f->size : 1,
              high = q < t->dim ? f->size : 1;
    const ptrdiff_t here = field_at(b, f->at);
    sum[0] = sum[1] = sum[2] = 0;
    if (here < 0) return;
    if (f->size == 1) sum[0] = (double)field[here];
    for (int side = 0; side < 2 && f->size > 1; ++side) {
        int cell[3] = {f->at[0], f->at[1], f->at[2]};
        cell[f->axis] -= !side;
        const int size = reach ? *reach : 1 << t->level[tree_at(t, cell)];
        for (int n = !side; n < size; ++n)
            for (int y = 0; y < high; ++y) {
                const float *row = field + here + (side ? n : -n) * b->step[f->axis] + y * b->step[q];
                double whole = 0, lever = 0;
                for (int x = 0; x < wide; ++x) {
                    const double value = (double)row[x * b->step[p]];
                    whole += value;
                    lever += (x + 0.5 - 0.5 * wide) * value;
                }
                const double weight = 1 - (double)n / size;
                sum[0] += weight * whole;
                sum[1] += weight * lever;
                sum[2] += weight * (y + 0.5 - 0.5 * high) * whole;
            }
    }
}

/* H of a velocity for a face larger than the grid's. */
static double mean_around(const tree *t, const tree_face *f, const box *b, const float *u) {
    int cell[3] = {f->at[0], f->at[1], f->at[2]};
    const int above = 1 << t->level[tree_at(t, cell)];
    --cell[f->axis];
    const int below = 1 << t->level[tree_at(t, cell)], reach = above < below ? above : below;
    double sum[3];
    gather(sum, t, f, b, u, &reach);
    return sum[0] / (reach * (double)f->size * (t->dim == 3 ? f->size : 1));
}

/* Whether a face larger than the grid's lies in the air. */
static bool is_aloft(const viscosity_tree *v, const tree_face *f) {
    for (int side = 0; side < 2; ++side) {
        int cell[3] = {f->at[0], f->at[1], f->at[2]};
        cell[f->axis] -= !side;
        if (cell[f->axis] < 0 || cell[f->axis] >= v->t.n[f->axis]) return true;
        if (v->mu[v->t.leaf_of[tree_at(&v->t, cell)]] < 0) return true;
    }
    return false;
}

static int number_of(const task *k, const tree_face *f, ptrdiff_t q) {
    const viscosity *of = k->w->v;
    if (f->size > 1) return is_aloft(k->v, f) ? TREE_KNOWN : 0;
    if (q < 0 || of->owner[f->axis][q] == VISCOUS_KNOWN) return TREE_KNOWN;
    if (of->owner[f->axis][q] != VISCOUS_FREE) return TREE_BODY + 1 - of->owner[f->axis][q];
    return of->mass[f->axis][q] > 0 || viscosity_stiffness(k->w, f->axis, q) > 0 ? 0 : TREE_KNOWN;
}

static void mass_task(void *context, int block) {
    const task *k = context;
    viscosity_tree *v = k->v;
    const box *b = &k->w->g->box;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < v->t.faces; ++i) {
        const tree_face *f = &v->t.face[i];
        const ptrdiff_t q = field_at(b, f->at);
        double sum[3] = {0};
        v->s.number[i] = number_of(k, f, q);
        if (v->s.number[i] >= 0) gather(sum, &v->t, f, b, k->w->v->mass[f->axis], NULL);
        v->s.mass[i] = sum[0];
    }
}

/* Rows of slopes of faces larger than the grid's. */
static int find_slopes(viscosity_tree *v) {
    const tree *t = &v->t;
    int large = 0, entry = 0;
    for (int i = 0; i < t->faces; ++i) large += t->face[i].size > 1 && v->s.number[i] >= 0;
    if (sparse_hold_rows(&v->slopes, 2 * t->faces) ||
        sparse_hold_entries(&v->slopes, large * (t->dim == 3 ? 2 * 5 : 3)))
        return -1;
    for (int row = 0; row < 2 * t->faces; ++row) {
        const tree_face *f = &t->face[row / 2];
        const int across = (f->axis + 1 + row % 2) % 3;
        strain of = {.count = 0};
        v->slopes.first[row] = entry;
        if (f->size == 1 || across >= t->dim || v->s.number[row / 2] < 0) continue;
        if (v->s.rules.scheme == TREE_QUADRATIC) strain_add_slope(&of, &v->s.rules, row / 2, across, 1);
        for (int n = 0; n < of.count; ++n, ++entry) {
            v->slopes.column[entry] = of.face[n];
            v->slopes.value[entry] = of.weight[n];
        }
    }
    v->slopes.first[2 * t->faces] = entry;
    return 0;
}

static void start_task(void *context, int block) {
    const task *k = context;
    viscosity_tree *v = k->v;
    const box *b = &k->w->g->box;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < v->t.faces; ++i) {
        const tree_face *f = &v->t.face[i];
        const ptrdiff_t q = field_at(b, f->at);
        if (f->size == 1) v->old[i] = q < 0 ? 0 : (double)k->u->value[f->axis][q];
        else v->old[i] = v->s.number[i] < 0 ? 0 : mean_around(&v->t, f, b, k->u->value[f->axis]);
        v->s.value[i] = v->old[i];
    }
}

/* W H u + P^T W_f z, but for what slopes take from z to other faces. Larger leaves hold W_f z in the
 * right-hand sides of the grid. */
static void push_task(void *context, int block) {
    const task *k = context;
    viscosity_tree *v = k->v;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < v->t.faces; ++i) {
        const tree_face *f = &v->t.face[i];
        double sum[3] = {0};
        if (v->s.number[i] >= 0) gather(sum, &v->t, f, &k->w->g->box, k->w->v->rhs[f->axis], NULL);
        v->push[i] = sum[0] + (f->size > 1 ? v->s.mass[i] * v->old[i] : 0);
        v->slope[2 * i] = sum[1];
        v->slope[2 * i + 1] = sum[2];
    }
}

static void change_task(void *context, int block) {
    const task *k = context;
    viscosity_tree *v = k->v;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < v->t.faces; ++i)
        v->change[i] = v->s.value[i] - v->old[i];
}

static void arm(void *user, double row[6], int face, int body) {
    const task *k = user;
    const tree_face *f = &k->v->t.face[face];
    const double *centre = k->w->in->body[body].centre;
    const int c = f->axis, p = (c + 1) % 3, q = (c + 2) % 3, dim = k->v->t.dim;
    double r[3];
    for (int a = 0; a < 3; ++a) r[a] = a < dim ? f->at[a] - PAD + (a == c ? 0 : 0.5) - centre[a] : 0;
    memset(row, 0, 6 * sizeof *row);
    row[c] = 1;
    row[3 + p] = r[q];
    row[3 + q] = -r[p];
}

static double of_body(const task *k, int face, int body) {
    double row[6], sum = 0;
    arm((void *)(uintptr_t)k, row, face, body);
    for (int r = 0; r < 6; ++r) sum += row[r] * k->V[body][r];
    return sum;
}

/* Slopes of what is carried over: of H u, or of the change. */
static void slope_task(void *context, int block) {
    const task *k = context;
    const viscosity_tree *v = k->v;
    const double *of = k->pass ? v->change : v->old;
    for (int row = 2 * block * GRAIN; row < 2 * (block + 1) * GRAIN && row < v->slopes.rows; ++row) {
        v->slope[row] = 0;
        for (int e = v->slopes.first[row]; e < v->slopes.first[row + 1]; ++e)
            v->slope[row] += v->slopes.value[e] * of[v->slopes.column[e]];
    }
}

/* What a face of the tree gives `x` and `y` grid faces from `low`, along the axes after its own. */
static double share_of(const task *k, int face, const int low[3], int x, int y) {
    const viscosity_tree *v = k->v;
    const tree_face *f = &v->t.face[face];
    const int p = (f->axis + 1) % 3, q = (f->axis + 2) % 3;
    const double *slope = v->slope + 2 * (ptrdiff_t)face;
    return (k->pass ? v->change : v->old)[face] + slope[0] * (low[p] + x - f->at[p] + 0.5 - 0.5 * f->size) +
           slope[1] * (low[q] + y - f->at[q] + 0.5 - 0.5 * f->size);
}

/* 1 - k: the share of waves as long as two leaves that stress takes over the step. */
static double taken(const task *k, double mu, int size) {
    const viscosity_input *in = k->w->in;
    const double wave = PI / (size * k->w->g->dx), rate = mu * in->dt / in->density * wave * wave;
    return rate / (1 + rate);
}

static double face_mu(const viscosity_tree *v, const tree_face *f) {
    double most = 0;
    for (int side = 0; side < 2; ++side) {
        int cell[3] = {f->at[0], f->at[1], f->at[2]};
        cell[f->axis] -= !side;
        most = fmax(most, v->mu[v->t.leaf_of[tree_at(&v->t, cell)]]);
    }
    return most;
}

/* z is taken off a face of the grid and kept as momentum; or it gets its share of the change. */
INLINE void carry_face(const task *k, int c, ptrdiff_t at, double share, double part) {
    float *u = k->u->value[c] + at;
    const double z = part * ((double)*u - share);
    if (k->pass) *u = (float)((double)*u + share);
    else {
        *u = (float)((double)*u - z);
        k->w->v->rhs[c][at] = (float)((double)k->w->v->mass[c][at] * z);
    }
}

static void carry_on_faces(void *context, int block) {
    const task *k = context;
    const viscosity_tree *v = k->v;
    const box *b = &k->w->g->box;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < v->t.faces; ++i) {
        const tree_face *f = &v->t.face[i];
        const int p = (f->axis + 1) % 3, q = (f->axis + 2) % 3, wide = p < b->dim ? f->size : 1,
                  high = q < b->dim ? f->size : 1;
        const ptrdiff_t here = field_at(b, f->at);
        if (v->s.number[i] == TREE_KNOWN || (f->size == 1 && !k->pass)) continue;
        if (v->s.number[i] < 0) k->u->value[f->axis][here] = (float)of_body(k, i, TREE_BODY - v->s.number[i]);
        else if (f->size == 1) k->u->value[f->axis][here] = (float)v->s.value[i];
        else {
            const double part = taken(k, face_mu(v, f), f->size);
            for (int y = 0; y < high; ++y)
                for (int x = 0; x < wide; ++x)
                    carry_face(k, f->axis, here + x * b->step[p] + y * b->step[q],
                               share_of(k, i, f->at, x, y), part);
        }
    }
}

static int face_of(const tree *t, const tree_leaf *l, int axis, int high) {
    int at[3] = {l->at[0], l->at[1], l->at[2]};
    at[axis] += high ? l->size : 0;
    return t->face_of[axis][tree_at(t, at)];
}

static void carry_in_leaves(void *context, int block) {
    const task *k = context;
    const viscosity_tree *v = k->v;
    const box *b = &k->w->g->box;
    for (int i = block * GRAIN; i < (block + 1) * GRAIN && i < v->t.leaves; ++i) {
        const tree_leaf *l = &v->t.leaf[i];
        if (l->size == 1 || v->mu[i] < 0) continue;
        const double part = taken(k, v->mu[i], l->size);
        for (int c = 0; c < b->dim; ++c) {
            const int p = (c + 1) % 3, q = (c + 2) % 3, wide = p < b->dim ? l->size : 1,
                      deep = q < b->dim ? l->size : 1, before = face_of(&v->t, l, c, 0),
                      behind = face_of(&v->t, l, c, 1);
            const ptrdiff_t here = field_at(b, l->at);
            for (int y = 0; y < deep; ++y)
                for (int x = 0; x < wide; ++x) {
                    const double low = share_of(k, before, l->at, x, y),
                                 high = share_of(k, behind, l->at, x, y);
                    for (int n = 1; n < l->size; ++n)
                        carry_face(k, c, here + n * b->step[c] + x * b->step[p] + y * b->step[q],
                                   low + (high - low) * n / l->size, part);
                }
        }
    }
}

/* Takes z off u, or adds P (q - H u). */
static void carry(task *k, int pass) {
    const viscosity_tree *v = k->v;
    pool *p = k->w->g->pool;
    k->pass = pass;
    parallel_for(p, block_count(v->t.faces, GRAIN), slope_task, k);
    parallel_for(p, block_count(v->t.faces, GRAIN), carry_on_faces, k);
    parallel_for(p, block_count(v->t.leaves, GRAIN), carry_in_leaves, k);
}

/* The right-hand side, after z has been taken off. */
static void collect(task *k) {
    viscosity_tree *v = k->v;
    parallel_for(k->w->g->pool, block_count(v->t.faces, GRAIN), push_task, k);
    for (int row = 0; row < v->slopes.rows; ++row)
        for (int e = v->slopes.first[row]; e < v->slopes.first[row + 1]; ++e)
            v->push[v->slopes.column[e]] += v->slopes.value[e] * v->slope[row];
}

/* ---- the system ---- */

static bool is_fine(const tree *t, const int around[4]) {
    for (int n = 0; n < 4; ++n)
        if (around[n] >= 0 && t->leaf[around[n]].size > 1) return false;
    return true;
}

static void weigh(void *user, const tree_sample *s, double volume, double factor[2]) {
    const task *k = user;
    const job *w = k->w;
    const tree *t = &k->v->t;
    const double unit = w->in->dt / (w->in->density * w->g->dx * w->g->dx);
    const ptrdiff_t q = field_at(&w->g->box, s->at);
    double sum = 0;
    if (q < 0) return;
    if (s->leaf >= 0) {
        factor[0] = s->length > 1 ? sqrt(2 * unit * fmax(k->v->mu[s->leaf], 0) * volume)
                                  : sqrt((double)w->v->normal[s->axis][q]);
        return;
    }
    if (is_fine(t, s->around)) {
        for (int second = 0; second < 2; ++second)
            factor[second] = sqrt((double)w->v->edge[s->axis][2 * second][q]);
        return;
    }
    for (int n = 0; n < 4; ++n) {
        if (s->around[n] < 0 || k->v->mu[s->around[n]] < 0) return;
        const tree_leaf *l = &t->leaf[s->around[n]];
        sum += into_mean(w, l->size > 1 ? k->v->mu[s->around[n]]
                                        : (double)w->in->mu[field_at(&w->g->box, l->at)]);
    }
    factor[0] = factor[1] = sqrt(unit * from_mean(w, 0.25 * sum) * volume);
}

/* Masses of bodies; what two dimensions lack stays as it is. */
static void load_bodies(const job *w, viscosity_tree *v) {
    for (int n = 0; n < w->in->bodies; ++n) {
        memcpy(v->body_mass[n], w->in->body[n].mass, sizeof *v->body_mass);
        for (int r = 0; r < 6 && w->g->box.dim == 2; ++r)
            for (int c = 0; c < 6; ++c)
                if ((r >= 2 && r < 5) || (c >= 2 && c < 5)) v->body_mass[n][6 * r + c] = r == c;
    }
}

int viscosity_tree_assemble(const job *w) {
    const box *b = &w->g->box;
    viscosity_tree *v = w->v->tree;
    if (!v) {
        int n[3];
        for (int a = 0; a < 3; ++a) n[a] = b->n[a] + 2 * PAD + 1;
        v = w->v->tree = mem_alloc(sizeof *v);
        if (!v || !(v->by = sparse_solver_create(w->g->pool, SPARSE_MULTIGRID)) ||
            tree_make(&v->t, b->dim, n, w->in->levels, w->g->pool) || buffer_hold(&v->most_memory, v->t.size))
            return -1;
        v->most = v->most_memory.data;
    }
    task k = {.w = w, .v = v};
    parallel_for(w->g->pool, v->t.n[1] * v->t.n[2], most_task, &k);
    if (tree_build(&v->t, v->most) || buffer_hold(&v->leaf_memory, (size_t)v->t.leaves * sizeof *v->mu) ||
        buffer_hold(&v->face_memory, 5 * (size_t)v->t.faces * sizeof *v->push) ||
        buffer_hold(&v->body_memory, (size_t)w->in->bodies * sizeof *v->body_mass + 1))
        return -1;
    v->mu = v->leaf_memory.data;
    v->push = v->face_memory.data;
    v->old = v->push + v->t.faces;
    v->change = v->old + v->t.faces;
    v->slope = v->change + v->t.faces;
    v->body_mass = v->body_memory.data;
    parallel_for(w->g->pool, block_count(v->t.leaves, GRAIN), mu_task, &k);
    if (tree_system_begin(&v->s, &(strain_rules){.t = &v->t, .scheme = w->in->scheme}, w->in->bodies))
        return -1;
    parallel_for(w->g->pool, block_count(v->t.faces, GRAIN), mass_task, &k);
    load_bodies(w, v);
    if (find_slopes(v) || tree_system_setup(&v->s, weigh, arm, &k, (const double(*)[36])v->body_mass) ||
        tree_ladder_build(&v->ladder, &v->s))
        return -1;
    const sparse_ladder ladder = {v->ladder.P, v->ladder.columns, v->ladder.steps};
    return sparse_solver_setup(v->by, &v->s.terms, v->s.unknowns, &ladder);
}

viscous_result viscosity_tree_solve(const job *w, mac_field *u, double (*V)[6], const double (*rhs)[6],
                                    double tolerance, int max_iterations) {
    viscosity_tree *v = w->v->tree;
    task k = {.w = w, .v = v, .u = u, .V = V};
    const int faces = block_count(v->t.faces, GRAIN);
    parallel_for(w->g->pool, faces, start_task, &k);
    carry(&k, 0);
    collect(&k);
    const sparse_result r = tree_system_solve(&v->s, v->by, v->push, V, rhs, &k, tolerance, max_iterations);
    parallel_for(w->g->pool, faces, change_task, &k);
    carry(&k, 1);
    return (viscous_result){.unknowns = sparse_solver_unknowns(v->by) - 6 * w->in->bodies,
                            .iterations = r.iterations,
                            .residual = r.residual,
                            .converged = r.converged};
}
