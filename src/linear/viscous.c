/* Preconditioned conjugate gradients for viscous systems.
 *
 * Vectors are float but for the iterate, which is double: a float one ends at a residual of 1e-4, and at 3e-2
 * where mu dt / (rho dx^2) is 1e6, as its rounding is multiplied by K. The recursion's residual is replaced
 * by b - A x in double whenever it has dropped by 1e-3, and before anything is called converged. Known
 * velocities stand in the iterate, so that their columns go to the right-hand side by themselves.
 *
 * Parts that float freely have rigid motions, on which A is M: the solve starts from the right ones and keeps
 * directions M-orthogonal to them (viscous_parts.c), as no cycle gets them exactly. Bodies: viscous_bodies.c.
 *
 * Sources: E 3.3 (3.35; D^T in 3.27, and without the faces that nothing holds); Hestenes and Stiefel 1952.
 * Limits: no periodic axes. A preconditioner that proves not positive gives way to
 * the diagonal. */
#include "linear/viscous_inside.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

#define REAL        float
#define ROW_NAME(f) f##_float
#include "linear/viscous_row.h"
#undef REAL
#undef ROW_NAME
#define REAL        double
#define ROW_NAME(f) f##_double
#include "linear/viscous_row.h"

static const double REPLACE_DROP = 1e-3;

viscous *viscous_create(const box *b, pool *p, viscous_kind kind) {
    viscous *s = mem_alloc(sizeof *s);
    if (!s) return NULL;
    s->b = *b;
    s->p = p;
    s->kind = kind;
    return s;
}

void viscous_free(viscous *s) {
    if (!s) return;
    for (int i = 0; i < VISCOUS_LEVELS; ++i) viscous_level_free(&s->levels[i]);
    viscous_direct_free(&s->direct);
    bodies_free(&s->bodies);
    parts_free(&s->parts);
    buffer_drop(&s->vectors);
    buffer_drop(&s->doubles);
    mem_free(s);
}

size_t viscous_bytes(const viscous *s) {
    size_t bytes = sizeof *s + s->vectors.bytes + s->doubles.bytes + s->direct.factor_memory.bytes +
                   s->direct.place_memory.bytes + s->direct.y_memory.bytes + s->bodies.bodies.bytes +
                   s->bodies.faces.bytes + s->bodies.firsts.bytes;
    for (int i = 0; i < VISCOUS_LEVELS; ++i) bytes += viscous_level_bytes(&s->levels[i]);
    return bytes;
}

/* ---- setup ---- */

static int hold_vectors(viscous *s) {
    const viscous_level *l = &s->levels[0];
    const size_t vector = (size_t)l->dim * l->size, guard = vector_guard(l), floats = 5 * vector + 2 * guard;
    const size_t doubles = vector + (size_t)(l->slabs * l->step[1]) + 2 * guard;
    if (buffer_hold(&s->vectors, floats * sizeof(float)) ||
        buffer_hold(&s->doubles, doubles * sizeof(double)))
        return -1;
    parallel_zero(s->p, s->vectors.data, floats * sizeof(float));
    parallel_zero(s->p, s->doubles.data, doubles * sizeof(double));
    s->rhs = (float *)s->vectors.data + guard;
    s->r = s->rhs + vector;
    s->z = s->r + vector;
    s->search = s->z + vector;
    s->q = s->search + vector;
    s->x = (double *)s->doubles.data + guard;
    s->row = s->x + vector + guard;
    return 0;
}

static int make_levels(viscous *s) {
    int count = 1;
    while (s->kind == VISCOUS_MULTIGRID && count < VISCOUS_LEVELS) {
        viscous_level *fine = &s->levels[count - 1];
        const bool ends = !viscous_level_can_halve(fine);
        if (count > 1 && viscous_level_finish(fine, s->p, true)) return -1;
        if (!ends && viscous_level_from_finer(&s->levels[count], fine, s->p)) return -1;
        if (ends) break;
        ++count;
    }
    s->count = count;
    return s->kind == VISCOUS_MULTIGRID ? viscous_direct_setup(&s->direct, &s->levels[count - 1]) : 0;
}

