/* (M + B^T B) u = M u_old - B^T g on the faces of a tree, rows of B the samples of strain times the square
 * root of their energy's factor (2 mu dt V for normal strain, mu dt V for du/dy + dv/dx), g what known faces
 * and walls add to them. Symmetric and positive by construction (E 3.35, 3.36).
 *
 * Samples and their rows are counted, the counts summed up, and written: no order depends on threads. */
#include "stage/viscosity/tree_system.h"

#include <math.h>

enum { GRAIN = 512 };

typedef struct work {
    tree_system *s;
    tree_weigh *weigh;
    void *user;
    int pass;
} work;

/* Counts become the places where each begins, from `sum` on; returns where the last one ends. */
static int sum_counts(int *count, int blocks, int sum) {
    for (int n = 0; n < blocks; ++n) {
        const int mine = count[n];
        count[n] = sum;
        sum += mine;
    }
    return sum;
}

void tree_system_free(tree_system *s) {
    sparse_free(&s->terms);
    buffer_drop(&s->sample_memory);
    buffer_drop(&s->offset_memory);
    buffer_drop(&s->face_memory);
    buffer_drop(&s->vector_memory);
    buffer_drop(&s->count_memory);
    *s = (tree_system){0};
}

size_t tree_system_bytes(const tree_system *s) {
    return sparse_bytes(&s->terms) + s->sample_memory.bytes + s->offset_memory.bytes + s->face_memory.bytes +
           s->vector_memory.bytes + s->count_memory.bytes;
}

/* ---- samples ---- */

static int node_rows(const tree *t) {
    return (t->n[1] + 1) * (t->dim == 3 ? t->n[2] + 1 : 1);
}

/* Edges that begin in a row of nodes. */
static void edge_task(void *context, int row) {
    const work *w = context;
    tree_system *s = w->s;
    const tree *t = s->rules.t;
    int number = w->pass ? s->count[row] : 0;
    int at[3] = {0, row % (t->n[1] + 1), row / (t->n[1] + 1)};
    for (; at[0] <= t->n[0]; ++at[0])
        for (int e = t->dim == 3 ? 0 : 2; e < 3; ++e) {
            tree_sample one = {.leaf = -1, .at = {at[0], at[1], at[2]}, .axis = e};
            if (e < t->dim && at[e] >= t->n[e]) continue;
            one.length = tree_edge(one.around, t, e, at);
            if (!one.length) continue;
            if (w->pass) s->sample[number] = one;
            ++number;
        }
    if (!w->pass) s->count[row] = number;
}

static void leaf_task(void *context, int task) {
    const work *w = context;
    tree_system *s = w->s;
    const tree *t = s->rules.t;
    for (int i = task * GRAIN; i < (task + 1) * GRAIN && i < t->leaves; ++i)
        for (int a = 0; a < t->dim; ++a) {
            const tree_leaf *l = &t->leaf[i];
            s->sample[i * t->dim + a] =
                (tree_sample){.leaf = i, .at = {l->at[0], l->at[1], l->at[2]}, .length = l->size, .axis = a};
        }
}

int tree_system_begin(tree_system *s, const strain_rules *rules) {
    work w = {.s = s};
    const tree *t = rules->t;
    const int rows = node_rows(t), normals = t->leaves * t->dim;
    s->rules = *rules;
    if (buffer_hold(&s->count_memory, ((size_t)rows + 1) * sizeof *s->count)) return -1;
    s->count = s->count_memory.data;
    parallel_for(t->pool, rows, edge_task, &w);
    s->samples = sum_counts(s->count, rows, normals);
    const size_t faces = (size_t)t->faces;
    if (buffer_hold(&s->sample_memory, (size_t)s->samples * sizeof *s->sample) ||
        buffer_hold(&s->offset_memory, (size_t)s->samples * sizeof *s->offset) ||
        buffer_hold(&s->face_memory, faces * (2 * sizeof(double) + sizeof(int))) ||
        buffer_hold(&s->vector_memory, 3 * faces * sizeof(double)))
        return -1;
    s->sample = s->sample_memory.data;
    s->offset = s->offset_memory.data;
    s->value = s->face_memory.data;
    s->mass = s->value + faces;
    s->number = (int *)(s->mass + faces);
    s->x = s->vector_memory.data;
    s->b = s->x + faces;
    s->m = s->b + faces;
    w.pass = 1;
    parallel_for(t->pool, rows, edge_task, &w);
    parallel_for(t->pool, block_count(t->leaves, GRAIN), leaf_task, &w);
    return 0;
}

