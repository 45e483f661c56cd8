/* Storage and order of the particle set.
 *
 * The sort is stable, so its result is unique: it depends neither on threads nor on how the work is cut.
 *   1. key = cell of each particle; how many of each block of particles fall in each bucket of consecutive
 * cells;
 *   2. running sums give every (bucket, block) its place, and each block writes its particles' indices there;
 *   3. each bucket counts its cells, which gives cell_start, and orders its indices by cell;
 *   4. each column is gathered through that order into a spare column, which then takes its place.
 * From one step to the next particles stay near their place, so that the scattered accesses of 2 and 4 stay
 * in cache. A set that is in order already stops after step 3. Limits: fewer than 2^32 particles and 2^32
 * cells. */
#include "particle/particles.h"

#include <assert.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"

enum {
    BUCKETS = 1024,
    TALLY = BUCKETS + 16,  /* numbers a block: blocks a power of two apart would share cache lines */
    GRAIN_LEAST = 1 << 12, /* particles a block */
    GRAIN_MOST = 1 << 16,
    BLOCKS_WANTED = 16,
    COLUMNS_MAX = 2 * 3 + 1 + PARTICLE_EXTRA_MAX,
    PAD = 16 /* elements behind each column that vector loads may touch */
};

static size_t column_bytes(size_t capacity, size_t element) {
    return (capacity + PAD) * element;
}

/* Small sets are cut finer, so that all threads have work; what comes out does not depend on the cut. */
static size_t grain_of(size_t count) {
    const size_t grain = count / BLOCKS_WANTED;
    return grain < GRAIN_LEAST ? GRAIN_LEAST : grain > GRAIN_MOST ? GRAIN_MOST : grain;
}

/* Of as many blocks as a set of up to `capacity` may be cut into. */
static size_t tally_bytes(size_t capacity) {
    return (capacity / GRAIN_MOST + BLOCKS_WANTED + 2) * TALLY * sizeof(uint32_t);
}

/* Columns differ in type: their addresses are read and written as bytes. */
static void *column_at(const void *slot) {
    void *column;
    memcpy(&column, slot, sizeof column);
    return column;
}

static void column_set(void *slot, void *column) {
    memcpy(slot, &column, sizeof column);
}

/* Where the addresses of all columns of 4-byte elements are kept, id first; returns how many. */
static int list_columns(void *slot[COLUMNS_MAX], particles *p) {
    int n = 0;
    slot[n++] = &p->id;
    for (int axis = 0; axis < p->dim; ++axis) {
        slot[n++] = &p->x[axis];
        slot[n++] = &p->v[axis];
    }
    for (int e = 0; e < p->extra_count; ++e) slot[n++] = &p->extra[e];
    return n;
}

int particles_make(particles *p, const mac_grid *g, const char *const *extra_names, int extra_count) {
    assert(extra_count <= PARTICLE_EXTRA_MAX);
    particles made = {.dim = g->box.dim, .extra_count = extra_count, .cells = box_cells(&g->box)};
    for (int e = 0; e < extra_count; ++e) made.extra_name[e] = extra_names[e];
    made.cell_start = mem_alloc((made.cells + 1) * sizeof *made.cell_start);
    if (!made.cell_start) return -1;
    if (particles_reserve(&made, 1)) {
        particles_free(&made);
        return -1;
    }
    *p = made;
    return 0;
}

void particles_free(particles *p) {
    void *column[COLUMNS_MAX];
    int n = list_columns(column, p);
    for (int c = 0; c < n; ++c) mem_free(column_at(column[c]));
    mem_free(p->fluid);
    mem_free(p->spray);
    mem_free(p->cell_start);
    mem_free(p->order);
    mem_free(p->spare[0]);
    mem_free(p->spare[1]);
    mem_free(p->spare_bytes[0]);
    mem_free(p->spare_bytes[1]);
    mem_free(p->tally);
    *p = (particles){0};
}

static int grow(void *slot, size_t old_bytes, size_t new_bytes) {
    void *old = column_at(slot), *grown = mem_grow(old, old ? old_bytes : 0, new_bytes);
    if (!grown) return -1;
    column_set(slot, grown);
    return 0;
}

/* A column that has grown when a later one could not is merely longer than `capacity` says. Scratch holds
 * nothing between sorts, so nothing of it is kept. */
int particles_reserve(particles *p, size_t capacity) {
    if (capacity <= p->capacity) return 0;
    if (capacity >= UINT32_MAX) return -1;
    void *column[COLUMNS_MAX];
    int n = list_columns(column, p);
    size_t wide = column_bytes(capacity, 4), narrow = column_bytes(capacity, 1);
    for (int c = 0; c < n; ++c)
        if (grow(column[c], p->count * 4, wide)) return -1;
    if (grow(&p->fluid, p->count, narrow) || grow(&p->spray, p->count, narrow)) return -1;
    if (grow(&p->order, 0, wide) || grow(&p->spare[0], 0, wide) || grow(&p->spare[1], 0, wide)) return -1;
    if (grow(&p->spare_bytes[0], 0, narrow) || grow(&p->spare_bytes[1], 0, narrow)) return -1;
    if (grow(&p->tally, 0, tally_bytes(capacity))) return -1;
    p->capacity = capacity;
    return 0;
}