/* Whether anything but known faces and bodies may hold liquid. */
static bool is_held(const viscous_system *system) {
    bool any = false;
    for (int c = 0; c < 3; ++c) any |= system->drag[c] != NULL;
    return any;
}

int viscous_setup(viscous *s, const viscous_system *system) {
    s->count = 0;
    viscous_level *fine = &s->levels[0];
    if (viscous_level_from_system(fine, &s->b, s->p, system) ||
        bodies_setup(&s->bodies, fine, &s->b, system) || viscous_level_finish(fine, s->p, false) ||
        hold_vectors(s) || parts_find(&s->parts, fine, viscous_pool(fine, s->p), is_held(system), &s->bodies))
        return -1;
    return make_levels(s);
}

/* ---- the passes of an iteration ---- */

typedef struct pass {
    viscous *s;
    double alpha, beta;
    float *const *field_out;
    const float *const *field_in;
    float *to;
} pass;

INLINE void multiply_slab(viscous *s, double *dot, int slab, int dim, int crossed, int weighted) {
    const viscous_level *l = &s->levels[0];
    dvec8 sum = dvec8_of(0);
    FOR_RUNS(l, slab, c, at, from, to) {
        const ptrdiff_t row = row_start(l, row_);
        float *restrict q = s->q + at;
        const float *restrict search = s->search + at, *restrict inverse = l->inverse[c] + row;
        run_product_float(q, l, s->search, c, row, &l->runs[n_], dim, crossed, weighted);
        for (int i = from; i < to; i += 8) {
            const vec8 mask = (vec8)((mask8)load8(q + i) & (load8(inverse + i) > 0));
            *(vec8 *)(q + i) = mask;
            sum = dvec8_plus_dot(sum, mask, load8(search + i));
        }
    }
    *dot = dvec8_total(sum);
}

/* q = A p; returns p . q */
HOT static double multiply_task(void *context, int slab) {
    viscous *s = ((pass *)context)->s;
    double dot = 0;
#define MULTIPLY(dim, crossed, weighted) multiply_slab(s, &dot, slab, dim, crossed, weighted)
    VISCOUS_DISPATCH(&s->levels[0], MULTIPLY);
#undef MULTIPLY
    return dot;
}

INLINE void residual_slab(viscous *s, double *dot, int slab, int dim, int crossed, int weighted) {
    const viscous_level *l = &s->levels[0];
    double *restrict ax = s->row + slab * l->step[1], sum = 0;
    FOR_RUNS(l, slab, c, at, from, to) {
        const ptrdiff_t row = row_start(l, row_);
        float *restrict r = s->r + at;
        const float *restrict rhs = s->rhs + at, *restrict inverse = l->inverse[c] + row;
        run_product_double(ax, l, s->x, c, row, &l->runs[n_], dim, crossed, weighted);
        for (int i = from; i < to; ++i) {
            const double d = inverse[i] > 0 ? (double)rhs[i] - ax[i] : 0;
            r[i] = (float)d;
            sum += d * d;
        }
    }
    *dot = sum;
}

/* r = b - A x in double; returns r . r */
HOT static double residual_task(void *context, int slab) {
    viscous *s = ((pass *)context)->s;
    double dot = 0;
#define RESIDUAL(dim, crossed, weighted) residual_slab(s, &dot, slab, dim, crossed, weighted)
    VISCOUS_DISPATCH(&s->levels[0], RESIDUAL);
#undef RESIDUAL
    return dot;
}

