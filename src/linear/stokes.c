/* MINRES for viscosity and pressure together.
 *
 * Preconditioner: diag(the viscous cycle, 1/S and inertia's share, stokes_inertia.c), symmetric and positive,
 * so that the norm that MINRES brings down is an energy: |r_u|^2 in A^-1 and |r_q|^2 in 2 mu, which asks of
 * both equations what the velocity owes them, however stiff the fluid is. A solve starts from the warm start
 * or from 0, whichever is nearer.
 *
 * Vectors are float but for the iterates and the directions w that they are made of: unlike in CG nobody
 * multiplies these by A, and rounding in them comes back times K. The residual is recomputed in double before
 * anything is called converged; if it is not as small as the recursion says, the recursion starts anew.
 *
 * A part that floats freely has motions R with K R = 0 and G^T R = 0: they are deflated as without pressure.
 * Regions that are closed have q up to a constant, and outflows that must sum up to 0: what they cannot
 * swallow is taken off evenly.
 *
 * Source: Paige and Saunders 1975; Elman, Silvester and Wathen 2014, 4.1. Limits: no periodic axes.
 */
#include "linear/stokes.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "linear/stokes_inside.h"

#define REAL        float
#define ROW_NAME(f) f##_float
#include "linear/viscous_row.h"
#undef REAL
#undef ROW_NAME
#define REAL        double
#define ROW_NAME(f) f##_double
#include "linear/viscous_row.h"

/* The recursion's norm is a few per cent below the true one. */
static const double CARE = 0.9;
/* A recursion that brought less than this is the last. */
static const double WORTHWHILE = 0.7;

stokes *stokes_create(const box *b, pool *p, viscous_kind kind) {
    stokes *t = mem_alloc(sizeof *t);
    if (!t) return NULL;
    t->s = viscous_create(b, p, kind);
    if (t->s) return t;
    mem_free(t);
    return NULL;
}

void stokes_free(stokes *t) {
    if (!t) return;
    viscous_free(t->s);
    poisson_free(t->inertia);
    buffer *all[] = {&t->inertia_memory, &t->floats, &t->doubles, &t->spans, &t->places,
                     &t->sums,           &t->rows,   &t->firsts,  &t->bodies};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) buffer_drop(all[i]);
    mem_free(t);
}

size_t stokes_bytes(const stokes *t) {
    return sizeof *t + viscous_bytes(t->s) + t->floats.bytes + t->doubles.bytes + t->spans.bytes +
           t->places.bytes + t->rows.bytes + t->inertia_memory.bytes +
           (t->inertia ? poisson_bytes(t->inertia) : 0);
}

int stokes_setup(stokes *t, const stokes_system *system) {
    if (viscous_setup(t->s, &system->faces)) return -1;
    if (!t->s->levels[0].unknowns) return 0;
    if (!stokes_cells_setup(t, system)) return 0;
    t->s->count = 0;
    return -1;
}

/* ---- passes over faces and cells ---- */

typedef struct pass {
    stokes *t;
    double scale, before;  /* of A z and of the vector before */
    double w_before, w, x; /* of the direction before last, of the last one, and of the new one in x */
    double unscale;        /* of z */
    float *q_field;
    const float *asked;
} pass;

/* A row's cells. */
#define FOR_CELLS(t, slab, row, at)                                                                          \
    for (int row = (slab) * (t)->s->levels[0].slab_rows; row < slab_end(&(t)->s->levels[0], slab); ++row)    \
        for (ptrdiff_t at = row_start(&(t)->s->levels[0], row) + (t)->from[row],                             \
                       end_ = row_start(&(t)->s->levels[0], row) + (t)->to[row];                             \
             at < end_; at += 8)

