/* Neighbour lists from particles sorted by cells that are as wide as the support: the 27 cells (9 in 2D)
 * around a cell are nine (three) runs of consecutive particles. They are copied once a cell, and all its
 * particles tested against that, eight at a time, or sixteen; hits are stored without branches. Lists are
 * made by rows of cells and put wherever there is room, so that no pass must count them first; what is in
 * them does not depend on where they are.
 *
 * Source: Mao 2006, 3.1.3; NUMERICS of the prototype (compact lists, filled up with the particle itself). */
#include "stage/sph/pairs.h"

#include <string.h>
#include "core/memory.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { CANDIDATES = 6144, HITS = 12288, PER_PARTICLE = 33, SIXTEEN = 2 * LANES };

/* What is around a cell, as columns; places are moved by whole periods to be near. */
typedef struct {
    float x[3][CANDIDATES + SIXTEEN];
    int32_t index[CANDIDATES + SIXTEEN];
    int count;
} around;

/* Those of them within 1 of x, but for itself, in their order, with their squared distances; up to SIXTEEN
 * more elements are written. Returns how many. */
typedef int find_hits(int32_t *other, float *r2, const around *c, const float x[3], int32_t own);

typedef struct {
    sph_pairs *pairs;
    float (*x)[4];
    float *density;
    const mac_grid *g;
    const particles *p;
    const sph_kernel *k;
    find_hits *find;
} job;

/* Lists on their way. */
typedef struct {
    int32_t other[HITS];
    float weight[HITS];
    uint32_t owner[HITS / LANES], at[HITS / LANES];
    int used, lists;
} harvest;

void sph_pairs_free(sph_pairs *p) {
    mem_free(p->start);
    mem_free(p->length);
    mem_free(p->true_length);
    mem_free(p->other);
    mem_free(p->weight);
    memset(p, 0, sizeof *p);
}

size_t sph_pairs_bytes(const sph_pairs *p) {
    return p->particles * 8 + p->room * 8;
}

static int make_room(sph_pairs *p, size_t count, size_t room) {
    if (p->particles < count) {
        mem_free(p->start);
        mem_free(p->length);
        mem_free(p->true_length);
        p->particles = p->particles ? count + count / 8 : count; /* more to come, if there came some */
        p->start = mem_alloc(p->particles * sizeof *p->start);
        p->length = mem_alloc(p->particles * sizeof *p->length);
        p->true_length = mem_alloc(p->particles * sizeof *p->true_length);
        if (!p->start || !p->length || !p->true_length) return p->particles = 0, SPH_NO_MEMORY;
    }
    if (p->room < room) {
        mem_free(p->other);
        mem_free(p->weight);
        p->room = room;
        p->other = mem_alloc(room * sizeof *p->other);
        p->weight = mem_alloc(room * sizeof *p->weight);
        if (!p->other || !p->weight) return p->room = 0, SPH_NO_MEMORY;
    }
    return 0;
}

/* ---- a cell's surroundings ---- */

/* Eight at a time: up to seven behind the run are copied, too, and written over by the next one. */
INLINE void add_run(around *to, const job *s, size_t from, size_t end, const float shift[3]) {
    const int dim = s->g->box.dim, count = (int)(end - from);
    if (to->count + count > CANDIDATES) {
        atomic_store(&s->pairs->failed, SPH_CROWDED);
        return;
    }
    for (int a = 0; a < dim; ++a) {
        const float *x = s->p->x[a] + from;
        float *at = to->x[a] + to->count;
        for (int q = 0; q < count; q += LANES) vec8_store(at + q, vec8_load(x + q) + shift[a]);
    }
    int8 index = (int8){0, 1, 2, 3, 4, 5, 6, 7} + (int32_t)from;
    for (int q = 0; q < count; q += LANES, index += LANES)
        memcpy(to->index + to->count + q, &index, sizeof index);
    to->count += count;
}

/* The cells i - 1 ... i + 1 of a row; around a periodic side they are cut. */
INLINE void add_row(around *to, const job *s, int i, int j, int k, const float shift[3]) {
    const box *b = &s->g->box;
    const uint32_t *start = s->p->cell_start + box_dense(b, 0, j, k);
    const int n = b->n[0], low = i > 0 ? i - 1 : 0, high = i + 1 < n ? i + 1 : n - 1;
    add_run(to, s, start[low], start[high + 1], shift);
    if (!b->periodic[0]) return;
    float moved[3] = {shift[0], shift[1], shift[2]};
    if (i == 0) {
        moved[0] = shift[0] - (float)n;
        add_run(to, s, start[n - 1], start[n], moved);
    }
    if (i == n - 1) {
        moved[0] = shift[0] + (float)n;
        add_run(to, s, start[0], start[1], moved);
    }
}

