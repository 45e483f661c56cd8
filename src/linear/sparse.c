/* Conjugate gradients for A = M + B^T B with B by rows; A is summed up, as incomplete Cholesky asks for its
 * entries.
 *
 *   A_ij = M_i [i = j] + sum_r B_ri B_rj
 *
 * Row i of A is the sum of those rows of B that have an entry in column i (Gustavson 1978); rows in order of
 * columns come from writing A down transposed, as A is symmetric. Preconditioners: the diagonal; IC(0), L
 * with the pattern of A's lower triangle (Meijerink and van der Vorst 1977). A pivot that falls below a
 * quarter of A's becomes A's.
 *
 * Everything is in double. Limits: transposing, IC(0) and the cycle run on one thread. */
#include "linear/sparse_cycle.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

enum { CHUNK = 1024 };
static const double SAFETY = 0.25;

struct sparse_solver {
    pool *p;
    sparse_kind kind, by; /* asked for; in use */
    int unknowns;
    sparse a, unordered, columns; /* columns: B^T */
    double *inverse;              /* 1 / A_ii, 0: left out */
    double *l, *pivot;            /* IC: in a's pattern; 1 / L_ii */
    double *r, *z, *search, *q;
    sparse_cycle cycle;
    buffer diagonal_memory, factor_memory, vector_memory, spare;
};

int sparse_hold_rows(sparse *a, int rows) {
    a->rows = rows;
    if (buffer_hold(&a->first_memory, ((size_t)rows + 1) * sizeof *a->first)) return -1;
    a->first = a->first_memory.data;
    return 0;
}

int sparse_hold_entries(sparse *a, int entries) {
    const size_t room = ((size_t)entries + 7) / 8 * 8;
    if (buffer_hold(&a->entry_memory, room * (sizeof *a->value + sizeof *a->column) + 1)) return -1;
    a->value = a->entry_memory.data;
    a->column = (int32_t *)(a->value + room);
    return 0;
}

void sparse_free(sparse *a) {
    buffer_drop(&a->first_memory);
    buffer_drop(&a->entry_memory);
    *a = (sparse){0};
}

size_t sparse_bytes(const sparse *a) {
    return a->first_memory.bytes + a->entry_memory.bytes;
}

sparse_solver *sparse_solver_create(pool *p, sparse_kind kind) {
    sparse_solver *s = mem_alloc(sizeof *s);
    if (!s) return NULL;
    s->p = p;
    s->kind = kind;
    return s;
}

void sparse_solver_free(sparse_solver *s) {
    if (!s) return;
    sparse_free(&s->a);
    sparse_free(&s->unordered);
    sparse_free(&s->columns);
    buffer_drop(&s->diagonal_memory);
    buffer_drop(&s->factor_memory);
    buffer_drop(&s->vector_memory);
    buffer_drop(&s->spare);
    sparse_cycle_free(&s->cycle);
    mem_free(s);
}

size_t sparse_solver_bytes(const sparse_solver *s) {
    return sizeof *s + sparse_bytes(&s->a) + sparse_bytes(&s->unordered) + sparse_bytes(&s->columns) +
           s->diagonal_memory.bytes + s->factor_memory.bytes + s->vector_memory.bytes + s->spare.bytes +
           sparse_cycle_bytes(&s->cycle);
}

/* ---- the matrix ---- */

int sparse_transpose(sparse *to, const sparse *a, int columns) {
    const int entries = a->first[a->rows];
    if (sparse_hold_rows(to, columns) || sparse_hold_entries(to, entries)) return -1;
    memset(to->first, 0, ((size_t)columns + 1) * sizeof *to->first);
    for (int e = 0; e < entries; ++e) ++to->first[a->column[e] + 1];
    for (int i = 0; i < columns; ++i) to->first[i + 1] += to->first[i];
    for (int r = 0; r < a->rows; ++r)
        for (int e = a->first[r]; e < a->first[r + 1]; ++e) {
            const int place = to->first[a->column[e]]++;
            to->column[place] = r;
            to->value[place] = a->value[e];
        }
    for (int i = columns; i > 0; --i) to->first[i] = to->first[i - 1];
    to->first[0] = 0;
    return 0;
}