INLINE vec8 load_any(const float *from) {
    vec8 v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* -sum +-open_f u_f of eight cells. */
INLINE vec8 inflow(const stokes *t, const float *u, ptrdiff_t at, int dim) {
    const viscous_level *l = &t->s->levels[0];
    vec8 sum = {0};
    for (int c = 0; c < dim; ++c) {
        const float *uc = u + (size_t)c * l->size + at, *open = t->open[c] + at;
        const ptrdiff_t step = l->step[c];
        sum += load8(open) * load8(uc) - load_any(open + step) * load_any(uc + step);
    }
    return sum;
}

INLINE void multiply_slab(const pass *w, double *dot, int slab, int dim, int crossed, int weighted) {
    const stokes *t = w->t;
    const viscous *s = t->s;
    const viscous_level *l = &s->levels[0];
    const vec8 scale = vec8_of((float)w->scale), before = vec8_of((float)w->before);
    dvec8 sum = dvec8_of(0);
    float *restrict product = slab_scratch(l, slab);
    FOR_RUNS(l, slab, c, at, from, to) {
        const ptrdiff_t row = row_start(l, row_), step = l->step[c];
        run_product_float(product, l, s->z, c, row, &l->runs[n_], dim, crossed, weighted);
        for (int i = from; i < to; i += 8) {
            const vec8 rise = load8(t->z + row + i) - load_any(t->z + row + i - step);
            vec8 y = scale * (load8(product + i) + load8(t->open[c] + row + i) * rise);
            y = (vec8)((mask8)y & (load8(l->inverse[c] + row + i) > 0)) - before * load8(s->q + at + i);
            *(vec8 *)(s->q + at + i) = y;
            sum = dvec8_plus_dot(sum, y, load8(s->z + at + i));
        }
    }
    FOR_CELLS(t, slab, row, at) {
        const vec8 flow = scale * inflow(t, s->z, at, dim);
        const vec8 y = (vec8)((mask8)flow & (load8(t->inverse + at) > 0)) - before * load8(t->before + at);
        *(vec8 *)(t->before + at) = y;
        sum = dvec8_plus_dot(sum, y, load8(t->z + at));
    }
    *dot = dvec8_total(sum);
}

/* The vector before becomes scale (A z) - before (the vector before); returns its product with z. */
HOT static double multiply_task(void *context, int slab) {
    const pass *w = context;
    double dot = 0;
#define MULTIPLY(dim, crossed, weighted) multiply_slab(w, &dot, slab, dim, crossed, weighted)
    VISCOUS_DISPATCH(&w->t->s->levels[0], MULTIPLY);
#undef MULTIPLY
    return dot;
}

/* Less `before` times the last vector; of cells z = r / S as well. Returns r . z of cells. */
HOT static double orthogonalise_task(void *context, int slab) {
    const pass *w = context;
    const stokes *t = w->t;
    const viscous *s = t->s;
    const viscous_level *l = &s->levels[0];
    const vec8 before = vec8_of((float)w->before);
    dvec8 sum = dvec8_of(0);
    FOR_RUNS(l, slab, c, at, from, to)
    for (ptrdiff_t i = at + from; i < at + to; i += 8)
        *(vec8 *)(s->q + i) = load8(s->q + i) - before * load8(s->r + i);
    FOR_CELLS(t, slab, row, at) {
        const vec8 r = load8(t->before + at) - before * load8(t->r + at), z = load8(t->inverse + at) * r;
        *(vec8 *)(t->before + at) = r;
        *(vec8 *)(t->z_old + at) = z;
        sum = dvec8_plus_dot(sum, r, z);
    }
    return dvec8_total(sum);
}

INLINE void descend_eight(const pass *w, double *restrict oldest, const double *restrict last,
                          const float *restrict z, double *restrict x, ptrdiff_t i) {
    dvec8 d = vec8_wide(load8(z + i));
    d.low *= w->unscale;
    d.high *= w->unscale;
    d = dvec8_plus_product(d, dvec8_of(-w->w_before), *(dvec8 *)(oldest + i));
    d = dvec8_plus_product(d, dvec8_of(-w->w), *(const dvec8 *)(last + i));
    *(dvec8 *)(oldest + i) = d;
    *(dvec8 *)(x + i) = dvec8_plus_product(*(dvec8 *)(x + i), dvec8_of(w->x), d);
}

/* w = unscale z - w_before (w before last) - w (last w), in the place of the oldest; x += x w */
HOT static void descend_task(void *context, int slab) {
    const pass *w = context;
    const stokes *t = w->t;
    const viscous *s = t->s;
    const viscous_level *l = &s->levels[0];
    FOR_RUNS(l, slab, c, at, from, to)
    for (ptrdiff_t i = at + from; i < at + to; i += 8)
        descend_eight(w, t->face_w[0], t->face_w[1], s->search, s->x, i);
    FOR_CELLS(t, slab, row, at) descend_eight(w, t->w[0], t->w[1], t->z_old, t->x, at);
}

/* r_u = b - A u - G q */
INLINE void face_residual(const stokes *t, int slab, int dim, int crossed, int weighted) {
    const viscous *s = t->s;
    const viscous_level *l = &s->levels[0];
    double *restrict ax = s->row + slab * l->step[1];
    FOR_RUNS(l, slab, c, at, from, to) {
        const ptrdiff_t row = row_start(l, row_), step = l->step[c];
        run_product_double(ax, l, s->x, c, row, &l->runs[n_], dim, crossed, weighted);
        for (int i = from; i < to; ++i) {
            const double pull = (double)t->open[c][row + i] * (t->x[row + i] - t->x[row + i - step]);
            s->r[at + i] = l->inverse[c][row + i] > 0 ? (float)((double)s->rhs[at + i] - ax[i] - pull) : 0;
        }
    }
}

/* r_q = sum +-open_f u_f - g */
static void cell_residual(const stokes *t, int slab) {
    const viscous_level *l = &t->s->levels[0];
    FOR_CELLS(t, slab, row, at)
    for (ptrdiff_t q = at; q < at + 8; ++q) {
        double flow = -(double)t->rhs[q];
        for (int c = 0; c < l->dim; ++c) {
            const double *u = t->s->x + (size_t)c * l->size + q;
            const ptrdiff_t step = l->step[c];
            flow += (double)t->open[c][q + step] * u[step] - (double)t->open[c][q] * u[0];
        }
        t->r[q] = t->inverse[q] > 0 ? (float)flow : 0;
    }
}

HOT static void residual_task(void *context, int slab) {
    const stokes *t = ((const pass *)context)->t;
#define RESIDUAL(dim, crossed, weighted) face_residual(t, slab, dim, crossed, weighted)
    VISCOUS_DISPATCH(&t->s->levels[0], RESIDUAL);
#undef RESIDUAL
    cell_residual(t, slab);
}

/* Cells' z = r / S; returns r . z */
HOT static double scale_task(void *context, int slab) {
    const stokes *t = ((const pass *)context)->t;
    dvec8 sum = dvec8_of(0);
    FOR_CELLS(t, slab, row, at) {
        const vec8 r = load8(t->r + at), z = load8(t->inverse + at) * r;
        *(vec8 *)(t->z + at) = z;
        sum = dvec8_plus_dot(sum, r, z);
    }
    return dvec8_total(sum);
}

/* r . x and x . x of faces */
static double energy_task(void *context, int slab) {
    const viscous *s = ((const pass *)context)->t->s;
    const viscous_level *l = &s->levels[0];
    double sum = 0;
    FOR_RUNS(l, slab, c, at, from, to)
    for (ptrdiff_t i = at + from; i < at + to; ++i) sum += (double)s->r[i] * s->x[i];
    return sum;
}
static double square_task(void *context, int slab) {
    const viscous *s = ((const pass *)context)->t->s;
    const viscous_level *l = &s->levels[0];
    double sum = 0;
    FOR_RUNS(l, slab, c, at, from, to)
    for (ptrdiff_t i = at + from; i < at + to; ++i) sum += s->x[i] * s->x[i];
    return sum;
}

static double cell_square_task(void *context, int slab) {
    const stokes *t = ((const pass *)context)->t;
    dvec8 sum = dvec8_of(0);
    FOR_CELLS(t, slab, row, at) sum = dvec8_plus_dot(sum, load8(t->r + at), load8(t->r + at));
    return dvec8_total(sum);
}

/* Nothing lies before the first vector, no direction before the first. */
static void clear_task(void *context, int slab) {
    stokes *t = ((const pass *)context)->t;
    const viscous_level *l = &t->s->levels[0];
    FOR_RUNS(l, slab, c, at, from, to) {
        memset(t->s->q + at + from, 0, (size_t)(to - from) * sizeof(float));
        for (int i = 0; i < 2; ++i) memset(t->face_w[i] + at + from, 0, (size_t)(to - from) * sizeof(double));
    }
    FOR_CELLS(t, slab, row, at) {
        memset(t->before + at, 0, 8 * sizeof(float));
        for (int i = 0; i < 2; ++i) memset(t->w[i] + at, 0, 8 * sizeof(double));
    }
}

/* ---- between fields and levels ---- */

/* Samples of the level's row that are cells of the box. */
static bool cells_of_row(int part[2], ptrdiff_t *in_box, const stokes *t, int row) {
    const viscous_level *l = &t->s->levels[0];
    const box *b = &t->s->b;
    const int j = row % l->n[1] + l->origin[1], k = row / l->n[1] + l->origin[2];
    if (j < 0 || j >= b->n[1] || k < 0 || k >= b->n[2] || t->from[row] == t->to[row]) return false;
    const int end = b->n[0] - l->origin[0];
    part[0] = t->from[row] > -l->origin[0] ? t->from[row] : -l->origin[0];
    part[1] = t->to[row] < end ? t->to[row] : end;
    *in_box = box_at(b, l->origin[0], j, l->dim == 3 ? k : 0);
    return true;
}

static void load_task(void *context, int slab) {
    const pass *w = context;
    const viscous_level *l = &w->t->s->levels[0];
    int part[2];
    ptrdiff_t in_box;
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row) {
        if (!cells_of_row(part, &in_box, w->t, row)) continue;
        for (int i = part[0]; i < part[1]; ++i) {
            const ptrdiff_t q = row_start(l, row) + i;
            w->t->rhs[q] = w->asked && w->t->inverse[q] > 0 ? w->asked[in_box + i] : 0;
            w->t->x[q] = 0;
        }
    }
}

