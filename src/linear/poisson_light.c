/* Bodies so light that the cycle must take them for heavier (poisson_rank.c), or that it does not know at
 * all: M is made for A + s^2 C C^T, and (1 - s^2) C C^T is missing. Each column of C leaves an eigenvalue of
 * its weight, the body's lightness; a few such ones would cost as many iterations, did not float directions
 * lose each other's conjugacy to weights of a thousand and more: then the residual falls no further. With
 * what is missing put in by the formula of Sherman, Morrison and Woodbury,
 *
 *   M' = M - M C W C^T M = M (I - C W C^T M),  W = ((1 - s^2)^-1 + C^T M C)^-1:
 *
 * symmetric, and positive where M is; W once takes an M a column, and every use of M' two. So it is for
 * solves that turn out to need it. Where M is the inverse of A, M' is that of the whole matrix.
 *
 * Limits: of more columns than LIGHT_MOST the heaviest are taken. */
#include "linear/poisson_light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"

/* Columns of sixteen bodies; of a weight that the sweeps' own diagonal does not cover. */
enum { LIGHT_MOST = 16 * POISSON_RANK };
static const double LIGHT_WEIGHT = 1;

typedef struct column {
    int group, at;
    double weight, missing; /* 1 - s^2 */
} column;

struct light {
    bool looked, known;
    int count;
    column *list;    /* those of all groups, then the first `count` of them */
    double *matrix;  /* W^-1, then its Cholesky factor, rows of `count` */
    dvec8 *multiple; /* [groups]: w */
    buffer list_memory, matrix_memory, multiple_memory;
};

light *light_create(void) {
    return mem_alloc(sizeof(light));
}

void light_free(light *l) {
    if (!l) return;
    buffer_drop(&l->list_memory);
    buffer_drop(&l->matrix_memory);
    buffer_drop(&l->multiple_memory);
    mem_free(l);
}

size_t light_bytes(const light *l) {
    return sizeof *l + l->list_memory.bytes + l->matrix_memory.bytes + l->multiple_memory.bytes;
}

void light_forget(light *l) {
    l->looked = l->known = false;
}

bool light_looked(const light *l) {
    return l->looked;
}

bool light_known(const light *l) {
    return l->known;
}

/* ---- which columns ---- */

/* C^T D^-1 C, its diagonal, into the columns of all groups. */
HOT static void weigh_columns(column *all, const low_rank *r, const level *fine) {
    const rank_level *l = &r->level[0];
    EACH_RUN(run, l)
    EACH_PACK(k, l, run, run->columns)
    for (int c = 0; c < run->columns; ++c)
        for (int i = 0; i < PACK; ++i) {
            const double row = (double)k->row[c][i];
            all[POISSON_RANK * run->group + c].weight += row * row * (double)inverse_at(fine, k->place[i]);
        }
}

static int by_weight(const void *a, const void *b) {
    const column *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->group - y->group) * POISSON_RANK + x->at - y->at;
}

int light_begin(light *l, const low_rank *r, const level *fine) {
    const size_t all = (size_t)r->groups * POISSON_RANK;
    l->looked = true;
    l->known = false;
    if (buffer_hold(&l->list_memory, all * sizeof *l->list) ||
        buffer_hold(&l->multiple_memory, (size_t)r->groups * sizeof *l->multiple))
        return 0;
    l->list = l->list_memory.data;
    l->multiple = l->multiple_memory.data;
    for (int i = 0; i < (int)all; ++i) {
        const int group = i / POISSON_RANK;
        const double scale = r->levels ? r->scale[group] : 0;
        l->list[i] = (column){.group = group, .at = i % POISSON_RANK, .missing = 1 - scale * scale};
    }
    weigh_columns(l->list, r, fine);
    for (size_t i = 0; i < all; ++i) l->list[i].weight *= l->list[i].missing;
    qsort(l->list, all, sizeof *l->list, by_weight);
    l->count = 0;
    while (l->count < (int)all && l->count < LIGHT_MOST && l->list[l->count].weight > LIGHT_WEIGHT)
        ++l->count;
    if (buffer_hold(&l->matrix_memory, (size_t)l->count * (size_t)l->count * sizeof *l->matrix + 1)) return 0;
    l->matrix = l->matrix_memory.data;
    return l->count;
}