/* ---- products ---- */

/* Rows are cut into PARTS, each with a place for every column: where in the product it was met last. */
enum { PARTS = 4 };
typedef struct product {
    sparse *to;
    const sparse *a, *b;
    int columns;
    int32_t *met;
} product;

static int part_begin(const product *w, int part) {
    return (int)((int64_t)w->a->rows * part / PARTS);
}

static void count_part(void *context, int part) {
    const product *w = context;
    const sparse *a = w->a, *b = w->b;
    int32_t *met = w->met + (ptrdiff_t)part * w->columns;
    memset(met, 0xff, (size_t)w->columns * sizeof *met);
    for (int i = part_begin(w, part); i < part_begin(w, part + 1); ++i) {
        int count = 0;
        for (int n = a->first[i]; n < a->first[i + 1]; ++n)
            for (int e = b->first[a->column[n]]; e < b->first[a->column[n] + 1]; ++e) {
                count += met[b->column[e]] != i;
                met[b->column[e]] = i;
            }
        w->to->first[i + 1] = count;
    }
}

static void fill_part(void *context, int part) {
    const product *w = context;
    const sparse *a = w->a, *b = w->b;
    int32_t *met = w->met + (ptrdiff_t)part * w->columns, *column = w->to->column;
    double *value = w->to->value;
    memset(met, 0xff, (size_t)w->columns * sizeof *met);
    for (int i = part_begin(w, part); i < part_begin(w, part + 1); ++i) {
        const int begin = w->to->first[i];
        int end = begin;
        for (int n = a->first[i]; n < a->first[i + 1]; ++n) {
            const double weight = a->value[n];
            for (int e = b->first[a->column[n]]; e < b->first[a->column[n] + 1]; ++e) {
                const int32_t j = b->column[e];
                if (met[j] < begin) {
                    met[j] = end;
                    column[end] = j;
                    value[end++] = 0;
                }
                value[met[j]] += weight * b->value[e];
            }
        }
    }
}

int sparse_multiply(sparse *to, const sparse *a, const sparse *b, int columns, buffer *spare, pool *p) {
    product w = {.to = to, .a = a, .b = b, .columns = columns};
    if (sparse_hold_rows(to, a->rows) || buffer_hold(spare, PARTS * (size_t)columns * sizeof *w.met + 1))
        return -1;
    w.met = spare->data;
    to->first[0] = 0;
    parallel_for(p, PARTS, count_part, &w);
    for (int i = 0; i < a->rows; ++i) to->first[i + 1] += to->first[i];
    if (sparse_hold_entries(to, to->first[a->rows])) return -1;
    parallel_for(p, PARTS, fill_part, &w);
    return 0;
}

/* L in the pattern of A's lower triangle; what lies above the diagonal is not read. */
static void factor(sparse_solver *s) {
    const sparse *a = &s->a;
    for (int i = 0; i < s->unknowns; ++i) {
        double left = 0, whole = 0;
        for (int e = a->first[i]; e < a->first[i + 1] && a->column[e] <= i; ++e) {
            const int j = a->column[e];
            double sum = a->value[e];
            if (j == i) {
                whole = sum;
                left += sum;
                break;
            }
            for (int m = a->first[i], n = a->first[j]; a->column[m] < j && a->column[n] < j;) {
                if (a->column[m] == a->column[n]) sum -= s->l[m++] * s->l[n++];
                else if (a->column[m] < a->column[n]) ++m;
                else ++n;
            }
            s->l[e] = sum * s->pivot[j];
            left -= s->l[e] * s->l[e];
        }
        if (!(left > SAFETY * whole)) left = whole;
        s->pivot[i] = left > SPARSE_LEAST ? 1 / sqrt(left) : 0;
    }
}

