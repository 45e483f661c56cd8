/* Rigid bodies in a viscous system: P^T A P with u = J V on the faces that a body owns.
 *
 * J of a face across axis c at r from the centre: (e_c, r x e_c), so that (J V)_c = v_c + (omega x r)_c.
 * Stress between faces of one body is 0 for every V, as differences of a rigid motion are: K there is free to
 * choose, and so is how the mass is shared out. The level gets K of STIFF times the largest around the body,
 * and the mass in equal parts: A~, whose rows of free faces are A's own. V bodies' rows are J^T A~ J + (mass
 * matrix - J^T M~ J).
 *
 * Preconditioner: one cycle on A~, where a force on a body is spread over its faces, J (J^T J)^-1 F, and
 * velocities are the rigid part of what the faces got, (J^T J)^-1 J^T z: symmetric, positive, as good for
 * light bodies as for heavy ones, and of a cost that does not grow with their number.
 *
 * Limits: where components do not feel each other a body is not free to turn. Stresses that two bodies share
 * alone are taken as they are given. */
#include "linear/viscous_bodies.h"

#include <math.h>
#include <string.h>
#include "linear/six.h"

#define REAL        double
#define ROW_NAME(f) f##_double
#include "linear/viscous_row.h"

static const float STIFF = 4;
static const double REGULAR = 1e-6; /* of the number of faces: bodies of too few of them */

/* ---- J ---- */

INLINE double face_velocity(const body_face *f, const double V[BODY_DOF]) {
    const int c = f->axis, p = (c + 1) % 3, q = (c + 2) % 3;
    return V[c] + V[3 + p] * (double)f->arm[q] - V[3 + q] * (double)f->arm[p];
}

INLINE void add_force(double F[BODY_DOF], const body_face *f, double force) {
    const int c = f->axis, p = (c + 1) % 3, q = (c + 2) % 3;
    F[c] += force;
    F[3 + p] += force * (double)f->arm[q];
    F[3 + q] -= force * (double)f->arm[p];
}

static void multiply_six(double y[BODY_DOF], const double m[36], const double x[BODY_DOF]) {
    for (int r = 0; r < BODY_DOF; ++r)
        for (int c = 0; c < BODY_DOF; ++c) y[r] += m[BODY_DOF * r + c] * x[c];
}

/* (J^T J)^-1 F */
static void solve_gram(double y[BODY_DOF], const body_state *s, const double F[BODY_DOF]) {
    memcpy(y, F, BODY_DOF * sizeof *y);
    six_solve_lower(y, s->gram);
    six_solve_upper(y, s->gram);
}

static double dot_six(const double a[BODY_DOF], const double b[BODY_DOF]) {
    double sum = 0;
    for (int i = 0; i < BODY_DOF; ++i) sum += a[i] * b[i];
    return sum;
}

/* ---- setup ---- */

void bodies_free(viscous_bodies *b) {
    buffer_drop(&b->bodies);
    buffer_drop(&b->faces);
    buffer_drop(&b->firsts);
}

typedef struct scan {
    const viscous_level *l;
    const box *grid;
    const viscous_system *system;
} scan;

/* The body that owns a face of the level, or -1. */
static int owner_of(const scan *s, int c, const int at[3]) {
    ptrdiff_t q = s->grid->first;
    if (!s->system->owner[c]) return -1;
    for (int a = 0; a < s->l->dim; ++a) {
        const int i = at[a] + s->l->origin[a];
        if (i < -LEVEL_REACH || i > s->grid->n[a] + LEVEL_REACH) return -1;
        q += i * s->grid->step[a];
    }
    const int owner = s->system->owner[c][q];
    return owner == VISCOUS_FREE || owner == VISCOUS_KNOWN ? -1 : owner - 1;
}

/* Counts the faces of bodies (list NULL), or lists them at next[body]. */
static void scan_faces(const scan *s, body_face *list, int32_t *next) {
    const viscous_level *l = s->l;
    int at[3];
    for (at[2] = 0; at[2] < l->n[2]; ++at[2])
        for (at[1] = 0; at[1] < l->n[1]; ++at[1])
            for (at[0] = 0; at[0] < l->n[0]; ++at[0])
                for (int c = 0; c < l->dim; ++c) {
                    const int n = owner_of(s, c, at);
                    if (n < 0) continue;
                    const int32_t place = next[n]++;
                    if (!list) continue;
                    const ptrdiff_t q = at[0] + l->step[1] * at[1] + (l->dim == 3 ? l->step[2] * at[2] : 0);
                    body_face *f = &list[place];
                    f->at = (int32_t)((ptrdiff_t)((size_t)c * l->size) + q);
                    f->axis = c;
                    for (int a = 0; a < 3; ++a)
                        f->arm[a] = a >= l->dim ? 0
                                                : (float)(at[a] + l->origin[a] + (a == c ? 0 : 0.5) -
                                                          s->system->body[n].centre[a]);
                }
}