size_t particles_bytes(const particles *p) {
    size_t wide = (size_t)(2 * p->dim + 1 + p->extra_count) + 3;
    return wide * column_bytes(p->capacity, 4) + 4 * column_bytes(p->capacity, 1) + tally_bytes(p->capacity) +
           (p->cells + 1) * sizeof *p->cell_start;
}

static void *scratch_column(const particles *p, int axis) {
    return axis == 0 ? p->spare[0] : axis == 1 ? p->spare[1] : p->order;
}

static void remember_block(void *context, int block) {
    const particles *p = context;
    const size_t from = (size_t)block * GRAIN_MOST, left = p->count - from;
    for (int a = 0; a < p->dim; ++a)
        memcpy((float *)scratch_column(p, a) + from, p->x[a] + from,
               (left < GRAIN_MOST ? left : GRAIN_MOST) * sizeof *p->x[a]);
}

void particles_remember(particles *p, pool *workers) {
    parallel_for(workers, block_count((long)p->count, GRAIN_MOST), remember_block, p);
}

const float *particles_before(const particles *p, int axis) {
    return scratch_column(p, axis);
}

void particles_compact(particles *p, const uint8_t *keep) {
    void *column[COLUMNS_MAX];
    int n = list_columns(column, p);
    size_t first = 0, kept = 0;
    while (first < p->count && keep[first]) ++first;
    for (int c = 0; c < n; ++c) {
        uint32_t *a = column_at(column[c]);
        kept = first;
        for (size_t i = first; i < p->count; ++i)
            if (keep[i]) memcpy(&a[kept++], &a[i], sizeof *a);
    }
    kept = first;
    for (size_t i = first; i < p->count; ++i)
        if (keep[i]) {
            p->fluid[kept] = p->fluid[i];
            p->spray[kept++] = p->spray[i];
        }
    p->count = kept;
}

typedef struct sorting {
    particles *p;
    const box *b;
    uint32_t *key, *rough; /* cell of each particle; indices ordered by bucket */
    int shift;             /* bucket = cell >> shift */
    int buckets, blocks;
    size_t grain;                /* particles a block */
    uint32_t start[BUCKETS + 1]; /* first place of each bucket */
    const void *from[2];         /* columns to gather, or NULL */
    void *to[2];
} sorting;

static size_t block_end(const sorting *s, int block) {
    size_t end = ((size_t)block + 1) * s->grain;
    return end < s->p->count ? end : s->p->count;
}

/* The cell along one axis; whatever lies outside (and NaN) goes to the nearest cell, the low one. */
INLINE uint32_t clamp_cell(float x, int n) {
    float limit = (float)(n - 1);
    float inside = x > 0 ? x : 0;
    return (uint32_t)(int)(inside < limit ? inside : limit);
}

INLINE void find_keys_dim(uint32_t *key, const particles *p, const box *b, size_t begin, size_t end,
                          int dim) {
    const float *x = p->x[0], *y = p->x[1], *z = p->x[2];
    const int n[3] = {b->n[0], b->n[1], b->n[2]}; /* which the stores to keys cannot reach */
    uint32_t row = (uint32_t)n[0], plane = row * (uint32_t)n[1];
    for (size_t i = begin; i < end; ++i) {
        uint32_t c = clamp_cell(x[i], n[0]) + row * clamp_cell(y[i], n[1]);
        if (dim == 3) c += plane * clamp_cell(z[i], n[2]);
        key[i] = c;
    }
}

HOT static void find_keys(uint32_t *key, const particles *p, const box *b, size_t begin, size_t end) {
    if (b->dim == 3) find_keys_dim(key, p, b, begin, end, 3);
    else find_keys_dim(key, p, b, begin, end, 2);
}

static void tally_block(void *context, int block) {
    sorting *s = context;
    size_t begin = (size_t)block * s->grain, end = block_end(s, block);
    uint32_t *tally = s->p->tally + (size_t)block * TALLY;
    find_keys(s->key, s->p, s->b, begin, end);
    memset(tally, 0, BUCKETS * sizeof *tally);
    for (size_t i = begin; i < end; ++i) ++tally[s->key[i] >> s->shift];
}

/* Turns counts into places: by bucket, then by block. */
static void place_buckets(sorting *s) {
    uint32_t place = 0;
    for (int bucket = 0; bucket < s->buckets; ++bucket) {
        s->start[bucket] = place;
        for (int block = 0; block < s->blocks; ++block) {
            uint32_t *tally = s->p->tally + (size_t)block * TALLY + bucket;
            uint32_t count = *tally;
            *tally = place;
            place += count;
        }
    }
    s->start[s->buckets] = place;
}