int sparse_solver_setup(sparse_solver *s, const sparse *terms, int unknowns, const sparse_ladder *ladder) {
    const size_t n = (size_t)unknowns;
    s->unknowns = unknowns;
    if (buffer_hold(&s->vector_memory, 4 * n * sizeof(double) + 1) ||
        buffer_hold(&s->diagonal_memory, 2 * n * sizeof(double) + 1) ||
        sparse_transpose(&s->columns, terms, unknowns) ||
        sparse_multiply(&s->unordered, &s->columns, terms, unknowns, &s->spare, s->p) ||
        sparse_transpose(&s->a, &s->unordered, unknowns)) /* in the order of columns, as A is symmetric */
        return -1;
    s->r = s->vector_memory.data;
    s->z = s->r + n;
    s->search = s->z + n;
    s->q = s->search + n;
    s->inverse = s->diagonal_memory.data;
    s->pivot = s->inverse + n;
    for (int i = 0; i < unknowns; ++i) {
        s->inverse[i] = 0;
        for (int e = s->a.first[i]; e < s->a.first[i + 1]; ++e)
            if (s->a.column[e] == i && s->a.value[e] > SPARSE_LEAST) s->inverse[i] = 1 / s->a.value[e];
    }
    if (s->kind == SPARSE_MULTIGRID) return sparse_cycle_setup(&s->cycle, &s->a, ladder, s->p);
    if (s->kind != SPARSE_IC) return 0;
    if (buffer_hold(&s->factor_memory, (size_t)s->a.first[unknowns] * sizeof *s->l + 1)) return -1;
    s->l = s->factor_memory.data;
    factor(s);
    return 0;
}

int64_t sparse_solver_unknowns(const sparse_solver *s) {
    int64_t count = 0;
    for (int i = 0; i < s->unknowns; ++i) count += s->inverse[i] > 0;
    return count;
}

/* ---- the solve ---- */

typedef struct pass {
    sparse_solver *s;
    double *y, alpha, beta;
    const double *x, *b;
} pass;

static int chunk_stop(const sparse_solver *s, int chunk) {
    const int end = (chunk + 1) * CHUNK;
    return end < s->unknowns ? end : s->unknowns;
}

static double row_times(const sparse *a, const double *x, int i) {
    double sum = 0;
    for (int e = a->first[i]; e < a->first[i + 1]; ++e) sum += a->value[e] * x[a->column[e]];
    return sum;
}

/* y = A x; returns x . y */
static double product_task(void *context, int chunk) {
    const pass *w = context;
    double dot = 0;
    for (int i = chunk * CHUNK; i < chunk_stop(w->s, chunk); ++i) {
        w->y[i] = row_times(&w->s->a, w->x, i);
        dot += w->y[i] * w->x[i];
    }
    return dot;
}

/* r = b - A x; returns r . r */
static double residual_task(void *context, int chunk) {
    const pass *w = context;
    double dot = 0;
    for (int i = chunk * CHUNK; i < chunk_stop(w->s, chunk); ++i) {
        w->y[i] = w->s->inverse[i] > 0 ? w->b[i] - row_times(&w->s->a, w->x, i) : 0;
        dot += w->y[i] * w->y[i];
    }
    return dot;
}

static double norm_task(void *context, int chunk) {
    const pass *w = context;
    double dot = 0;
    for (int i = chunk * CHUNK; i < chunk_stop(w->s, chunk); ++i)
        if (w->s->inverse[i] > 0) dot += w->b[i] * w->b[i];
    return dot;
}

/* x += alpha p, r -= alpha q; returns r . r */
static double descend_task(void *context, int chunk) {
    const pass *w = context;
    sparse_solver *s = w->s;
    double dot = 0;
    for (int i = chunk * CHUNK; i < chunk_stop(s, chunk); ++i) {
        w->y[i] += w->alpha * s->search[i];
        s->r[i] -= w->alpha * s->q[i];
        dot += s->r[i] * s->r[i];
    }
    return dot;
}

static void direct_task(void *context, int chunk) {
    const pass *w = context;
    for (int i = chunk * CHUNK; i < chunk_stop(w->s, chunk); ++i)
        w->s->search[i] = w->s->z[i] + w->beta * w->s->search[i];
}

