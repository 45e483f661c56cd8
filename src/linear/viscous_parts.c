/* Deflation of rigid motions: parts of the liquid that float freely.
 *
 * On a rigid motion R of such a part A R = M R: a solve that starts from R (R^T M R)^-1 R^T b has a residual
 * without it, and keeps it so when the same projector, M-orthogonal, is applied to each preconditioned
 * residual. Left to the cycle they cost iterations that grow with mu dt, as coarse levels know turning only
 * to their own precision.
 *
 * Parts are labelled by pairs of samples along each axis, corners connect, and what touches a known face is
 * held. So near parts may count as one, or as held: a subspace of the motions that are there, which is right
 * all the same. The PARTS_MOST largest are taken, small ones are the cycle's to solve.
 * Source: Nicolaides 1987 (deflation). Limits: none are looked for beside drags; what a body touches counts
 * as held. */
#include "linear/viscous_parts.h"

#include <string.h>
#include "linear/six.h"

enum { EMPTY = 0, LOOSE = 1, HELD = 2, LABELLED = 4, FEW = 40 };
static const double REGULAR = 1e-9;

void parts_free(viscous_parts *p) {
    buffer_drop(&p->pairs);
    buffer_drop(&p->list);
    buffer_drop(&p->sum_memory);
}

INLINE size_t pair_at(const viscous_parts *p, int i, int j, int k) {
    return (size_t)(i >> 1) +
           (size_t)p->n[0] * ((size_t)(j >> 1) + (size_t)p->n[1] * (size_t)(p->l->dim == 3 ? k >> 1 : 0));
}

int parts_at(const viscous_parts *p, int i, int j, int k) {
    return p->count ? p->of[pair_at(p, i, j, k)] : -1;
}

void parts_hold(viscous_parts *p, const bool held[PARTS_MOST]) {
    const size_t pairs = (size_t)p->n[0] * (size_t)p->n[1] * (size_t)p->n[2];
    bool any = false;
    for (int n = 0; n < p->count; ++n) {
        any |= held[n];
        p->found -= held[n];
    }
    for (size_t i = 0; i < pairs && any; ++i)
        if (p->of[i] >= 0 && held[p->of[i]]) p->of[i] = -1;
}

static bool is_pulled(const viscous_level *l, int c, ptrdiff_t i) {
    float k = l->normal[c][i] + l->normal[c][i - l->step[c]];
    for (int q = 0; q < l->dim; ++q)
        if (q != c) k += l->own[c][q][i] + l->own[c][q][i + l->step[q]];
    return k > 0;
}

static void mark_task(void *context, int slab) {
    viscous_parts *p = context;
    const viscous_level *l = p->l;
    uint8_t *mark = (uint8_t *)p->of;
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int i = 0; i < l->n[0]; ++i) {
            const ptrdiff_t q = row_start(l, row) + i;
            for (int c = 0; c < l->dim; ++c)
                if (l->inverse[c][q] > 0) mark[pair_at(p, i, row % l->n[1], row / l->n[1])] |= LOOSE;
                else if (l->fixed[c][q] && is_pulled(l, c, q))
                    mark[pair_at(p, i, row % l->n[1], row / l->n[1])] |= HELD;
        }
}

/* Fills a part from a pair; returns its size in pairs, or 0 where it is held. The list holds its pairs. */
static int64_t fill_part(const viscous_parts *p, int32_t *list, int32_t from) {
    uint8_t *mark = (uint8_t *)p->of;
    int64_t count = 1;
    bool is_held = (mark[from] & HELD) != 0;
    list[0] = from;
    mark[from] |= LABELLED;
    for (int64_t next = 0; next < count; ++next) {
        const int32_t here = list[next];
        const int at[3] = {here % p->n[0], here / p->n[0] % p->n[1], here / p->n[0] / p->n[1]};
        for (int turn = 0; turn < 27; ++turn) {
            const int x = at[0] + turn % 3 - 1, y = at[1] + turn / 3 % 3 - 1, z = at[2] + turn / 9 - 1;
            if (x < 0 || y < 0 || z < 0 || x >= p->n[0] || y >= p->n[1] || z >= p->n[2]) continue;
            const int32_t other = x + p->n[0] * (y + p->n[1] * z);
            if (mark[other] == EMPTY || mark[other] & LABELLED) continue;
            is_held |= (mark[other] & HELD) != 0;
            mark[other] |= LABELLED;
            list[count++] = other;
        }
    }
    return is_held ? 0 : count;
}

