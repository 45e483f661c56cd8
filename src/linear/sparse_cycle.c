/* One V(1,1) cycle for sparse systems: coarser ones are A_c = P^T A P (Galerkin), so that whatever the finest
 * knows - walls, surfaces, bodies, jumps - they know.
 *
 * Smoother: Gauss-Seidel in the order of unknowns on the way down, in the reversed order on the way up, which
 * keeps the cycle symmetric. Entries and vectors of the cycle are float, coarser matrices are summed in
 * double. Coarsest level: Cholesky.
 *
 * Source: Trottenberg et al. 2001, ch. 2. Limits: one thread. */
#include "linear/sparse_cycle.h"

#include <math.h>
#include <string.h>

enum { DENSE_MOST = 400 };

void sparse_cycle_free(sparse_cycle *c) {
    for (int n = 0; n < SPARSE_LEVELS; ++n) {
        sparse_free(&c->level[n].own);
        buffer_drop(&c->level[n].memory);
        buffer_drop(&c->level[n].value_memory);
    }
    sparse_free(&c->down);
    sparse_free(&c->half);
    buffer_drop(&c->spare);
    buffer_drop(&c->factor_memory);
}

size_t sparse_cycle_bytes(const sparse_cycle *c) {
    size_t bytes = c->spare.bytes + c->factor_memory.bytes + sparse_bytes(&c->down) + sparse_bytes(&c->half);
    for (int n = 0; n < SPARSE_LEVELS; ++n)
        bytes += sparse_bytes(&c->level[n].own) + c->level[n].memory.bytes + c->level[n].value_memory.bytes;
    return bytes;
}

/* ---- setup ---- */

static int take_level(sparse_level *l, const sparse *a) {
    const size_t n = (size_t)a->rows, entries = (size_t)a->first[a->rows];
    l->a = a;
    l->unknowns = a->rows;
    if (buffer_hold(&l->memory, 3 * n * sizeof(float) + 1) ||
        buffer_hold(&l->value_memory, entries * sizeof(float) + 1))
        return -1;
    l->inverse = l->memory.data;
    l->x = l->inverse + n;
    l->b = l->x + n;
    l->value = l->value_memory.data;
    for (size_t e = 0; e < entries; ++e) l->value[e] = (float)a->value[e];
    for (int i = 0; i < a->rows; ++i) {
        l->inverse[i] = 0;
        for (int e = a->first[i]; e < a->first[i + 1]; ++e)
            if (a->column[e] == i && a->value[e] > SPARSE_LEAST) l->inverse[i] = (float)(1 / a->value[e]);
    }
    return 0;
}

/* L L^T of the last level; a pivot that is as good as nothing is left out. */
static int factorise(sparse_cycle *c) {
    const sparse_level *last = &c->level[c->count - 1];
    const int n = last->unknowns;
    if (buffer_hold(&c->factor_memory, ((size_t)n * (size_t)n + (size_t)n) * sizeof(double) + 1)) return -1;
    c->dense = n;
    c->factor = c->factor_memory.data;
    c->y = c->factor + (size_t)n * (size_t)n;
    memset(c->factor, 0, (size_t)n * (size_t)n * sizeof *c->factor);
    for (int i = 0; i < n; ++i)
        for (int e = last->a->first[i]; e < last->a->first[i + 1]; ++e)
            c->factor[i * (ptrdiff_t)n + last->a->column[e]] = last->a->value[e];
    for (int i = 0; i < n; ++i) {
        double *row = c->factor + i * (ptrdiff_t)n;
        const double whole = row[i];
        for (int j = 0; j <= i; ++j) {
            const double *other = c->factor + j * (ptrdiff_t)n;
            double sum = row[j];
            for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
            if (j < i) row[j] = sum * other[j];
            else row[i] = sum > SPARSE_LEAST && sum > 1e-10 * whole ? 1 / sqrt(sum) : 0;
        }
    }
    return 0;
}