static void scatter_block(void *context, int block) {
    sorting *s = context;
    uint32_t *place = s->p->tally + (size_t)block * TALLY;
    size_t end = block_end(s, block);
    for (size_t i = (size_t)block * s->grain; i < end; ++i)
        s->rough[place[s->key[i] >> s->shift]++] = (uint32_t)i;
}

/* Orders one bucket by cell. cell_start serves as the running place of each cell and is shifted back
 * afterwards; returns whether anything had to move. */
static double order_bucket(void *context, int bucket) {
    sorting *s = context;
    uint32_t begin = s->start[bucket], end = s->start[bucket + 1];
    size_t low = (size_t)bucket << s->shift, high = ((size_t)bucket + 1) << s->shift;
    if (high > s->p->cells) high = s->p->cells;
    uint32_t *start = s->p->cell_start, *order = s->p->order;
    memset(start + low, 0, (high - low) * sizeof *start);
    for (uint32_t q = begin; q < end; ++q) ++start[s->key[s->rough[q]]];
    uint32_t place = begin;
    for (size_t c = low; c < high; ++c) {
        uint32_t count = start[c];
        start[c] = place;
        place += count;
    }
    uint32_t moved = 0;
    for (uint32_t q = begin; q < end; ++q) {
        uint32_t i = s->rough[q], to = start[s->key[i]]++;
        order[to] = i;
        moved |= to ^ i;
    }
    memmove(start + low + 1, start + low, (high - low - 1) * sizeof *start);
    start[low] = begin;
    return moved != 0;
}

static void gather_block(void *context, int block) {
    sorting *s = context;
    const uint32_t *order = s->p->order;
    size_t begin = (size_t)block * s->grain, end = block_end(s, block);
    const uint32_t *restrict a = s->from[0];
    uint32_t *restrict to_a = s->to[0];
    if (!s->from[1]) {
        for (size_t i = begin; i < end; ++i) to_a[i] = a[order[i]];
        return;
    }
    const uint32_t *restrict b = s->from[1];
    uint32_t *restrict to_b = s->to[1];
    for (size_t i = begin; i < end; ++i) {
        uint32_t from = order[i];
        to_a[i] = a[from];
        to_b[i] = b[from];
    }
}

static void gather_marks(void *context, int block) {
    sorting *s = context;
    size_t begin = (size_t)block * s->grain, end = block_end(s, block);
    const uint32_t *restrict order = s->p->order, *restrict id = s->p->id;
    const uint8_t *restrict fluid = s->p->fluid, *restrict spray = s->p->spray;
    uint32_t *restrict to_id = s->p->spare[0];
    uint8_t *restrict to_fluid = s->p->spare_bytes[0], *restrict to_spray = s->p->spare_bytes[1];
    for (size_t i = begin; i < end; ++i) {
        uint32_t from = order[i];
        to_id[i] = id[from];
        to_fluid[i] = fluid[from];
        to_spray[i] = spray[from];
    }
}

static void swap_bytes(uint8_t **a, uint8_t **b) {
    uint8_t *was = *a;
    *a = *b;
    *b = was;
}

/* Two columns a pass share the reading of the order, and id, fluid and spray do. */
static void gather_columns(sorting *s, pool *threads) {
    particles *p = s->p;
    void *column[COLUMNS_MAX];
    int n = list_columns(column, p);
    parallel_for(threads, s->blocks, gather_marks, s);
    uint32_t *id = p->id;
    p->id = p->spare[0];
    p->spare[0] = id;
    swap_bytes(&p->fluid, &p->spare_bytes[0]);
    swap_bytes(&p->spray, &p->spare_bytes[1]);
    for (int c = 1; c < n; c += 2) {
        int pair = c + 1 < n;
        s->from[0] = column_at(column[c]);
        s->from[1] = pair ? column_at(column[c + 1]) : NULL;
        s->to[0] = p->spare[0];
        s->to[1] = p->spare[1];
        parallel_for(threads, s->blocks, gather_block, s);
        for (int h = 0; h <= pair; ++h) {
            p->spare[h] = column_at(column[c + h]);
            column_set(column[c + h], s->to[h]);
        }
    }
}

int particles_sort(particles *p, const mac_grid *g) {
    if (!p->cell_start) return -1;
    assert(p->cells == box_cells(&g->box));
    if (!p->count) {
        memset(p->cell_start, 0, (p->cells + 1) * sizeof *p->cell_start);
        return 0;
    }
    sorting s = {.p = p, .b = &g->box, .key = p->spare[0], .rough = p->spare[1]};
    s.grain = grain_of(p->count);
    s.blocks = block_count((long)p->count, (int)s.grain);
    while ((p->cells - 1) >> s.shift >= BUCKETS) ++s.shift;
    s.buckets = (int)((p->cells - 1) >> s.shift) + 1;
    parallel_for(g->pool, s.blocks, tally_block, &s);
    place_buckets(&s);
    parallel_for(g->pool, s.blocks, scatter_block, &s);
    double moved = parallel_max(g->pool, s.buckets, order_bucket, &s);
    p->cell_start[p->cells] = (uint32_t)p->count;
    if (moved > 0) gather_columns(&s, g->pool);
    return 0;
}