/* The warm start, or 0 where there is none. */
static void start_task(void *context, int slab) {
    const pass *w = context;
    const viscous_level *l = &w->t->s->levels[0];
    int part[2];
    ptrdiff_t in_box;
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row) {
        if (!cells_of_row(part, &in_box, w->t, row)) continue;
        for (int i = part[0]; i < part[1]; ++i) {
            const ptrdiff_t q = row_start(l, row) + i;
            w->t->x[q] = w->q_field && w->t->inverse[q] > 0 ? (double)w->q_field[in_box + i] : 0;
        }
    }
}

/* Whole rows of the box, as other cells get 0. */
static void store_task(void *context, int row) {
    const pass *w = context;
    const viscous_level *l = &w->t->s->levels[0];
    const box *b = &w->t->s->b;
    const int j = row % b->n[1], k = row / b->n[1], y = j - l->origin[1], z = k - l->origin[2];
    float *q = w->q_field + box_at(b, 0, j, k);
    memset(q, 0, (size_t)b->n[0] * sizeof *q);
    if (y < 0 || y >= l->n[1] || z < 0 || z >= l->n[2]) return;
    const int in_level = y + l->n[1] * z;
    int part[2];
    ptrdiff_t in_box;
    if (!cells_of_row(part, &in_box, w->t, in_level)) return;
    for (int i = part[0]; i < part[1]; ++i)
        w->q_field[in_box + i] = (float)w->t->x[row_start(l, in_level) + i];
}