int sparse_cycle_setup(sparse_cycle *c, const sparse *a, const sparse_ladder *ladder, pool *p) {
    c->count = 1;
    c->P = ladder->P;
    if (take_level(&c->level[0], a)) return -1;
    for (int n = 0; n < ladder->steps && n + 1 < SPARSE_LEVELS; ++n) {
        sparse_level *l = &c->level[n], *next = l + 1;
        if (l->unknowns <= DENSE_MOST / 4) break;
        if (sparse_transpose(&c->down, &ladder->P[n], ladder->columns[n]) ||
            sparse_multiply(&c->half, l->a, &ladder->P[n], ladder->columns[n], &c->spare, p) ||
            sparse_multiply(&next->own, &c->down, &c->half, ladder->columns[n], &c->spare, p) ||
            take_level(next, &next->own))
            return -1;
        ++c->count;
    }
    c->dense = 0;
    return c->level[c->count - 1].unknowns <= DENSE_MOST ? factorise(c) : 0;
}

/* ---- the cycle ---- */

static void relax(const sparse_level *l, float *x, const float *b, int i) {
    const int *column = l->a->column;
    float sum = b[i];
    for (int e = l->a->first[i]; e < l->a->first[i + 1]; ++e) sum -= l->value[e] * x[column[e]];
    x[i] += l->inverse[i] * sum;
}

static void smooth(const sparse_level *l, int back) {
    if (back)
        for (int i = l->unknowns - 1; i >= 0; --i) relax(l, l->x, l->b, i);
    else
        for (int i = 0; i < l->unknowns; ++i) relax(l, l->x, l->b, i);
}

/* The right-hand side of the next level: P^T (b - A x). */
static void restrict_residual(sparse_level *l, const sparse *P) {
    sparse_level *next = l + 1;
    memset(next->b, 0, (size_t)next->unknowns * sizeof *next->b);
    for (int i = 0; i < l->unknowns; ++i) {
        float r = l->b[i];
        if (!(l->inverse[i] > 0)) continue;
        for (int e = l->a->first[i]; e < l->a->first[i + 1]; ++e) r -= l->value[e] * l->x[l->a->column[e]];
        for (int e = P->first[i]; e < P->first[i + 1]; ++e) next->b[P->column[e]] += (float)P->value[e] * r;
    }
}

static void solve_dense(sparse_cycle *c, sparse_level *l) {
    const int n = c->dense;
    for (int i = 0; i < n; ++i) {
        const double *row = c->factor + i * (ptrdiff_t)n;
        double sum = (double)l->b[i];
        for (int k = 0; k < i; ++k) sum -= row[k] * c->y[k];
        c->y[i] = sum * row[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        const double *row = c->factor + i * (ptrdiff_t)n;
        c->y[i] *= row[i];
        for (int k = 0; k < i; ++k) c->y[k] -= row[k] * c->y[i];
        l->x[i] = (float)c->y[i];
    }
}

static void cycle(sparse_cycle *c, int n) {
    sparse_level *l = &c->level[n];
    const sparse *P = n + 1 < c->count ? &c->P[n] : NULL; /* without a ladder there is none */
    if (n + 1 == c->count && c->dense) {
        solve_dense(c, l);
        return;
    }
    memset(l->x, 0, (size_t)l->unknowns * sizeof *l->x);
    smooth(l, 0);
    if (n + 1 < c->count) {
        restrict_residual(l, P);
        cycle(c, n + 1);
        for (int i = 0; i < l->unknowns; ++i)
            for (int e = P->first[i]; e < P->first[i + 1] && l->inverse[i] > 0; ++e)
                l->x[i] += (float)P->value[e] * l[1].x[P->column[e]];
    }
    smooth(l, 1);
}

void sparse_cycle_apply(sparse_cycle *c, double *z, const double *r) {
    sparse_level *l = &c->level[0];
    for (int i = 0; i < l->unknowns; ++i) l->b[i] = (float)r[i];
    cycle(c, 0);
    for (int i = 0; i < l->unknowns; ++i) z[i] = (double)l->x[i];
}