/* x += alpha p, r -= alpha q; returns r . r */
HOT static double descend_task(void *context, int slab) {
    const pass *w = context;
    viscous *s = w->s;
    const viscous_level *l = &s->levels[0];
    const vec8 alpha = vec8_of((float)w->alpha);
    const dvec8 wide = dvec8_of((double)(float)w->alpha);
    dvec8 sum = dvec8_of(0);
    FOR_RUNS(l, slab, c, at, from, to) for (ptrdiff_t i = at + from; i < at + to; i += 8) {
        dvec8 *x = (dvec8 *)(s->x + i);
        *x = dvec8_plus_product(*x, wide, vec8_wide(load8(s->search + i)));
        const vec8 r = load8(s->r + i) - alpha * load8(s->q + i);
        *(vec8 *)(s->r + i) = r;
        sum = dvec8_plus_dot(sum, r, r);
    }
    return dvec8_total(sum);
}

/* p = z + beta p */
HOT static void direct_task(void *context, int slab) {
    const pass *w = context;
    viscous *s = w->s;
    const viscous_level *l = &s->levels[0];
    const vec8 beta = vec8_of((float)w->beta);
    FOR_RUNS(l, slab, c, at, from, to)
    for (ptrdiff_t i = at + from; i < at + to; i += 8)
        *(vec8 *)(s->search + i) = load8(s->z + i) + beta * load8(s->search + i);
}

/* Returns r . r */
HOT static double norm_task(void *context, int slab) {
    viscous *s = ((pass *)context)->s;
    const viscous_level *l = &s->levels[0];
    dvec8 sum = dvec8_of(0);
    FOR_RUNS(l, slab, c, at, from, to)
    for (ptrdiff_t i = at + from; i < at + to; i += 8)
        sum = dvec8_plus_dot(sum, load8(s->r + i), load8(s->r + i));
    return dvec8_total(sum);
}

/* Returns r . z */
HOT static double dot_task(void *context, int slab) {
    viscous *s = ((pass *)context)->s;
    const viscous_level *l = &s->levels[0];
    dvec8 sum = dvec8_of(0);
    FOR_RUNS(l, slab, c, at, from, to)
    for (ptrdiff_t i = at + from; i < at + to; i += 8)
        sum = dvec8_plus_dot(sum, load8(s->r + i), load8(s->z + i));
    return dvec8_total(sum);
}

HOT static void diagonal_task(void *context, int slab) {
    viscous *s = ((pass *)context)->s;
    const viscous_level *l = &s->levels[0];
    FOR_RUNS(l, slab, c, at, from, to) {
        const float *inverse = l->inverse[c] + row_start(l, row_);
        for (int i = from; i < to; i += 8)
            *(vec8 *)(s->z + at + i) = load8(inverse + i) * load8(s->r + at + i);
    }
}

static void clear_task(void *context, int slab) {
    const pass *w = context;
    const viscous_level *l = &w->s->levels[0];
    FOR_RUNS(l, slab, c, at, from, to) memset(w->to + at + from, 0, (size_t)(to - from) * sizeof *w->to);
}

/* ---- between fields and levels ---- */

/* Samples of the level's row that the box has, and where in the box its sample 0 is; false: it has none. */
static bool box_part(int part[2], ptrdiff_t *in_box, const viscous *s, int row) {
    const viscous_level *l = &s->levels[0];
    const int at[3] = {l->origin[0], row % l->n[1] + l->origin[1], row / l->n[1] + l->origin[2]};
    for (int a = 1; a < l->dim; ++a)
        if (at[a] < -LEVEL_REACH || at[a] > s->b.n[a] + LEVEL_REACH) return false;
    const int end = s->b.n[0] + LEVEL_REACH + 1 - at[0];
    part[0] = at[0] < -LEVEL_REACH ? -LEVEL_REACH - at[0] : 0;
    part[1] = end < l->n[0] ? end : l->n[0];
    *in_box = box_at(&s->b, at[0], at[1], at[2]);
    return true;
}