/* ---- bodies ---- */

/* The residuals of cells and bodies by what bodies drive out of cells. */
static void add_bodies_residual(stokes *t) {
    for (int n = 0; n < t->s->bodies.count; ++n) {
        body_state *b = &t->s->bodies.body[n];
        for (int i = t->first[n]; i < t->first[n + 1]; ++i)
            for (int m = 0; m < BODY_DOF; ++m) {
                const double value = (double)t->row[i].value[m];
                t->r[t->row[i].at] += (float)(value * b->x[m]);
                b->r[m] += value * t->x[t->row[i].at];
            }
    }
}

/* After the product of faces and cells: what bodies have in it. Returns what that adds to z . y */
static double multiply_bodies(stokes *t, const pass *w) {
    double dot = bodies_multiply(&t->s->bodies, t->s->q) / w->scale;
    for (int n = 0; n < t->s->bodies.count; ++n) {
        body_state *b = &t->s->bodies.body[n];
        double more[BODY_DOF];
        for (int m = 0; m < BODY_DOF; ++m) more[m] = -w->before * t->body[n].before[m];
        for (int i = t->first[n]; i < t->first[n + 1]; ++i) {
            const ptrdiff_t at = t->row[i].at;
            double flow = 0;
            for (int m = 0; m < BODY_DOF; ++m) {
                const double value = (double)t->row[i].value[m];
                flow -= value * b->search[m];
                more[m] -= w->scale * value * (double)t->z[at];
            }
            t->before[at] += (float)flow;
            dot += flow * (double)t->z[at];
        }
        for (int m = 0; m < BODY_DOF; ++m) {
            b->q[m] += more[m];
            dot += more[m] * b->z[m];
        }
    }
    return dot;
}

