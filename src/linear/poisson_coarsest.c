/* The coarsest level of the cycle, solved exactly: x = A^-1 b with A^-1 kept as a dense matrix.
 *
 * Sweeps there would cost little each, but a W-cycle comes by 2^levels times; a level of up to 64 unknowns is
 * one product of 64 x 64 instead, and the levels below it need not exist. The inverse is made by sweeping the
 * pivots of the symmetric matrix (Beaton 1964) in double. Diagonals are summed from the very links that the
 * matrix has, and extras: so the last pivot of a closed region vanishes to the last bits, however nearly
 * closed others are. It is left out, which fixes that cell at 0; the result is a symmetric generalised
 * inverse, whose constant the solve takes off anyway. So are those of regions that the solve itself takes the
 * constants out of (poisson_leaks.c). */
#include "linear/poisson_level.h"

#include <string.h>
#include "core/memory.h"

enum { MOST = 64, ROW_VECTORS = MOST / 8, PLACES = 2 * (MOST + 1) * 8, NOWHERE = -1 };
static const double NO_PIVOT = 1e-13; /* of a cell's own diagonal */

struct coarsest {
    int cells;
    int32_t place[MOST]; /* of a cell's float in a field */
    vec8 inverse[MOST][ROW_VECTORS];
    double matrix[MOST][MOST];
};

coarsest *coarsest_create(void) {
    return mem_alloc(sizeof(coarsest));
}

void coarsest_free(coarsest *c) {
    mem_free(c);
}

size_t coarsest_bytes(void) {
    return sizeof(coarsest);
}

static int is_unknown(const level *l, int id, int half, int lane) {
    return l->coefs[l->block[id].coefs].side[half].inverse[lane] > 0;
}

bool coarsest_fits(const level *l) {
    int cells = 0;
    if (l->blocks > MOST) return false;
    for (int id = 0; id < l->blocks; ++id)
        for (int i = 0; i < BLOCK_CELLS; ++i) cells += is_unknown(l, id, i & 1, i / 2);
    return cells <= MOST;
}

/* The neighbours of a cell along x: within the block, beside it, and across the seam. */
static int32_t place_beside(const level *l, int id, int half, int lane) {
    const int32_t *neighbour = l->block[id].neighbour;
    if (half == EVEN)
        return lane > 0 ? lane_spot(l, id, ODD, lane - 1) : lane_spot(l, neighbour[X_LOW], ODD, 7);
    return lane < 7 ? lane_spot(l, id, EVEN, lane + 1) : lane_spot(l, neighbour[X_HIGH], EVEN, 0);
}

static int32_t place_across_seam(const level *l, int id, int half, int lane) {
    const int32_t end = l->seam < 0 || lane != seam_lane(l, half) ? -1 : across_seam(l, id, half);
    return end < 0 ? 8 * l->blocks : lane_spot(l, end, !half, seam_lane(l, !half));
}

static void add_row(coarsest *c, const int16_t *number, const level *l, int id, int half, int lane) {
    const side_coefs *s = &l->coefs[l->block[id].coefs].side[half];
    const int32_t *k = l->block[id].neighbour;
    const struct {
        float a;
        int32_t place;
    } link[] = {{s->x_mid[lane], lane_spot(l, id, !half, lane)},
                {s->x_out[lane], place_beside(l, id, half, lane)},
                {s->x_out[lane], place_across_seam(l, id, half, lane)},
                {s->y_low[lane], lane_spot(l, k[Y_LOW], half, lane)},
                {s->y_high[lane], lane_spot(l, k[Y_HIGH], half, lane)},
                {s->z_low[lane], lane_spot(l, k[Z_LOW], half, lane)},
                {s->z_high[lane], lane_spot(l, k[Z_HIGH], half, lane)}};
    double *row = c->matrix[number[lane_spot(l, id, half, lane)]];
    for (size_t i = 0; i < sizeof link / sizeof *link; ++i)
        if (number[link[i].place] != NOWHERE) row[number[link[i].place]] -= (double)link[i].a;
    row[number[lane_spot(l, id, half, lane)]] = (double)s->extra[lane];
}