/* z = r / A_ii, unless z is there; returns r . z */
static double dot_task(void *context, int chunk) {
    const pass *w = context;
    sparse_solver *s = w->s;
    double dot = 0;
    for (int i = chunk * CHUNK; i < chunk_stop(s, chunk); ++i) {
        if (s->by == SPARSE_JACOBI) s->z[i] = s->inverse[i] * s->r[i];
        dot += s->r[i] * s->z[i];
    }
    return dot;
}

/* z = (L L^T)^-1 r */
static void substitute(sparse_solver *s) {
    const sparse *a = &s->a;
    for (int i = 0; i < s->unknowns; ++i) {
        double sum = s->r[i];
        for (int e = a->first[i]; e < a->first[i + 1] && a->column[e] < i; ++e)
            sum -= s->l[e] * s->z[a->column[e]];
        s->z[i] = sum * s->pivot[i];
    }
    for (int i = s->unknowns - 1; i >= 0; --i) {
        s->z[i] *= s->pivot[i];
        for (int e = a->first[i]; e < a->first[i + 1] && a->column[e] < i; ++e)
            s->z[a->column[e]] -= s->l[e] * s->z[i];
    }
}

static double precondition(sparse_solver *s, pass *w) {
    if (s->by == SPARSE_IC) substitute(s);
    if (s->by == SPARSE_MULTIGRID) sparse_cycle_apply(&s->cycle, s->z, s->r);
    return parallel_sum(s->p, block_count(s->unknowns, CHUNK), dot_task, w);
}

void sparse_product(const sparse_solver *s, double *y, const double *x) {
    for (int i = 0; i < s->unknowns; ++i) y[i] = row_times(&s->a, x, i);
}

/* r = b - A x and its square. */
static double replace_residual(sparse_solver *s, pass *w, double *x) {
    w->x = x;
    w->y = s->r;
    return parallel_sum(s->p, block_count(s->unknowns, CHUNK), residual_task, w);
}

/* One step; returns r . r as the recursion has it, or a negative number where there is no way on. */
static double step(sparse_solver *s, pass *w, double *x, double *rz_before) {
    const int chunks = block_count(s->unknowns, CHUNK);
    double rz = precondition(s, w);
    if (!(rz > 0) && s->by != SPARSE_JACOBI) { /* not positive: the diagonal is */
        s->by = SPARSE_JACOBI;
        *rz_before = 0;
        rz = precondition(s, w);
    }
    if (!(rz > 0)) return -1;
    w->beta = *rz_before > 0 ? rz / *rz_before : 0;
    parallel_for(s->p, chunks, direct_task, w);
    w->x = s->search;
    w->y = s->q;
    const double pq = parallel_sum(s->p, chunks, product_task, w);
    if (!(pq > 0)) return -1;
    w->alpha = rz / pq;
    w->y = x;
    *rz_before = rz;
    return parallel_sum(s->p, chunks, descend_task, w);
}

sparse_result sparse_solve(sparse_solver *s, double *x, const double *b, double tolerance,
                           int max_iterations) {
    pass w = {.s = s, .b = b};
    sparse_result out = {0};
    const double bb = parallel_sum(s->p, block_count(s->unknowns, CHUNK), norm_task, &w);
    const double goal = tolerance * tolerance * bb;
    double rr = replace_residual(s, &w, x), rz_before = 0;
    bool exact = true;
    if (rr > bb) {
        for (int i = 0; i < s->unknowns; ++i)
            if (s->inverse[i] > 0) x[i] = 0;
        rr = replace_residual(s, &w, x);
    }
    memset(s->search, 0, (size_t)s->unknowns * sizeof *s->search);
    s->by = s->kind;
    while (out.iterations < max_iterations && rr > goal) {
        rr = step(s, &w, x, &rz_before);
        ++out.iterations;
        exact = false;
        if (rr > goal) continue;
        const bool stuck = rr < 0;
        rr = replace_residual(s, &w, x);
        exact = true;
        if (stuck) break;
    }
    if (!exact) rr = replace_residual(s, &w, x);
    out.residual = bb > 0 ? sqrt(rr / bb) : 0;
    out.converged = rr <= goal;
    return out;
}