static int list_faces(viscous_bodies *b, const scan *s) {
    const size_t count = (size_t)b->count;
    if (buffer_hold(&b->firsts, (2 * count + 1) * sizeof *b->first)) return -1;
    b->first = b->firsts.data;
    int32_t *next = b->first + count + 1;
    memset(next, 0, count * sizeof *next);
    scan_faces(s, NULL, next);
    b->first[0] = 0;
    for (size_t n = 0; n < count; ++n) {
        b->first[n + 1] = b->first[n] + next[n];
        next[n] = b->first[n];
    }
    if (buffer_hold(&b->faces, (size_t)b->first[count] * sizeof *b->face + 1)) return -1;
    b->face = b->faces.data;
    scan_faces(s, b->face, next);
    return 0;
}

/* The largest K that acts on a body. */
static float largest_around(const viscous_bodies *b, const viscous_level *l, int n) {
    float most = 0;
    for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i) {
        const int c = b->face[i].axis;
        const ptrdiff_t q = b->face[i].at - (ptrdiff_t)((size_t)c * l->size);
        most = greater(greater(l->normal[c][q], l->normal[c][q - l->step[c]]), most);
        for (int p = 0; p < l->dim; ++p)
            if (p != c) most = greater(greater(l->own[c][p][q], l->own[c][p][q + l->step[p]]), most);
    }
    return most;
}

/* owner: 1 + body of every face of the level. Whether the faces beside a cell are all one body's. */
static bool cell_is_inside(const uint16_t *owner, const viscous_level *l, int id, ptrdiff_t q) {
    for (int c = 0; c < l->dim; ++c) {
        const uint16_t *o = owner + (size_t)c * l->size + q;
        if (o[0] != id || o[l->step[c]] != id) return false;
    }
    return true;
}
static bool edge_is_inside(const uint16_t *owner, const viscous_level *l, int id, int c, int p, ptrdiff_t q) {
    const uint16_t *first = owner + (size_t)c * l->size + q, *second = owner + (size_t)p * l->size + q;
    return first[0] == id && first[-l->step[p]] == id && second[0] == id && second[-l->step[c]] == id;
}

/* K between faces of one body alone. */
static void stiffen(viscous_bodies *b, viscous_level *l, const uint16_t *owner, int n) {
    const float k = STIFF * greater(largest_around(b, l, n), 1e-3f);
    for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i) {
        const int c = b->face[i].axis;
        const ptrdiff_t q = b->face[i].at - (ptrdiff_t)((size_t)c * l->size);
        if (cell_is_inside(owner, l, n + 1, q))
            for (int a = 0; a < l->dim; ++a) l->normal[a][q] = k;
        for (int p = 0; p < l->dim; ++p) {
            if (p == c || !edge_is_inside(owner, l, n + 1, c, p, q)) continue;
            l->own[c][p][q] = l->own[p][c][q] = k;
            if (l->crossed) l->cross[third_axis(c, p)][q] = k;
        }
    }
}

/* What stands in A~ for the mass, and what it lacks of the mass matrix; J^T J. */
static int weigh(viscous_bodies *b, viscous_level *l, const viscous_system *system, int n) {
    body_state *s = &b->body[n];
    const double *mass = system->body[n].mass;
    const int faces = b->first[n + 1] - b->first[n];
    const double all = mass[0] + mass[7] + (l->dim == 3 ? mass[14] : 0), part = faces ? all / faces : 0;
    double gram[36] = {0};
    for (int i = 0; i < 36; ++i) {
        const int r = i / 6, c = i % 6,
                  unused = l->dim == 2 && ((r != 0 && r != 1 && r != 5) || (c != 0 && c != 1 && c != 5));
        s->rest[i] = unused ? r == c : mass[i];
    }
    for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i) {
        const body_face *f = &b->face[i];
        double row[BODY_DOF] = {0};
        add_force(row, f, 1);
        for (int r = 0; r < BODY_DOF; ++r)
            for (int c = 0; c < BODY_DOF; ++c) gram[BODY_DOF * r + c] += row[r] * row[c];
        l->diagonal[f->axis][f->at - (ptrdiff_t)((size_t)f->axis * l->size)] = (float)part;
    }
    for (int i = 0; i < 36; ++i) s->rest[i] -= (double)(float)part * gram[i];
    for (int i = 0; i < BODY_DOF; ++i) gram[7 * i] += REGULAR * (faces + 1);
    return six_factorise(s->gram, gram) ? 0 : -1;
}