/* Which of the parts kept makes room for one of a size: -1: none does. */
static int place_for(viscous_parts *p, int64_t size) {
    if (p->count < PARTS_MOST) return p->count++;
    int least = 0;
    for (int n = 1; n < PARTS_MOST; ++n)
        if (p->part[n].size < p->part[least].size) least = n;
    return p->part[least].size < size ? least : -1;
}

/* The labels of all pairs, in a second array: parts that gave way are taken back at the end. */
static void label(viscous_parts *p, int8_t *labels, int32_t *list, int32_t pairs) {
    const uint8_t *mark = (const uint8_t *)p->of;
    memset(labels, -1, (size_t)pairs);
    for (int32_t from = 0; from < pairs; ++from) {
        if (mark[from] == EMPTY || mark[from] & LABELLED) continue;
        const int64_t size = fill_part(p, list, from);
        p->found += size > 0;
        const int place = size >= FEW ? place_for(p, size) : -1;
        if (place < 0) continue;
        for (int32_t i = 0; i < pairs && p->part[place].size > 0; ++i)
            if (labels[i] == place) labels[i] = -1;
        p->part[place] = (viscous_part){.size = size};
        for (int64_t i = 0; i < size; ++i) labels[list[i]] = (int8_t)place;
    }
    memcpy(p->of, labels, (size_t)pairs);
}

/* ---- sums over parts ---- */

/* J of component c at a sample, as in viscous_bodies.c; where components do not feel each other turning is no
 * free motion. */
INLINE void mode_row(double row[PART_MODES], const double middle[3], const viscous_level *l, int c,
                     const int at[3]) {
    double arm[3];
    for (int a = 0; a < 3; ++a)
        arm[a] = a >= l->dim || !l->crossed ? 0 : at[a] + (a == c ? 0 : 0.5) - middle[a];
    memset(row, 0, PART_MODES * sizeof *row);
    row[c] = 1;
    row[3 + (c + 1) % 3] = arm[(c + 2) % 3];
    row[3 + (c + 2) % 3] = -arm[(c + 1) % 3];
}

/* An unknown that is in a part. */
typedef struct unknown {
    int part, c, place[3];
    ptrdiff_t in_vector, in_field;
    double mode[PART_MODES]; /* its row of J */
} unknown;

INLINE void visit(viscous_parts *p, int slab, double *sum,
                  void (*act)(viscous_parts *, const unknown *, double *)) {
    const viscous_level *l = p->l;
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int n = l->first[row]; n < l->first[row + 1]; ++n)
            for (int i = l->runs[n].from; i < l->runs[n].to && i < l->n[0]; ++i) {
                unknown u = {.place = {i, row % l->n[1], row / l->n[1]}, .in_field = row_start(l, row) + i};
                u.part = p->of[pair_at(p, i, u.place[1], u.place[2])];
                for (u.c = 0; u.c < l->dim && u.part >= 0; ++u.c) {
                    if (!(l->inverse[u.c][u.in_field] > 0)) continue;
                    u.in_vector = (ptrdiff_t)((size_t)u.c * l->size) + u.in_field;
                    mode_row(u.mode, p->part[u.part].middle, l, u.c, u.place);
                    act(p, &u, sum);
                }
            }
}

/* Adds the slabs' sums up in order, into c. */
static void gather_sums(viscous_parts *p) {
    for (int n = 0; n < p->count; ++n) {
        memset(p->part[n].c, 0, sizeof p->part[n].c);
        for (int slab = 0; slab < p->l->slabs; ++slab)
            for (int m = 0; m < PART_MODES; ++m) p->part[n].c[m] += p->sums[slab][n][m];
    }
}

/* R^T r or R^T M z */
INLINE void add_sum(viscous_parts *p, const unknown *u, double *sum) {
    const double mass = (double)p->l->diagonal[u->c][u->in_field];
    const double v = p->z ? mass * (double)p->z[u->in_vector] : (double)p->v[u->in_vector];
    for (int m = 0; m < PART_MODES; ++m) sum[PART_MODES * u->part + m] += u->mode[m] * v;
}

static void sum_task(void *context, int slab) {
    viscous_parts *p = context;
    memset(p->sums[slab], 0, sizeof p->sums[slab]);
    visit(p, slab, p->sums[slab][0], add_sum);
}

INLINE void take_motion(viscous_parts *p, const unknown *u, double *sum) {
    (void)sum;
    double motion = 0;
    for (int m = 0; m < PART_MODES; ++m) motion += u->mode[m] * p->part[u->part].c[m];
    if (p->z) p->z[u->in_vector] = (float)((double)p->z[u->in_vector] - motion);
    else p->x[u->in_vector] += motion;
}