static void orthogonalise_bodies(stokes *t, double before) {
    for (int n = 0; n < t->s->bodies.count; ++n) {
        body_state *b = &t->s->bodies.body[n];
        for (int m = 0; m < BODY_DOF; ++m) {
            const double last = b->r[m];
            b->r[m] = b->q[m] - before * last;
            t->body[n].before[m] = last;
            t->body[n].z[m] = b->z[m];
        }
    }
}

static void descend_bodies(stokes *t, const pass *w) {
    for (int n = 0; n < t->s->bodies.count; ++n) {
        stokes_body *b = &t->body[n];
        for (int m = 0; m < BODY_DOF; ++m) {
            const double d = w->unscale * b->z[m] - w->w_before * b->w[0][m] - w->w * b->w[1][m];
            b->w[0][m] = b->w[1][m];
            b->w[1][m] = d;
            t->s->bodies.body[n].x[m] += w->x * d;
        }
    }
}

/* ---- the solve ---- */

static void find_residual(stokes *t) {
    pass w = {.t = t};
    viscous *s = t->s;
    bodies_spread_exact(&s->bodies, s->x);
    parallel_for(workers(s), s->levels[0].slabs, residual_task, &w);
    if (!s->bodies.count) return;
    bodies_residual(&s->bodies, &s->levels[0], s->x, s->r);
    add_bodies_residual(t);
}

/* What cells' outflow is off by, 2-norm, relative to that of u. */
static double find_outflow(stokes *t) {
    pass w = {.t = t};
    const int slabs = t->s->levels[0].slabs;
    const double rr = parallel_sum(workers(t->s), slabs, cell_square_task, &w),
                 uu = parallel_sum(workers(t->s), slabs, square_task, &w);
    return uu > 0 ? sqrt(rr / uu) : 0;
}

/* z = M r and the norm of the residual; where the cycle proves not positive, by the diagonal. */
static double norm(stokes *t, viscous_kind *by) {
    pass w = {.t = t};
    const double cells = parallel_sum(workers(t->s), t->s->levels[0].slabs, scale_task, &w) +
                         stokes_inertia_add(t, t->z, t->r);
    double rz = viscous_precondition(t->s, *by);
    if (!(rz >= 0) && *by != VISCOUS_JACOBI) {
        *by = VISCOUS_JACOBI;
        rz = viscous_precondition(t->s, *by);
    }
    return sqrt(rz + cells);
}

static void swap(float **a, float **b) {
    float *const was = *a;
    *a = *b;
    *b = was;
}
static void swap_exact(double **a, double **b) {
    double *const was = *a;
    *a = *b;
    *b = was;
}

/* The next of the vectors, into r, and its z; the last ones go to q, search, before, z_old. Returns the
 * square of its norm; *alpha is the diagonal of the recursion's matrix, beta the last norm, beta_before the
 * one before it or 0. */
static double next_vector(stokes *t, double *alpha, double beta, double beta_before, viscous_kind by) {
    viscous *s = t->s;
    const int slabs = s->levels[0].slabs;
    pass w = {.t = t, .scale = 1 / beta, .before = beta_before > 0 ? beta / beta_before : 0};
    for (int n = 0; n < s->bodies.count; ++n)
        for (int m = 0; m < BODY_DOF; ++m) s->bodies.body[n].search[m] = s->bodies.body[n].z[m] * w.scale;
    bodies_spread(&s->bodies, s->z, BODY_FIELD(z));
    double dot = parallel_sum(workers(s), slabs, multiply_task, &w);
    dot += multiply_bodies(t, &w);
    *alpha = dot / beta;
    w.before = *alpha / beta;
    double cells = parallel_sum(workers(s), slabs, orthogonalise_task, &w);
    orthogonalise_bodies(t, w.before);
    swap(&s->r, &s->q);
    swap(&t->r, &t->before);
    swap(&s->z, &s->search);
    swap(&t->z, &t->z_old);
    cells += stokes_inertia_add(t, t->z, t->r);
    return cells + viscous_precondition(s, by);
}

static void step_along(stokes *t, pass *w) {
    parallel_for(workers(t->s), t->s->levels[0].slabs, descend_task, w);
    swap_exact(&t->face_w[0], &t->face_w[1]);
    swap_exact(&t->w[0], &t->w[1]);
    descend_bodies(t, w);
}

/* From the residual whose norm is beta, and its z, until the recursion's norm is `goal`. Returns how many
 * steps it took. */