int bodies_setup(viscous_bodies *b, viscous_level *l, const box *grid, const viscous_system *system) {
    b->count = system->bodies;
    if (!b->count) return 0;
    const scan s = {l, grid, system};
    buffer memory = {0};
    const size_t faces = (size_t)l->dim * l->size;
    if (buffer_hold(&b->bodies, (size_t)b->count * sizeof *b->body) || list_faces(b, &s) ||
        buffer_hold(&memory, faces * sizeof(uint16_t)))
        return -1;
    b->body = b->bodies.data;
    uint16_t *owner = memory.data;
    int bad = 0;
    for (int n = 0; n < b->count; ++n)
        for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i) owner[b->face[i].at] = (uint16_t)(n + 1);
    for (int n = 0; n < b->count; ++n) {
        if (l->crossed) stiffen(b, l, owner, n);
        bad |= weigh(b, l, system, n);
    }
    buffer_drop(&memory);
    return bad;
}

/* ---- what an iteration asks for ---- */

void bodies_spread(const viscous_bodies *b, float *v, size_t offset) {
    for (int n = 0; n < b->count; ++n) {
        const double *V = (const double *)((const char *)&b->body[n] + offset);
        for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i)
            v[b->face[i].at] = (float)face_velocity(&b->face[i], V);
    }
}

void bodies_spread_exact(const viscous_bodies *b, double *v) {
    for (int n = 0; n < b->count; ++n)
        for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i)
            v[b->face[i].at] = face_velocity(&b->face[i], b->body[n].x);
}

static void take(double F[BODY_DOF], const viscous_bodies *b, int n, float *v) {
    memset(F, 0, BODY_DOF * sizeof *F);
    for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i) {
        add_force(F, &b->face[i], (double)v[b->face[i].at]);
        v[b->face[i].at] = 0;
    }
}

double bodies_multiply(viscous_bodies *b, float *v) {
    double dot = 0;
    for (int n = 0; n < b->count; ++n) {
        body_state *s = &b->body[n];
        double rest[BODY_DOF] = {0};
        take(s->q, b, n, v);
        multiply_six(rest, s->rest, s->search);
        dot += dot_six(rest, s->search);
        for (int i = 0; i < BODY_DOF; ++i) s->q[i] += rest[i];
    }
    return dot;
}

static double size_of(const body_state *s) {
    double y[BODY_DOF];
    solve_gram(y, s, s->r);
    return dot_six(y, s->r);
}

/* (A~ x) at one face. */
static double product_at(const viscous_level *l, const double *x, int c, ptrdiff_t q) {
    double out;
    row_product_double(&out, l, x, c, q, 0, 1, l->dim, l->crossed, l->weighted);
    return out;
}

double bodies_residual(viscous_bodies *b, const viscous_level *l, const double *x, float *r) {
    double rr = 0;
    for (int n = 0; n < b->count; ++n) {
        body_state *s = &b->body[n];
        double product[BODY_DOF] = {0};
        for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i) {
            const body_face *f = &b->face[i];
            add_force(product, f, product_at(l, x, f->axis, f->at - (ptrdiff_t)((size_t)f->axis * l->size)));
            r[f->at] = 0;
        }
        multiply_six(product, s->rest, s->x);
        for (int i = 0; i < BODY_DOF; ++i) s->r[i] = s->rhs[i] - product[i];
        rr += size_of(s);
    }
    return rr;
}

void bodies_before_cycle(const viscous_bodies *b, float *r) {
    for (int n = 0; n < b->count; ++n) {
        double y[BODY_DOF];
        solve_gram(y, &b->body[n], b->body[n].r);
        for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i)
            r[b->face[i].at] = (float)face_velocity(&b->face[i], y);
    }
}

double bodies_after_cycle(viscous_bodies *b, float *z, float *r) {
    double dot = 0;
    for (int n = 0; n < b->count; ++n) {
        body_state *s = &b->body[n];
        double F[BODY_DOF];
        take(F, b, n, z);
        solve_gram(s->z, s, F);
        dot += dot_six(s->z, s->r);
        for (int32_t i = b->first[n]; i < b->first[n + 1]; ++i) r[b->face[i].at] = 0;
    }
    return dot;
}

double bodies_descend(viscous_bodies *b, double alpha) {
    double rr = 0;
    for (int n = 0; n < b->count; ++n) {
        body_state *s = &b->body[n];
        for (int i = 0; i < BODY_DOF; ++i) {
            s->x[i] += alpha * s->search[i];
            s->r[i] -= alpha * s->q[i];
        }
        rr += size_of(s);
    }
    return rr;
}

void bodies_direct(viscous_bodies *b, double beta) {
    for (int n = 0; n < b->count; ++n)
        for (int i = 0; i < BODY_DOF; ++i)
            b->body[n].search[i] = b->body[n].z[i] + beta * b->body[n].search[i];
}