/* ---- rows ---- */

static bool find_row(strain *to, const work *w, const tree_sample *one) {
    const strain_rules *r = &w->s->rules;
    const double volume =
        one->leaf >= 0 ? pow(one->length, r->t->dim) : strain_edge_volume(r, one->around, one->length);
    double factor[2] = {0, 0};
    to->count = 0;
    to->known = 0;
    w->weigh(w->user, one, volume, factor);
    if (!(factor[0] > 0) && !(factor[1] > 0)) return false;
    if (one->leaf >= 0) strain_add_normal(to, r, one->leaf, one->axis, factor[0]);
    else
        for (int second = 0; second < 2; ++second)
            if (factor[second] > 0)
                strain_add_shear(to, r, one->axis, one->at, one->length, second, factor[second]);
    return true;
}

/* Counts the entries of a block of rows in unknowns, and then writes them. */
static void row_task(void *context, int task) {
    const work *w = context;
    tree_system *s = w->s;
    int entry = w->pass ? s->count[task] : 0;
    for (int i = task * GRAIN; i < (task + 1) * GRAIN && i < s->samples; ++i) {
        strain row;
        const bool any = find_row(&row, w, &s->sample[i]);
        if (w->pass) {
            s->terms.first[i] = entry;
            s->offset[i] = any ? row.known : 0;
        }
        for (int n = 0; n < row.count && any; ++n) {
            const int number = s->number[row.face[n]];
            if (number < 0 && w->pass) s->offset[i] += row.weight[n] * s->value[row.face[n]];
            if (number >= 0 && w->pass) {
                s->terms.column[entry] = number;
                s->terms.value[entry] = row.weight[n];
            }
            entry += number >= 0;
        }
    }
    if (!w->pass) s->count[task] = entry;
}

int tree_system_rows(tree_system *s, tree_weigh *weigh, void *user) {
    work w = {.s = s, .weigh = weigh, .user = user};
    const tree *t = s->rules.t;
    const int blocks = block_count(s->samples, GRAIN);
    s->unknowns = 0;
    for (int f = 0; f < t->faces; ++f)
        if (s->number[f] >= 0) s->number[f] = s->unknowns++;
    if (buffer_hold(&s->count_memory, (size_t)blocks * sizeof *s->count)) return -1;
    s->count = s->count_memory.data;
    parallel_for(t->pool, blocks, row_task, &w);
    const int entries = sum_counts(s->count, blocks, 0);
    if (sparse_hold_rows(&s->terms, s->samples) || sparse_hold_entries(&s->terms, entries)) return -1;
    w.pass = 1;
    parallel_for(t->pool, blocks, row_task, &w);
    s->terms.first[s->samples] = entries;
    return 0;
}

/* ---- the solve ---- */

int tree_system_setup(tree_system *s, sparse_solver *by) {
    const int faces = s->rules.t->faces;
    for (int f = 0; f < faces; ++f)
        if (s->number[f] >= 0) s->m[s->number[f]] = s->mass[f];
    return sparse_solver_setup(by, &s->terms, s->m, s->unknowns);
}

sparse_result tree_system_solve(tree_system *s, sparse_solver *by, const double *push, double tolerance,
                                int max_iterations) {
    const int faces = s->rules.t->faces;
    for (int f = 0; f < faces; ++f)
        if (s->number[f] >= 0) {
            s->b[s->number[f]] = push[f];
            s->x[s->number[f]] = s->value[f];
        }
    for (int i = 0; i < s->samples; ++i)
        for (int e = s->terms.first[i]; e < s->terms.first[i + 1]; ++e)
            s->b[s->terms.column[e]] -= s->offset[i] * s->terms.value[e];
    const sparse_result r = sparse_solve(by, s->x, s->b, tolerance, max_iterations);
    for (int f = 0; f < faces; ++f)
        if (s->number[f] >= 0) s->value[f] = s->x[s->number[f]];
    return r;
}