static int recur(stokes *t, double beta, double goal, int most, viscous_kind by) {
    pass w = {.t = t};
    double before = 0, cosine = -1, sine = 0, d_bar = 0, epsilon = 0, left = beta;
    int steps = 0;
    parallel_for(workers(t->s), t->s->levels[0].slabs, clear_task, &w);
    for (int n = 0; n < t->s->bodies.count; ++n) memset(&t->body[n], 0, sizeof *t->body);
    while (left > goal && steps < most && beta > 0) {
        double alpha;
        const double square = next_vector(t, &alpha, beta, before, by);
        if (!(square >= 0)) break;
        before = beta;
        beta = sqrt(square);
        const double epsilon_old = epsilon, delta = cosine * d_bar + sine * alpha;
        const double g_bar = sine * d_bar - cosine * alpha, gamma = fmax(hypot(g_bar, beta), 1e-300);
        epsilon = sine * beta;
        d_bar = -cosine * beta;
        cosine = g_bar / gamma;
        sine = beta / gamma;
        w.unscale = 1 / (before * gamma);
        w.w_before = epsilon_old / gamma;
        w.w = delta / gamma;
        w.x = cosine * left;
        left *= sine;
        step_along(t, &w);
        ++steps;
    }
    return steps;
}

/* At rest, but for the rigid motions of parts that float, which are right already. Returns the norm from
 * there; *asked is that of the right-hand sides, in which these motions have their share. */
static double start_at_rest(stokes *t, double *asked, viscous_kind *by, viscous_result *out) {
    viscous *s = t->s;
    pass w = {.t = t};
    find_residual(t);
    out->incompatibility = stokes_cells_balance(t);
    double rigid = 0;
    if (s->parts.count) {
        parts_start(&s->parts, workers(s), s->x, s->r);
        rigid = parallel_sum(workers(s), s->levels[0].slabs, energy_task, &w);
        find_residual(t);
    }
    const double left = norm(t, by);
    *asked = sqrt(left * left + fmax(rigid, 0));
    return left;
}

/* From the warm start unless that is farther off. Returns the norm. */
static double start(stokes *t, double at_rest, float *const u[3], float *q, double (*V)[6],
                    const float *const b[3], const double (*body_b)[6], viscous_kind *by) {
    viscous *s = t->s;
    pass w = {.t = t, .q_field = q};
    double left = at_rest;
    for (int warm = 1; warm >= 0; --warm) {
        if (warm) viscous_start(s, u, V);
        else viscous_load(s, u, b, body_b);
        if (!warm) w.q_field = NULL;
        parallel_for(workers(s), s->levels[0].slabs, start_task, &w);
        if (s->parts.count) {
            find_residual(t);
            parts_start(&s->parts, workers(s), s->x, s->r);
        }
        find_residual(t);
        left = norm(t, by);
        if (left <= at_rest) break;
    }
    return left;
}

static void iterate(stokes *t, viscous_result *out, double left, double goal, int most, viscous_kind by) {
    while (left > goal && isfinite(left) && out->iterations < most) {
        const double was = left;
        const int steps = recur(t, left, CARE * goal, most - out->iterations, by);
        find_residual(t);
        left = norm(t, &by);
        out->iterations += steps;
        if (!steps || left > WORTHWHILE * was) break;
    }
    out->residual = left;
}

viscous_result stokes_solve(stokes *t, float *const u[3], float *q, const float *const b[3], const float *g,
                            double (*V)[6], const double (*body_b)[6], double tolerance, int max_iterations) {
    viscous *s = t->s;
    viscous_result out = viscous_empty_result(s);
    viscous_kind by = s->kind;
    pass w = {.t = t, .q_field = q, .asked = g};
    double asked;
    if (!s->count || !s->levels[0].unknowns) {
        parallel_zero(s->p, q, s->b.size * sizeof *q);
        return out;
    }
    out.cells = t->cells;
    out.closed_regions = t->regions;
    viscous_load(s, u, b, body_b);
    parallel_for(workers(s), s->levels[0].slabs, load_task, &w);
    double left = start_at_rest(t, &asked, &by, &out);
    left = start(t, left, u, q, V, b, body_b, &by);
    iterate(t, &out, left, tolerance * asked, max_iterations, by);
    out.converged = out.residual <= tolerance * asked;
    if (asked > 0) out.residual /= asked;
    out.outflow = find_outflow(t);
    stokes_cells_centre(t);
    viscous_store(s, u, V);
    parallel_for(s->p, s->b.n[1] * s->b.n[2], store_task, &w);
    return out;
}