/* Right-hand side and known velocities; the iterate is 0 elsewhere. */
static void load_task(void *context, int slab) {
    const pass *w = context;
    viscous *s = w->s;
    const viscous_level *l = &s->levels[0];
    ptrdiff_t in_box;
    int part[2];
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int c = 0; c < l->dim && box_part(part, &in_box, s, row); ++c) {
            const ptrdiff_t face = row_start(l, row), at = (ptrdiff_t)((size_t)c * l->size) + face;
            for (int i = part[0]; i < part[1]; ++i) {
                s->rhs[at + i] = l->inverse[c][face + i] > 0 ? w->field_in[c][in_box + i] : 0;
                s->x[at + i] = l->fixed[c][face + i] ? (double)w->field_out[c][in_box + i] : 0;
            }
            memset(s->search + at, 0, (size_t)l->step[1] * sizeof *s->search);
        }
}

/* The warm start at the unknowns. */
static void start_task(void *context, int slab) {
    const pass *w = context;
    viscous *s = w->s;
    const viscous_level *l = &s->levels[0];
    ptrdiff_t in_box;
    int part[2];
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int c = 0; c < l->dim && box_part(part, &in_box, s, row); ++c) {
            const ptrdiff_t face = row_start(l, row), at = (ptrdiff_t)((size_t)c * l->size) + face;
            for (int i = part[0]; i < part[1]; ++i)
                if (l->inverse[c][face + i] > 0) s->x[at + i] = (double)w->field_out[c][in_box + i];
        }
}

static void store_task(void *context, int slab) {
    const pass *w = context;
    const viscous *s = w->s;
    const viscous_level *l = &s->levels[0];
    ptrdiff_t in_box;
    int part[2];
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int c = 0; c < l->dim && box_part(part, &in_box, s, row); ++c) {
            const ptrdiff_t face = row_start(l, row), at = (ptrdiff_t)((size_t)c * l->size) + face;
            for (int i = part[0]; i < part[1]; ++i)
                if (l->inverse[c][face + i] > 0) w->field_out[c][in_box + i] = (float)s->x[at + i];
        }
}

/* ---- the solve ---- */

static double replace_residual(viscous *s) {
    pass w = {.s = s};
    const int slabs = s->levels[0].slabs;
    bodies_spread_exact(&s->bodies, s->x);
    const double rr = parallel_sum(workers(s), slabs, residual_task, &w);
    if (!s->bodies.count) return rr;
    const double of_bodies = bodies_residual(&s->bodies, &s->levels[0], s->x, s->r);
    return of_bodies + parallel_sum(workers(s), slabs, norm_task, &w);
}

double viscous_precondition(viscous *s, viscous_kind by) {
    pass w = {.s = s, .to = s->z};
    const int slabs = s->levels[0].slabs;
    bodies_before_cycle(&s->bodies, s->r);
    if (by == VISCOUS_JACOBI) parallel_for(workers(s), slabs, diagonal_task, &w);
    else {
        parallel_for(workers(s), slabs, clear_task, &w);
        viscous_cycle(s->levels, s->count, &s->direct, s->p, s->z, s->r);
    }
    const double rz = bodies_after_cycle(&s->bodies, s->z, s->r);
    parts_project(&s->parts, workers(s), s->z);
    return rz + parallel_sum(workers(s), slabs, dot_task, &w);
}

/* The next direction p, and q = A p; returns p . q */
static double turn(viscous *s, pass *w) {
    const int slabs = s->levels[0].slabs;
    parallel_for(workers(s), slabs, direct_task, w);
    bodies_direct(&s->bodies, w->beta);
    bodies_spread(&s->bodies, s->search, BODY_FIELD(search));
    const double pq = parallel_sum(workers(s), slabs, multiply_task, w);
    return pq + bodies_multiply(&s->bodies, s->q);
}