INLINE void look_around(around *to, const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int deep = b->dim == 3;
    to->count = 0;
    for (int dk = -deep; dk <= deep; ++dk)
        for (int dj = -1; dj <= 1; ++dj) {
            int at[3] = {i, j + dj, k + dk}, outside = 0;
            float shift[3] = {0, 0, 0};
            for (int a = 1; a < b->dim; ++a) {
                if (at[a] >= 0 && at[a] < b->n[a]) continue;
                outside |= !b->periodic[a];
                shift[a] = (float)(at[a] < 0 ? -b->n[a] : b->n[a]);
                at[a] += at[a] < 0 ? b->n[a] : -b->n[a];
            }
            if (!outside) add_row(to, s, i, at[1], at[2], shift);
        }
    for (int q = to->count; q < to->count + SIXTEEN; ++q) { /* no neighbour of anything */
        for (int a = 0; a < 3; ++a) to->x[a][q] = 1e9f;
        to->index[q] = 0;
    }
}

/* ---- lists ---- */

static void deliver(harvest *h, const job *s) {
    sph_pairs *p = s->pairs;
    if (h->lists == 0) return;
    const size_t at = atomic_fetch_add(&p->used, (size_t)h->used);
    if (at + (size_t)h->used <= p->room) {
        memcpy(p->other + at, h->other, (size_t)h->used * sizeof *h->other);
        memcpy(p->weight + at, h->weight, (size_t)h->used * sizeof *h->weight);
        for (int l = 0; l < h->lists; ++l) p->start[h->owner[l]] = (uint32_t)(at + h->at[l]);
    }
    h->used = h->lists = 0;
}

/* The places of the set lanes, first ones first. */
typedef struct {
    int32_t lane[256][LANES];
} packing;

static packing packings;

__attribute__((constructor)) static void make_packings(void) {
    for (int bits = 0; bits < 256; ++bits) {
        int n = 0;
        for (int l = 0; l < LANES; ++l)
            if (bits >> l & 1) packings.lane[bits][n++] = l;
    }
}

/* Appends the set lanes. */
INLINE int store_lanes(int32_t *other, float *r2, int32_t const *index, vec8 distance2, unsigned bits) {
#if defined(__GNUC__) && !defined(__clang__)
    int8 order, from;
    memcpy(&order, packings.lane[bits], sizeof order);
    memcpy(&from, index, sizeof from);
    const int8 to = __builtin_shuffle(from, order);
    memcpy(other, &to, sizeof to);
    vec8_store(r2, __builtin_shuffle(distance2, order));
#else
    for (int l = 0; l < LANES; ++l) {
        other[l] = index[packings.lane[bits][l]];
        r2[l] = distance2[packings.lane[bits][l]];
    }
#endif
    return __builtin_popcount(bits);
}

INLINE int find_eight(int32_t *other, float *r2, const around *c, const float x[3], int32_t own, int dim) {
    int n = 0;
    for (int q = 0; q < c->count; q += LANES) {
        vec8 d2 = {0};
        for (int a = 0; a < dim; ++a) {
            const vec8 d = vec8_load(c->x[a] + q) - x[a];
            d2 += d * d;
        }
        int8 index;
        memcpy(&index, c->index + q, sizeof index);
        const unsigned bits = mask_bits((d2 < 1.0f) & (index != own));
        n += store_lanes(other + n, r2 + n, c->index + q, d2, bits);
    }
    return n;
}

HOT static int find_in_space(int32_t *other, float *r2, const around *c, const float x[3], int32_t own) {
    return find_eight(other, r2, c, x, own, 3);
}

HOT static int find_in_plane(int32_t *other, float *r2, const around *c, const float x[3], int32_t own) {
    return find_eight(other, r2, c, x, own, 2);
}

#if defined(__x86_64__)
/* The same in space, where the processor packs lanes itself. */
__attribute__((target("avx512f,popcnt"))) static int find_sixteen(int32_t *other, float *r2, const around *c,
                                                                  const float x[3], int32_t own) {
    const __m512 x0 = _mm512_set1_ps(x[0]), x1 = _mm512_set1_ps(x[1]), x2 = _mm512_set1_ps(x[2]);
    const __m512 one = _mm512_set1_ps(1);
    const __m512i self = _mm512_set1_epi32(own);
    int n = 0;
    for (int q = 0; q < c->count; q += SIXTEEN) {
        const __m512 d0 = _mm512_sub_ps(_mm512_loadu_ps(c->x[0] + q), x0);
        const __m512 d1 = _mm512_sub_ps(_mm512_loadu_ps(c->x[1] + q), x1);
        const __m512 d2 = _mm512_sub_ps(_mm512_loadu_ps(c->x[2] + q), x2);
        const __m512 sum =
            _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(d0, d0), _mm512_mul_ps(d1, d1)), _mm512_mul_ps(d2, d2));
        const __m512i index = _mm512_loadu_si512(c->index + q);
        const __mmask16 near = _mm512_cmp_ps_mask(sum, one, _CMP_LT_OQ);
        const __mmask16 hit = _mm512_mask_cmpneq_epi32_mask(near, index, self);
        _mm512_storeu_si512(other + n, _mm512_maskz_compress_epi32(hit, index));
        _mm512_storeu_ps(r2 + n, _mm512_maskz_compress_ps(hit, sum));
        n += __builtin_popcount(hit);
    }
    return n;
}
#endif

