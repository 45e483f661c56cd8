/* (M + B^T B) u = M u_old - B^T g on the faces of a tree, rows of B the samples of strain times the square
 * root of their energy's factor (2 mu dt V for normal strain, mu dt V for du/dy + dv/dx), g what known faces
 * and walls add to them. Symmetric and positive by construction (E 3.35, 3.36). Faces of a rigid body are
 * columns of its six unknowns. M is rows more: the roots of masses, six a body of L L^T.
 *
 * Samples and their rows are counted, the counts summed up, and written: no order depends on threads. */
#include "stage/viscosity/tree_system.h"

#include <math.h>
#include "linear/six.h"

enum { GRAIN = 512, BODY = 6 };

typedef struct work {
    tree_system *s;
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

/* How many nodes from this one on have no edges because they lie within a leaf, or in one of its sides. */
static int within_leaf(const tree *t, const int at[3]) {
    if (at[0] >= t->n[0] || at[1] >= t->n[1] || (t->dim == 3 && at[2] >= t->n[2])) return 0;
    const tree_leaf *l = &t->leaf[t->leaf_of[tree_at(t, at)]];
    const bool within = at[0] > l->at[0] && at[1] > l->at[1] && (t->dim == 2 || at[2] > l->at[2]);
    return within ? l->at[0] + l->size - at[0] : 0;
}

/* Edges that begin in a row of nodes. */
static void edge_task(void *context, int row) {
    const work *w = context;
    tree_system *s = w->s;
    const tree *t = s->rules.t;
    int number = w->pass ? s->count[row] : 0;
    int at[3] = {0, row % (t->n[1] + 1), row / (t->n[1] + 1)};
    for (; at[0] <= t->n[0]; ++at[0]) {
        at[0] += within_leaf(t, at);
        for (int e = t->dim == 3 ? 0 : 2; e < 3; ++e) {
            tree_sample one = {.leaf = -1, .at = {at[0], at[1], at[2]}, .axis = e};
            if (e < t->dim && at[e] >= t->n[e]) continue;
            one.length = tree_edge(one.around, t, e, at);
            if (!one.length) continue;
            if (w->pass) s->sample[number] = one;
            ++number;
        }
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

int tree_system_begin(tree_system *s, const strain_rules *rules, int bodies) {
    work w = {.s = s};
    const tree *t = rules->t;
    const int rows = node_rows(t), normals = t->leaves * t->dim;
    s->rules = *rules;
    s->bodies = bodies;
    if (buffer_hold(&s->count_memory, ((size_t)rows + 1) * sizeof *s->count)) return -1;
    s->count = s->count_memory.data;
    parallel_for(t->pool, rows, edge_task, &w);
    s->samples = sum_counts(s->count, rows, normals);
    const size_t faces = (size_t)t->faces, unknowns = faces + BODY * (size_t)bodies;
    if (buffer_hold(&s->sample_memory, (size_t)s->samples * sizeof *s->sample) ||
        buffer_hold(&s->offset_memory, (size_t)s->samples * (sizeof *s->offset + 1)) ||
        buffer_hold(&s->face_memory, faces * (2 * sizeof(double) + sizeof(int))) ||
        buffer_hold(&s->vector_memory, 3 * unknowns * sizeof(double)))
        return -1;
    s->sample = s->sample_memory.data;
    s->offset = s->offset_memory.data;
    s->tied = (uint8_t *)(s->offset + s->samples);
    s->value = s->face_memory.data;
    s->mass = s->value + faces;
    s->number = (int *)(s->mass + faces);
    s->x = s->vector_memory.data;
    s->b = s->x + unknowns;
    s->m = s->b + unknowns;
    w.pass = 1;
    parallel_for(t->pool, rows, edge_task, &w);
    parallel_for(t->pool, block_count(t->leaves, GRAIN), leaf_task, &w);
    return 0;
}

/* ---- rows ---- */

static bool find_row(strain *to, const tree_system *s, const tree_sample *one) {
    const strain_rules *r = &s->rules;
    const double side = one->length;
    const double volume = one->leaf < 0    ? strain_edge_volume(r, one->around, one->length)
                          : r->t->dim == 3 ? side * side * side
                                           : side * side;
    double factor[2] = {0, 0};
    to->count = 0;
    to->known = 0;
    s->weigh(s->user, one, volume, factor);
    if (!(factor[0] > 0) && !(factor[1] > 0)) return false;
    if (one->leaf >= 0) strain_add_normal(to, r, one->leaf, one->axis, factor[0]);
    else
        for (int second = 0; second < 2; ++second)
            if (factor[second] > 0)
                strain_add_shear(to, r, one->axis, one->at, one->length, second, factor[second]);
    return true;
}

typedef struct entry {
    tree_system *s;
    int at;
    bool write;
} entry;

static void put_entry(entry *e, int column, double value) {
    if (e->write) {
        e->s->terms.column[e->at] = column;
        e->s->terms.value[e->at] = value;
    }
    ++e->at;
}

/* A face of a row: an unknown or six of a body. */
static void put_face(entry *e, int face, double weight) {
    const tree_system *s = e->s;
    const int number = s->number[face];
    if (number >= 0) put_entry(e, number, weight);
    else if (number != TREE_KNOWN) {
        const int body = TREE_BODY - number;
        double arm[BODY];
        s->arm(s->user, arm, face, body);
        for (int r = 0; r < BODY; ++r)
            put_entry(e, s->unknowns - BODY * (s->bodies - body) + r, weight * arm[r]);
    }
}

/* Counts the entries of a block of rows in unknowns, and then writes them. */
static void row_task(void *context, int task) {
    const work *w = context;
    tree_system *s = w->s;
    entry e = {s, w->pass ? s->count[task] : 0, w->pass};
    for (int i = task * GRAIN; i < (task + 1) * GRAIN && i < s->samples; ++i) {
        strain row;
        if (w->pass) s->terms.first[i] = e.at;
        s->tied[i] = 0;
        if (!find_row(&row, s, &s->sample[i])) continue;
        s->tied[i] = s->rules.wall != NULL;
        for (int n = 0; n < row.count; ++n) {
            put_face(&e, row.face[n], row.weight[n]);
            s->tied[i] |= s->number[row.face[n]] == TREE_KNOWN;
        }
    }
    if (!w->pass) s->count[task] = e.at;
}

static void offset_task(void *context, int task) {
    tree_system *s = ((const work *)context)->s;
    for (int i = task * GRAIN; i < (task + 1) * GRAIN && i < s->samples; ++i) {
        strain row;
        s->offset[i] = 0;
        if (!s->tied[i] || !find_row(&row, s, &s->sample[i])) continue;
        s->offset[i] = row.known;
        for (int n = 0; n < row.count; ++n)
            if (s->number[row.face[n]] == TREE_KNOWN) s->offset[i] += row.weight[n] * s->value[row.face[n]];
    }
}

/* Masses of faces and of bodies. */
static void put_masses(tree_system *s, const double (*mass)[36], int at) {
    entry e = {s, at, true};
    const int free_faces = s->unknowns - BODY * s->bodies;
    for (int i = 0; i < free_faces; ++i) {
        s->terms.first[s->samples + i] = e.at;
        if (s->m[i] > 0) put_entry(&e, i, sqrt(s->m[i]));
    }
    for (int n = 0; n < s->bodies; ++n) {
        double l[BODY * BODY];
        six_factorise(l, mass[n]);
        for (int c = 0; c < BODY; ++c) {
            s->terms.first[s->samples + free_faces + BODY * n + c] = e.at;
            for (int r = c; r < BODY; ++r)
                put_entry(&e, s->unknowns - BODY * (s->bodies - n) + r, l[BODY * r + c]);
        }
    }
    s->terms.first[s->terms.rows] = e.at;
}

static void number_unknowns(tree_system *s) {
    const int faces = s->rules.t->faces;
    s->unknowns = 0;
    for (int f = 0; f < faces; ++f)
        if (s->number[f] >= 0) {
            s->m[s->unknowns] = s->mass[f];
            s->number[f] = s->unknowns++;
        }
    s->unknowns += BODY * s->bodies;
}

int tree_system_setup(tree_system *s, tree_weigh *weigh, tree_arm *arm, void *user,
                      const double (*body_mass)[36]) {
    work w = {.s = s};
    const tree *t = s->rules.t;
    const int blocks = block_count(s->samples, GRAIN), of_bodies = BODY * (BODY + 1) / 2 * s->bodies;
    s->weigh = weigh;
    s->arm = arm;
    s->user = user;
    number_unknowns(s);
    if (buffer_hold(&s->count_memory, (size_t)blocks * sizeof *s->count)) return -1;
    s->count = s->count_memory.data;
    parallel_for(t->pool, blocks, row_task, &w);
    const int entries = sum_counts(s->count, blocks, 0);
    if (sparse_hold_rows(&s->terms, s->samples + s->unknowns) ||
        sparse_hold_entries(&s->terms, entries + s->unknowns + of_bodies))
        return -1;
    w.pass = 1;
    parallel_for(t->pool, blocks, row_task, &w);
    put_masses(s, body_mass, entries);
    return 0;
}

/* ---- the solve ---- */

sparse_result tree_system_solve(tree_system *s, sparse_solver *by, const double *push, double (*V)[6],
                                const double (*body_push)[6], void *user, double tolerance,
                                int max_iterations) {
    const int faces = s->rules.t->faces, free_faces = s->unknowns - BODY * s->bodies;
    for (int f = 0; f < faces; ++f)
        if (s->number[f] >= 0) {
            s->b[s->number[f]] = push[f];
            s->x[s->number[f]] = s->value[f];
        }
    for (int r = 0; r < BODY * s->bodies; ++r) {
        s->b[free_faces + r] = body_push[r / BODY][r % BODY];
        s->x[free_faces + r] = V[r / BODY][r % BODY];
    }
    s->user = user;
    parallel_for(s->rules.t->pool, block_count(s->samples, GRAIN), offset_task, &(work){.s = s});
    for (int i = 0; i < s->samples; ++i)
        for (int e = s->terms.first[i]; e < s->terms.first[i + 1]; ++e)
            s->b[s->terms.column[e]] -= s->offset[i] * s->terms.value[e];
    const sparse_result r = sparse_solve(by, s->x, s->b, tolerance, max_iterations);
    for (int f = 0; f < faces; ++f)
        if (s->number[f] >= 0) s->value[f] = s->x[s->number[f]];
    for (int n = 0; n < BODY * s->bodies; ++n) V[n / BODY][n % BODY] = s->x[free_faces + n];
    return r;
}