/* ---- W ---- */

void light_column(light *l, const low_rank *r, int at, vec8 *field) {
    const column *k = &l->list[at];
    memset(l->multiple, 0, (size_t)r->groups * sizeof *l->multiple);
    ((double *)&l->multiple[k->group])[k->at] = 1;
    for (int chunk = 0; chunk < r->level[0].chunks; ++chunk)
        rank_add_multiple(r, chunk, (float *)field, l->multiple, 1);
}

static double entry_of(const dvec8 *of_groups, const column *k) {
    return ((const double *)&of_groups[k->group])[k->at];
}

void light_note(light *l, low_rank *r, pool *p, int at, const vec8 *found) {
    const dvec8 *sums = rank_measure(r, p, (const float *)found);
    for (int i = 0; i < l->count; ++i) l->matrix[l->count * at + i] = entry_of(sums, &l->list[i]);
}

/* Cholesky, in the lower half; false where the matrix is not positive. */
static bool factor(double *m, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = m[n * i + j];
            for (int k = 0; k < j; ++k) sum -= m[n * i + k] * m[n * j + k];
            if (i == j && !(sum > 0)) return false;
            m[n * i + j] = i == j ? sqrt(sum) : sum / m[(n + 1) * j];
        }
    return true;
}

void light_end(light *l) {
    const int n = l->count;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) l->matrix[n * i + j] = (l->matrix[n * i + j] + l->matrix[n * j + i]) / 2;
        l->matrix[(n + 1) * i] += 1 / l->list[i].missing;
    }
    l->known = factor(l->matrix, n);
}

static void solve_factored(double *x, const double *m, int n) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) x[i] -= m[n * i + j] * x[j];
        x[i] /= m[(n + 1) * i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] -= m[n * j + i] * x[j];
        x[i] /= m[(n + 1) * i];
    }
}

/* ---- its use ---- */

typedef struct take_pass {
    const light *l;
    const low_rank *r;
    const level *fine;
    vec8 *to;
    const vec8 *rhs;
} take_pass;

HOT static void take_task(void *context, int chunk) {
    const take_pass *w = context;
    const int from = chunk * BLOCK_GRAIN, count = chunk_end(w->fine, chunk) - from;
    for (int black = 0; black < 2; ++black) {
        const int at = from + black * w->fine->stride;
        memcpy(w->to + at, w->rhs + at, (size_t)count * sizeof *w->to);
    }
    rank_add_multiple(w->r, chunk, (float *)w->to, w->l->multiple, -1);
}

void light_take(light *l, low_rank *r, pool *p, const level *fine, vec8 *to, const vec8 *rhs,
                const vec8 *found) {
    double x[LIGHT_MOST];
    const dvec8 *sums = rank_measure(r, p, (const float *)found);
    for (int i = 0; i < l->count; ++i) x[i] = entry_of(sums, &l->list[i]);
    solve_factored(x, l->matrix, l->count);
    memset(l->multiple, 0, (size_t)r->groups * sizeof *l->multiple);
    for (int i = 0; i < l->count; ++i) ((double *)&l->multiple[l->list[i].group])[l->list[i].at] = x[i];
    take_pass w = {l, r, fine, to, rhs};
    parallel_for(level_pool(fine, p), level_chunks(fine), take_task, &w);
}

double light_dot(const light *l, low_rank *r, pool *p, const vec8 *found) {
    const dvec8 *sums = rank_measure(r, p, (const float *)found);
    double dot = 0;
    for (int i = 0; i < l->count; ++i)
        dot += entry_of(l->multiple, &l->list[i]) * entry_of(sums, &l->list[i]);
    return dot;
}