static void iterate(viscous *s, viscous_result *out, double goal, int max_iterations) {
    pass w = {.s = s};
    const int slabs = s->levels[0].slabs;
    viscous_kind by = s->kind;
    replace_residual(s);
    parts_start(&s->parts, workers(s), s->x, s->r);
    double rr = replace_residual(s), rr_exact = rr, rz_before = 0;
    bool exact = true;
    for (;;) {
        const bool ends = rr <= goal || out->iterations >= max_iterations || !isfinite(rr);
        if (!exact && (ends || rr <= REPLACE_DROP * REPLACE_DROP * rr_exact)) {
            rr = rr_exact = replace_residual(s);
            exact = true;
        }
        if (exact && (rr <= goal || out->iterations >= max_iterations || !isfinite(rr))) break;
        double rz = viscous_precondition(s, by);
        if (!(rz > 0) && by != VISCOUS_JACOBI) {
            by = VISCOUS_JACOBI;
            rz_before = 0;
            rz = viscous_precondition(s, by);
        }
        if (!(rz > 0)) break;
        w.beta = rz_before > 0 ? rz / rz_before : 0;
        const double pq = turn(s, &w);
        if (!(pq > 0)) break;
        w.alpha = rz / pq;
        rz_before = rz;
        rr = parallel_sum(workers(s), slabs, descend_task, &w) +
             bodies_descend(&s->bodies, (double)(float)w.alpha);
        exact = false;
        ++out->iterations;
    }
    if (!exact) rr = replace_residual(s);
    out->residual = rr;
}

void viscous_load(viscous *s, float *const u[3], const float *const rhs[3], const double (*body_b)[6]) {
    pass w = {.s = s, .field_in = rhs, .field_out = u};
    parallel_for(workers(s), s->levels[0].slabs, load_task, &w);
    for (int n = 0; n < s->bodies.count; ++n) {
        body_state *b = &s->bodies.body[n];
        memset(b->x, 0, sizeof b->x);
        memset(b->search, 0, sizeof b->search);
        memcpy(b->rhs, body_b[n], sizeof b->rhs);
    }
}

void viscous_start(viscous *s, float *const u[3], double (*V)[6]) {
    pass w = {.s = s, .field_out = u};
    parallel_for(workers(s), s->levels[0].slabs, start_task, &w);
    for (int n = 0; n < s->bodies.count; ++n) memcpy(s->bodies.body[n].x, V[n], sizeof *V);
}

void viscous_store(viscous *s, float *const u[3], double (*V)[6]) {
    pass w = {.s = s, .field_out = u};
    bodies_spread_exact(&s->bodies, s->x);
    parallel_for(workers(s), s->levels[0].slabs, store_task, &w);
    for (int n = 0; n < s->bodies.count; ++n) memcpy(V[n], s->bodies.body[n].x, sizeof *V);
}

viscous_result viscous_empty_result(const viscous *s) {
    viscous_result out = {.unknowns = s->levels[0].unknowns, .converged = true, .floating = s->parts.found};
    if (s->bodies.count) out.unknowns -= s->bodies.first[s->bodies.count];
    return out;
}

viscous_result viscous_solve(viscous *s, float *const u[3], const float *const b[3], double (*V)[6],
                             const double (*body_b)[6], double tolerance, int max_iterations) {
    viscous_result out = viscous_empty_result(s);
    if (!s->count || !s->levels[0].unknowns) return out;
    viscous_load(s, u, b, body_b);
    const double bb = replace_residual(s), goal = tolerance * tolerance * bb;
    /* From the warm start, or from 0 where that is nearer: old velocities that K meets with 1e6 are far off.
     */
    if (bb > 0) viscous_start(s, u, V);
    if (bb > 0 && replace_residual(s) > bb) viscous_load(s, u, b, body_b);
    iterate(s, &out, goal, max_iterations);
    out.converged = out.residual <= goal;
    out.residual = bb > 0 ? sqrt(out.residual / bb) : sqrt(out.residual);
    viscous_store(s, u, V);
    return out;
}
