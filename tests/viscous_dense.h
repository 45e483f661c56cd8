/* Dense matrices of viscous systems, summed from their energies. */
#ifndef VISCOUS_DENSE_H
#define VISCOUS_DENSE_H

#include <math.h>
#include "viscous_problem.h"

/* Number of a face in the dense matrix: all that the level reads, known ones too. */
typedef struct dense {
    const viscous_problem *p;
    int n[3], count;
    double *a;
    uint8_t *live; /* free, and something holds it */
} dense;

static int number_of(const dense *d, int c, const int at[3]) {
    int number = c;
    for (int a = 2; a >= 0; --a) number = number * d->n[a] + at[a] + (a < d->p->b.dim);
    return number;
}

/* += k (weights . u)^2 for the two or four faces of a sample */
static void add_energy(dense *d, const int *face, const double *weight, int count, double k) {
    for (int r = 0; r < count; ++r)
        for (int c = 0; c < count; ++c)
            d->a[(size_t)face[r] * (size_t)d->count + (size_t)face[c]] += k * weight[r] * weight[c];
}

static void add_sample(dense *d, const int at[3]) {
    const viscous_problem *p = d->p;
    const ptrdiff_t q = box_at(&p->b, at[0], at[1], at[2]);
    for (int c = 0; c < p->b.dim; ++c) {
        int next[3] = {at[0], at[1], at[2]};
        next[c] += 1;
        const int face[2] = {number_of(d, c, next), number_of(d, c, at)};
        add_energy(d, face, (double[2]){1, -1}, 2, (double)p->normal[c][q]);
        add_energy(d, face + 1, (double[1]){1}, 1, (double)p->mass[c][q] + (double)p->drag[c][q]);
    }
    for (int e = p->b.dim == 3 ? 0 : 2; e < 3; ++e) {
        const int f = e == 0 ? 1 : 0, g = e == 2 ? 1 : 2;
        int before_g[3] = {at[0], at[1], at[2]}, before_f[3] = {at[0], at[1], at[2]};
        before_g[g] -= 1;
        before_f[f] -= 1;
        const int face[4] = {number_of(d, f, at), number_of(d, f, before_g), number_of(d, g, at),
                             number_of(d, g, before_f)};
        const double a = sqrt((double)p->edge[e][0][q]), b = sqrt((double)p->edge[e][2][q]);
        add_energy(d, face, (double[4]){a, -a, b, -b}, 4, 1);
    }
}

static dense dense_make(const viscous_problem *p) {
    dense d = {.p = p};
    d.count = p->b.dim;
    for (int a = 0; a < 3; ++a) {
        d.n[a] = a < p->b.dim ? p->b.n[a] + 3 : 1;
        d.count *= d.n[a];
    }
    d.a = mem_alloc((size_t)d.count * (size_t)d.count * sizeof *d.a);
    d.live = mem_alloc((size_t)d.count);
    EACH_SAMPLE(p, i, j, k) add_sample(&d, (int[3]){i, j, k});
    for (int f = 0; f < d.count; ++f) d.live[f] = d.a[(size_t)f * (size_t)d.count + (size_t)f] > 0;
    EACH_SAMPLE(p, i, j, k)
    for (int c = 0; c < p->b.dim; ++c)
        if (p->owner[c][box_at(&p->b, i, j, k)] == VISCOUS_KNOWN)
            d.live[number_of(&d, c, (int[3]){i, j, k})] = 0;
    return d;
}

static void dense_free(dense *d) {
    mem_free(d->a);
    mem_free(d->live);
}
#endif
