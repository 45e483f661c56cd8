/* The coarsest level of the cycle by Cholesky in double.
 *
 * The matrix is summed from its energies, a sample of stress at a time. A pivot that vanishes against its own
 * diagonal belongs to a motion that nothing holds: it is left out, which fixes that face at 0. */
#include "linear/viscous_level.h"

#include <math.h>
#include <string.h>

enum { NOWHERE = -1 };
static const double NO_PIVOT = 1e-11; /* of the diagonal */

typedef struct term {
    int32_t number[4]; /* of unknowns; NOWHERE: none */
    double weight[4];
} term;

static int32_t number_at(const int32_t *number, const viscous_level *l, int c, ptrdiff_t i) {
    return i < 0 || i >= (ptrdiff_t)l->size ? NOWHERE : number[(size_t)c * l->size + (size_t)i];
}

/* += k (d . u)^2 / 2's matrix */
static void add_product(viscous_direct *d, const term *left, const term *right, double k) {
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            if (left->number[r] != NOWHERE && right->number[c] != NOWHERE)
                d->factor[(size_t)left->number[r] * (size_t)d->count + (size_t)right->number[c]] +=
                    k * left->weight[r] * right->weight[c];
}

/* u_c's difference along an axis, between i and the sample before it. */
static term difference(const int32_t *number, const viscous_level *l, int c, int axis, ptrdiff_t i) {
    return (term){{number_at(number, l, c, i), number_at(number, l, c, i - l->step[axis]), NOWHERE, NOWHERE},
                  {1, -1, 0, 0}};
}

static void add_edge(viscous_direct *d, const int32_t *number, const viscous_level *l, int e, ptrdiff_t i) {
    const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
    const term first = difference(number, l, p, q, i), second = difference(number, l, q, p, i);
    add_product(d, &first, &first, (double)l->own[p][q][i]);
    add_product(d, &second, &second, (double)l->own[q][p][i]);
    if (!l->crossed) return;
    add_product(d, &first, &second, (double)l->cross[e][i]);
    add_product(d, &second, &first, (double)l->cross[e][i]);
}

static void fill(viscous_direct *d, const int32_t *number, const viscous_level *l) {
    memset(d->factor, 0, (size_t)d->count * (size_t)d->count * sizeof *d->factor);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)l->size; ++i) {
        for (int c = 0; c < l->dim; ++c) {
            const int32_t n = number[(size_t)c * l->size + (size_t)i];
            if (n != NOWHERE)
                d->factor[(size_t)n * (size_t)d->count + (size_t)n] += (double)l->diagonal[c][i];
            if (!(l->normal[c][i] > 0)) continue;
            const term t = difference(number, l, c, c, i + l->step[c]);
            add_product(d, &t, &t, (double)l->normal[c][i]);
        }
        for (int e = l->dim == 3 ? 0 : 2; e < 3; ++e) add_edge(d, number, l, e, i);
    }
}

static void factorise(viscous_direct *d) {
    const size_t n = (size_t)d->count;
    for (size_t r = 0; r < n; ++r) {
        double *row = d->factor + r * n;
        const double size = row[r];
        for (size_t c = 0; c <= r; ++c) {
            const double *other = d->factor + c * n;
            double sum = row[c];
            for (size_t k = 0; k < c; ++k) sum -= row[k] * other[k];
            if (c < r) row[c] = sum * other[c];
            else row[r] = sum > NO_PIVOT * size ? 1 / sqrt(sum) : 0;
        }
    }
}

int viscous_direct_setup(viscous_direct *d, const viscous_level *l) {
    const size_t all = (size_t)l->dim * l->size;
    buffer memory = {0};
    d->count = 0;
    if (buffer_hold(&memory, all * sizeof(int32_t)) ||
        buffer_hold(&d->place_memory, (size_t)l->unknowns * sizeof *d->place + 1) ||
        buffer_hold(&d->y_memory, (size_t)l->unknowns * sizeof *d->y + 1) ||
        buffer_hold(&d->factor_memory, (size_t)l->unknowns * (size_t)l->unknowns * sizeof *d->factor + 1)) {
        buffer_drop(&memory);
        return -1;
    }
    int32_t *number = memory.data;
    d->place = d->place_memory.data;
    d->y = d->y_memory.data;
    d->factor = d->factor_memory.data;
    for (int c = 0; c < l->dim; ++c)
        for (size_t i = 0; i < l->size; ++i) {
            const size_t at = (size_t)c * l->size + i;
            number[at] = l->inverse[c][i] > 0 ? d->count : NOWHERE;
            if (number[at] != NOWHERE) d->place[d->count++] = (int32_t)at;
        }
    fill(d, number, l);
    factorise(d);
    buffer_drop(&memory);
    return 0;
}

void viscous_direct_solve(viscous_direct *d, float *x, const float *b) {
    const size_t n = (size_t)d->count;
    for (size_t r = 0; r < n; ++r) {
        const double *row = d->factor + r * n;
        double sum = (double)b[d->place[r]];
        for (size_t c = 0; c < r; ++c) sum -= row[c] * d->y[c];
        d->y[r] = sum * row[r];
    }
    for (size_t r = n; r-- > 0;) {
        const double *row = d->factor + r * n, y = d->y[r] * row[r];
        d->y[r] = y;
        for (size_t c = 0; c < r; ++c) d->y[c] -= row[c] * y;
    }
    for (size_t r = 0; r < n; ++r) x[d->place[r]] = (float)d->y[r];
}

void viscous_direct_free(viscous_direct *d) {
    buffer_drop(&d->place_memory);
    buffer_drop(&d->factor_memory);
    buffer_drop(&d->y_memory);
}