static find_hits *finder(int dim) {
    if (dim == 2) return find_in_plane;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return find_sixteen;
#endif
    return find_in_space;
}

INLINE vec8 root(vec8 v) {
    vec8 r;
    for (int l = 0; l < LANES; ++l) r[l] = __builtin_sqrtf(v[l]);
    return r;
}

/* Weights of a list from its squared distances, in place; returns the sum of W / scale. */
INLINE float weigh(float *r2, int count, float factor, sph_kernel_kind kind) {
    vec8 sum = {0};
    for (int q = 0; q < count; q += LANES) {
        vec8 w, g;
        const vec8 d2 = vec8_load(r2 + q);
        const int8 in = d2 < 1.0f;
        sph_shape8(&w, &g, kind, root(vec8_select(in, d2, vec8_all(1))));
        sum += vec8_select(in, w, vec8_all(0));
        vec8_store(r2 + q, vec8_select(in, factor * g, vec8_all(0)));
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

INLINE float weigh_any(float *r2, int count, float factor, sph_kernel_kind kind) {
    switch (kind) {
    case SPH_WENDLAND: return weigh(r2, count, factor, SPH_WENDLAND);
    case SPH_CUBIC: return weigh(r2, count, factor, SPH_CUBIC);
    case SPH_POLY6: return weigh(r2, count, factor, SPH_POLY6);
    case SPH_SPIKY: return weigh(r2, count, factor, SPH_SPIKY);
    default: return weigh(r2, count, factor, SPH_VISCOSITY);
    }
}

INLINE void list_cell(harvest *h, const job *s, const around *c, size_t from, size_t end, int dim) {
    const particles *p = s->p;
    const float factor = s->k->volume * s->k->scale;
    for (size_t i = from; i < end; ++i) {
        float x[3] = {0, 0, 0};
        if (h->used + c->count + SIXTEEN > HITS || h->lists == HITS / LANES) deliver(h, s);
        for (int a = 0; a < dim; ++a) x[a] = s->x[i][a] = p->x[a][i];
        if (dim == 2) s->x[i][2] = 0;
        s->x[i][3] = 0;
        int32_t *other = h->other + h->used;
        float *weight = h->weight + h->used;
        const int n = s->find(other, weight, c, x, (int32_t)i);
        const int filled = (n + LANES - 1) / LANES * LANES;
        const int8 own = (int8){0} + (int32_t)i;
        memcpy(other + n, &own, sizeof own);
        vec8_store(weight + n, vec8_all(2)); /* of squared distance: too far to count */
        s->density[i] = s->k->self + factor * weigh_any(weight, filled, factor, s->k->kind);
        s->pairs->length[i] = (uint16_t)filled;
        s->pairs->true_length[i] = (uint16_t)n;
        h->owner[h->lists] = (uint32_t)i;
        h->at[h->lists++] = (uint32_t)h->used;
        h->used += filled;
    }
}

HOT static void row_task(void *context, int row) {
    const job *s = context;
    const box *b = &s->g->box;
    const int j = row % b->n[1], k = row / b->n[1];
    const uint32_t *start = s->p->cell_start + box_dense(b, 0, j, k);
    if (start[0] == start[b->n[0]]) return;
    around c;
    harvest h;
    h.used = h.lists = 0;
    for (int i = 0; i < b->n[0]; ++i) {
        if (start[i] == start[i + 1]) continue;
        look_around(&c, s, i, j, k);
        if (atomic_load(&s->pairs->failed)) return;
        if (b->dim == 3) list_cell(&h, s, &c, start[i], start[i + 1], 3);
        else list_cell(&h, s, &c, start[i], start[i + 1], 2);
    }
    deliver(&h, s);
}

int sph_pairs_find(sph_pairs *pairs, float (*x)[4], float *density, const mac_grid *g, const particles *p,
                   const sph_kernel *k) {
    job s = {.pairs = pairs, .x = x, .density = density, .g = g, .p = p, .k = k, .find = finder(g->box.dim)};
    const size_t least = p->count * PER_PARTICLE + HITS;
    int bad = make_room(pairs, p->count, pairs->room < least ? least : pairs->room);
    for (int tries = 0; !bad && tries < 2; ++tries) {
        atomic_store(&pairs->used, 0);
        atomic_store(&pairs->failed, 0);
        parallel_for(g->pool, g->box.n[1] * g->box.n[2], row_task, &s);
        bad = atomic_load(&pairs->failed);
        const size_t used = atomic_load(&pairs->used);
        if (bad || used <= pairs->room) return bad;
        if (used >= UINT32_MAX) return SPH_CROWDED;
        bad = make_room(pairs, p->count, used + used / 16);
    }
    return bad;
}
