/* Coarser trees for multigrid. One step up the smallest leaves are joined to twice their size, the others
 * stay: a graded tree again, with half the cells along an axis.
 *
 *   P: a face of two leaves or more across stays itself. A smallest face lies in a face of the coarser tree,
 *   or in the middle of a leaf, between two of them: u = mean over these of q + sum of off (q_next - q) / d
 *   along the axes across, q_next the face next to it on that side. Exact for linear velocities along axes,
 *   so rigid motions of all that floats are in every level.
 *
 * Bodies' unknowns stay what they are. Unknowns of a coarser tree are the faces that some unknown is
 * interpolated from, in the tree's order.
 *
 * Source: the transfer of MAC multigrid, linear along a component's own axis and between face centres across
 * (linear/viscous_cycle.c), taken to trees. Limits: one thread but for the trees themselves. */
#include "stage/viscosity/tree_ladder.h"

#include <math.h>
#include <string.h>

enum { ENTRIES = 8, BODY = 6, LEAST = 100 };

void tree_ladder_free(tree_ladder *l) {
    for (int n = 0; n < LADDER_STEPS; ++n) {
        tree_free(&l->t[n]);
        sparse_free(&l->P[n]);
        buffer_drop(&l->number_memory[n]);
    }
    buffer_drop(&l->most_memory);
}

size_t tree_ladder_bytes(const tree_ladder *l) {
    size_t bytes = l->most_memory.bytes;
    for (int n = 0; n < LADDER_STEPS; ++n)
        bytes += tree_bytes(&l->t[n]) + sparse_bytes(&l->P[n]) + l->number_memory[n].bytes;
    return bytes;
}

/* ---- trees ---- */

static int join(tree_ladder *l, tree *coarse, const tree *fine) {
    if (!coarse->map_memory.data) {
        int n[3];
        for (int a = 0; a < 3; ++a) n[a] = (fine->n[a] + 1) / 2;
        if (tree_make(coarse, fine->dim, n, fine->levels > 1 ? fine->levels - 1 : 1, fine->pool)) return -1;
    }
    if (buffer_hold(&l->most_memory, coarse->size)) return -1;
    uint8_t *most = l->most_memory.data;
    for (int k = 0; k < coarse->n[2]; ++k)
        for (int j = 0; j < coarse->n[1]; ++j)
            for (int i = 0; i < coarse->n[0]; ++i) {
                const int at[3] = {i, j, k}, from[3] = {2 * i, 2 * j, fine->dim == 3 ? 2 * k : 0};
                const int level = fine->level[tree_at(fine, from)];
                most[tree_at(coarse, at)] = (uint8_t)(level > 0 ? level - 1 : 0);
            }
    return tree_build(coarse, most);
}

/* ---- interpolation ---- */

typedef struct stencil {
    int count, face[ENTRIES];
    double weight[ENTRIES];
} stencil;

static void put(stencil *s, int face, double weight) {
    for (int n = 0; n < s->count; ++n)
        if (s->face[n] == face) {
            s->weight[n] += weight;
            return;
        }
    s->face[s->count] = face;
    s->weight[s->count++] = weight;
}

/* u of the face that the coarse grid's face `at` lies in, at x. */
static void put_at(stencil *s, const tree *t, int axis, const int at[3], const double x[3], double factor) {
    const int face = t->face_of[axis][tree_at(t, at)];
    const tree_face *f = &t->face[face];
    double whole = factor;
    for (int a = 0; a < t->dim; ++a) {
        const double off = x[a] - (f->at[a] + 0.5 * f->size);
        int next[3] = {at[0], at[1], at[2]};
        if (a == axis || !(fabs(off) > 0)) continue;
        next[a] = off > 0 ? f->at[a] + f->size : f->at[a] - 1;
        if (next[a] < 0 || next[a] >= t->n[a]) continue;
        const int other = t->face_of[axis][tree_at(t, next)];
        if (other < 0) continue;
        const double part = factor * fabs(off) / (0.5 * (f->size + t->face[other].size));
        put(s, other, part);
        whole -= part;
    }
    put(s, face, whole);
}

static void find_stencil(stencil *s, const tree *coarse, const tree_face *f) {
    int at[3];
    double x[3];
    s->count = 0;
    for (int a = 0; a < 3; ++a) {
        at[a] = a < coarse->dim ? f->at[a] / 2 : 0;
        x[a] = 0.5 * (f->at[a] + (a == f->axis ? 0 : 0.5 * f->size));
    }
    if (f->size > 1) {
        put(s, coarse->face_of[f->axis][tree_at(coarse, at)], 1);
        return;
    }
    const int between = f->at[f->axis] % 2;
    for (int high = 0; high <= between; ++high) {
        put_at(s, coarse, f->axis, at, x, between ? 0.5 : 1);
        ++at[f->axis];
    }
}

/* Counts the entries and marks the faces that are read; then writes them with these faces' numbers. */
static int fill(sparse *P, int *number_coarse, const tree *coarse, const tree *fine, const int *number,
                int write) {
    int entry = 0;
    for (int i = 0; i < fine->faces; ++i) {
        stencil s;
        if (number[i] < 0) continue;
        find_stencil(&s, coarse, &fine->face[i]);
        if (write) P->first[number[i]] = entry;
        for (int n = 0; n < s.count; ++n, ++entry) {
            if (!write) number_coarse[s.face[n]] = 0;
            if (!write) continue;
            P->column[entry] = number_coarse[s.face[n]];
            P->value[entry] = s.weight[n];
        }
    }
    return entry;
}

static int interpolate(sparse *P, int *columns, int *number_coarse, const tree *coarse, const tree *fine,
                       const int *number, int unknowns, int bodies) {
    const int free_faces = unknowns - BODY * bodies;
    memset(number_coarse, 0xff, (size_t)coarse->faces * sizeof *number_coarse);
    const int entries = fill(P, number_coarse, coarse, fine, number, 0);
    int count = 0;
    for (int i = 0; i < coarse->faces; ++i)
        if (number_coarse[i] >= 0) number_coarse[i] = count++;
    if (sparse_hold_rows(P, unknowns) || sparse_hold_entries(P, entries + BODY * bodies)) return -1;
    fill(P, number_coarse, coarse, fine, number, 1);
    for (int r = 0; r < BODY * bodies; ++r) {
        P->first[free_faces + r] = entries + r;
        P->column[entries + r] = count + r;
        P->value[entries + r] = 1;
    }
    P->first[unknowns] = entries + BODY * bodies;
    *columns = count + BODY * bodies;
    return 0;
}

int tree_ladder_build(tree_ladder *l, const tree_system *s) {
    const tree *fine = s->rules.t;
    const int *number = s->number;
    int unknowns = s->unknowns;
    for (l->steps = 0; l->steps < LADDER_STEPS && unknowns > LEAST; ++l->steps) {
        tree *coarse = &l->t[l->steps];
        int longest = 0;
        for (int a = 0; a < fine->dim; ++a) longest = fine->n[a] > longest ? fine->n[a] : longest;
        if (longest <= 4) break;
        if (join(l, coarse, fine) ||
            buffer_hold(&l->number_memory[l->steps], (size_t)coarse->faces * sizeof(int)) ||
            interpolate(&l->P[l->steps], &l->columns[l->steps], l->number_memory[l->steps].data, coarse, fine,
                        number, unknowns, s->bodies))
            return -1;
        unknowns = l->columns[l->steps];
        number = l->number_memory[l->steps].data;
        fine = coarse;
    }
    return 0;
}