static void take_task(void *context, int slab) {
    visit(context, slab, NULL, take_motion);
}

static void find_coefficients(viscous_parts *p, pool *workers) {
    parallel_for(workers, p->l->slabs, sum_task, p);
    gather_sums(p);
    for (int n = 0; n < p->count; ++n) {
        six_solve_lower(p->part[n].c, p->part[n].factor);
        six_solve_upper(p->part[n].c, p->part[n].factor);
    }
    parallel_for(workers, p->l->slabs, take_task, p);
}

void parts_start(viscous_parts *p, pool *workers, double *x, const float *r) {
    p->v = r;
    p->x = x;
    p->z = NULL;
    if (p->count) find_coefficients(p, workers);
}

void parts_project(viscous_parts *p, pool *workers, float *z) {
    p->z = z;
    if (p->count) find_coefficients(p, workers);
}

/* ---- setup ---- */

/* Mass, and mass times place: four sums a part. */
INLINE void weigh(viscous_parts *p, const unknown *u, double *sum) {
    const double mass = (double)p->l->diagonal[u->c][u->in_field];
    sum[4 * u->part + 3] += mass;
    for (int a = 0; a < p->l->dim; ++a) sum[4 * u->part + a] += mass * (u->place[a] + (a == u->c ? 0 : 0.5));
}

/* R^T M R */
INLINE void add_square(viscous_parts *p, const unknown *u, double *sum) {
    double *gram = sum + PART_MODES * PART_MODES * u->part;
    for (int r = 0; r < PART_MODES; ++r)
        for (int c = 0; c < PART_MODES; ++c)
            gram[PART_MODES * r + c] += (double)p->l->diagonal[u->c][u->in_field] * u->mode[r] * u->mode[c];
}

static void find_middles(viscous_parts *p) {
    double sum[PARTS_MOST][4] = {{0}};
    for (int slab = 0; slab < p->l->slabs; ++slab) visit(p, slab, sum[0], weigh);
    for (int n = 0; n < p->count; ++n)
        for (int a = 0; a < p->l->dim && sum[n][3] > 0; ++a) p->part[n].middle[a] = sum[n][a] / sum[n][3];
}

static int factorise(viscous_parts *p) {
    double gram[PARTS_MOST][PART_MODES * PART_MODES] = {{0}};
    for (int slab = 0; slab < p->l->slabs; ++slab) visit(p, slab, gram[0], add_square);
    for (int n = 0; n < p->count; ++n) {
        double most = 0;
        for (int m = 0; m < PART_MODES; ++m) most = gram[n][7 * m] > most ? gram[n][7 * m] : most;
        for (int m = 0; m < PART_MODES; ++m)
            if (!(gram[n][7 * m] > REGULAR * most)) gram[n][7 * m] = most > 0 ? most : 1;
        if (!six_factorise(p->part[n].factor, gram[n])) return -1;
    }
    return 0;
}

/* What bodies hold is not free to move as it likes. */
static void mark_bodies(viscous_parts *p, const viscous_bodies *b) {
    const viscous_level *l = p->l;
    uint8_t *mark = (uint8_t *)p->of;
    for (int32_t i = 0; b->count && i < b->first[b->count]; ++i) {
        const ptrdiff_t q = b->face[i].at - (ptrdiff_t)((size_t)b->face[i].axis * l->size);
        const int row = (int)(q / l->step[1]);
        mark[pair_at(p, (int)(q % l->step[1]), row % l->n[1], row / l->n[1])] |= HELD;
    }
}

int parts_find(viscous_parts *p, const viscous_level *l, pool *workers, bool held, const viscous_bodies *b) {
    p->count = p->found = 0;
    p->l = l;
    if (held || !l->unknowns) return 0;
    size_t pairs = 1;
    for (int a = 0; a < 3; ++a) {
        p->n[a] = (l->n[a] + 1) / 2;
        pairs *= (size_t)p->n[a];
    }
    if (buffer_hold(&p->pairs, 2 * pairs) || buffer_hold(&p->list, pairs * sizeof(int32_t)) ||
        buffer_hold(&p->sum_memory, (size_t)l->slabs * sizeof *p->sums))
        return -1;
    p->of = p->pairs.data;
    p->sums = p->sum_memory.data;
    memset(p->of, EMPTY, pairs);
    parallel_for(workers, l->slabs, mark_task, p);
    mark_bodies(p, b);
    label(p, p->of + pairs, p->list.data, (int32_t)pairs);
    if (!p->count) return 0;
    find_middles(p);
    if (factorise(p)) p->count = 0; /* as good as none: the cycle solves them */
    return 0;
}