static void fill_matrix(coarsest *c, const level *l) {
    int16_t number[PLACES];
    for (int i = 0; i < PLACES; ++i) number[i] = NOWHERE;
    c->cells = 0;
    for (int id = 0; id < l->blocks; ++id)
        for (int i = 0; i < BLOCK_CELLS; ++i) {
            if (!is_unknown(l, id, i & 1, i / 2)) continue;
            const int32_t place = lane_spot(l, id, i & 1, i / 2);
            number[place] = (int16_t)c->cells;
            c->place[c->cells++] = place;
        }
    for (int i = 0; i < c->cells; ++i) memset(c->matrix[i], 0, sizeof c->matrix[i]);
    for (int id = 0; id < l->blocks; ++id)
        for (int i = 0; i < BLOCK_CELLS; ++i)
            if (is_unknown(l, id, i & 1, i / 2)) add_row(c, number, l, id, i & 1, i / 2);
}

/* Sweeps pivot k: of the cells swept so far, and no others, the matrix holds minus the inverse. */
INLINE void sweep_pivot(double (*m)[MOST], int n, int k) {
    const double inverse = 1 / m[k][k];
    double column[MOST];
    for (int i = 0; i < n; ++i) column[i] = m[i][k];
    for (int i = 0; i < n; ++i) {
        const double share = column[i] * inverse;
        if (i != k)
            for (int j = 0; j < n; ++j) m[i][j] -= share * column[j];
    }
    for (int i = 0; i < n; ++i) m[i][k] = m[k][i] = column[i] * inverse;
    m[k][k] = -inverse;
}

HOT static void invert(coarsest *c, double least) {
    uint8_t left_out[MOST] = {0};
    double diagonal[MOST];
    const int n = c->cells;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) c->matrix[j][i] = c->matrix[i][j]; /* to the last bit */
    for (int i = 0; i < n; ++i) {
        double links = 0;
        for (int j = 0; j < n; ++j) links += j == i ? 0 : c->matrix[i][j];
        diagonal[i] = c->matrix[i][i] -= links;
    }
    for (int k = 0; k < n; ++k) {
        left_out[k] = (uint8_t) !(c->matrix[k][k] > NO_PIVOT * diagonal[k] + least);
        if (!left_out[k]) sweep_pivot(c->matrix, n, k);
    }
    memset(c->inverse, 0, sizeof c->inverse);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            const float a = left_out[i] || left_out[j] ? 0 : (float)-c->matrix[i][j];
            c->inverse[i][j / 8][j % 8] = c->inverse[j][i / 8][i % 8] = a;
        }
}

void coarsest_setup(coarsest *c, const level *l, double least) {
    fill_matrix(c, l);
    invert(c, least);
    if (l->x) memset(l->x, 0, 2 * (size_t)l->stride * sizeof *l->x); /* what is no unknown stays 0 */
}

/* A cell's row of the symmetric inverse is its column. */
INLINE void multiply(const coarsest *c, float *x, const float *b) {
    vec8 sum[ROW_VECTORS];
    const int vectors = block_count(c->cells, 8);
    for (int v = 0; v < vectors; ++v) sum[v] = vec8_of(0);
    for (int i = 0; i < c->cells; ++i)
        for (int v = 0; v < vectors; ++v) sum[v] += c->inverse[i][v] * vec8_of(b[c->place[i]]);
    for (int i = 0; i < c->cells; ++i) x[c->place[i]] = lane_value(&sum[i / 8], i % 8);
}

HOT void coarsest_solve(const coarsest *c, vec8 *x, const vec8 *b) {
    multiply(c, (float *)x, (const float *)b);
}

double coarsest_dot(const coarsest *c, const vec8 *x, const vec8 *b) {
    double dot = 0;
    for (int i = 0; i < c->cells; ++i)
        dot += (double)((const float *)x)[c->place[i]] * (double)((const float *)b)[c->place[i]];
    return dot;
}
