/* Compact levels: the finest from the fields of a system, coarser ones by aggregation.
 *
 * A coarse cell is the sum of up to 2 x 2 x 2 cells. With piecewise constant prolongation P the Galerkin
 * operator P^T A P is again a 7-point one: a coarse face sums the fine faces in it, extra sums extra, inner
 * faces vanish. So cut cells, free surfaces and closed regions are inherited with nothing to rediscretise
 * (Braess 1995; Notay 2010). Limits: cells on both sides of a wall thinner than a coarse cell share an
 * aggregate, which costs iterations, never correctness. Chunks of blocks make their entries of the
 * coefficient table each by itself and add them when they are done. */
#include "linear/poisson_level.h"

#include <stdlib.h>
#include <string.h>
#include "core/memory.h"

enum { SAMPLES = 128, RECENT = 4 };

void level_free(level *l) {
    buffer *all[] = {&l->block_memory, &l->coefs_memory,  &l->brief_memory,
                     &l->at_memory,    &l->number_memory, &l->child_memory,
                     &l->x_memory,     &l->b_memory,      &l->unknowns_memory};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) buffer_drop(all[i]);
}

size_t level_bytes(const level *l) {
    return l->block_memory.bytes + l->coefs_memory.bytes + l->brief_memory.bytes + l->at_memory.bytes +
           l->number_memory.bytes + l->child_memory.bytes + l->x_memory.bytes + l->b_memory.bytes +
           l->unknowns_memory.bytes;
}

/* ---- which blocks exist ---- */

typedef struct numbering {
    level *l;
    const level *fine;      /* for a coarse level */
    const box *b;           /* for the finest */
    const uint8_t *unknown; /* for the finest */
    int32_t *row_count;     /* [rows + 1]: blocks of a row, then the first number in it */
} numbering;

enum { ROW_GRAIN = 64 };

static int rows_of(const level *l) {
    return l->n[1] * l->n[2];
}

static int valid_lanes(const level *l, int place) {
    int left = l->n[0] - place * BLOCK_CELLS;
    return left < BLOCK_CELLS ? left : BLOCK_CELLS;
}

static int fine_block_exists(const numbering *w, int place, int j, int k) {
    const uint8_t *u = w->unknown + box_at(w->b, place * BLOCK_CELLS, j, k);
    int lanes = valid_lanes(w->l, place), any = 0;
    for (int i = 0; i < lanes; ++i) any |= u[i];
    return any != 0;
}

static int32_t finer_block(const level *fine, int place, int j, int k) {
    if (place >= fine->row || j >= fine->n[1] || k >= fine->n[2]) return fine->blocks;
    return fine->number[place + fine->row * (j + fine->n[1] * k)];
}

static int coarse_block_exists(const numbering *w, int place, int j, int k) {
    for (int c = 0; c < 8; ++c)
        if (finer_block(w->fine, 2 * place + (c & 1), 2 * j + (c >> 1 & 1), 2 * k + (c >> 2)) <
            w->fine->blocks)
            return 1;
    return 0;
}

static void count_rows(void *context, int chunk) {
    numbering *w = context;
    level *l = w->l;
    int end = (chunk + 1) * ROW_GRAIN < rows_of(l) ? (chunk + 1) * ROW_GRAIN : rows_of(l);
    for (int r = chunk * ROW_GRAIN; r < end; ++r) {
        int j = r % l->n[1], k = r / l->n[1], count = 0;
        for (int place = 0; place < l->row; ++place) {
            int exists = w->fine ? coarse_block_exists(w, place, j, k) : fine_block_exists(w, place, j, k);
            l->number[place + l->row * r] = exists;
            count += exists;
        }
        w->row_count[r] = count;
    }
}

static void number_rows(void *context, int chunk) {
    numbering *w = context;
    level *l = w->l;
    int end = (chunk + 1) * ROW_GRAIN < rows_of(l) ? (chunk + 1) * ROW_GRAIN : rows_of(l);
    for (int r = chunk * ROW_GRAIN; r < end; ++r) {
        int32_t next = w->row_count[r];
        for (int place = l->row * r; place < l->row * (r + 1); ++place) {
            if (l->number[place]) {
                l->at[next] = place;
                l->number[place] = next++;
            } else {
                l->number[place] = l->blocks;
            }
        }
    }
}

/* The block one place on along an axis, at index i of n; around a periodic axis. */
static int32_t number_beside(const level *l, int axis, int at, int i, int n, int step, int way) {
    const int next = i + way;
    if (next >= 0 && next < n) return l->number[at + way * step];
    const int wraps = l->periodic[axis] && (axis > 0 || l->seam < 0) && l->n[axis] > 1;
    return wraps ? l->number[at - way * step * (n - 1)] : l->blocks;
}

/* Numbers into blocks: neighbours here, children there and their parent here. */
static void link_blocks(void *context, int chunk) {
    numbering *w = context;
    level *l = w->l;
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(l, chunk); ++id) {
        int at = l->at[id], place = at % l->row, r = at / l->row, j = r % l->n[1], k = r / l->n[1];
        int plane = l->row * l->n[1];
        block *c = &l->block[id];
        c->neighbour[X_LOW] = number_beside(l, 0, at, place, l->row, 1, -1);
        c->neighbour[X_HIGH] = number_beside(l, 0, at, place, l->row, 1, 1);
        c->neighbour[Y_LOW] = number_beside(l, 1, at, j, l->n[1], l->row, -1);
        c->neighbour[Y_HIGH] = number_beside(l, 1, at, j, l->n[1], l->row, 1);
        c->neighbour[Z_LOW] = number_beside(l, 2, at, k, l->n[2], plane, -1);
        c->neighbour[Z_HIGH] = number_beside(l, 2, at, k, l->n[2], plane, 1);
        c->parent = (j + k) & 1;
        if (!w->fine) continue;
        for (int i = 0; i < 8; ++i) {
            int32_t child = finer_block(w->fine, 2 * place + (i & 1), 2 * j + (i >> 1 & 1), 2 * k + (i >> 2));
            l->child[id][i] = child;
            if (child == w->fine->blocks) continue;
            block *f = &w->fine->block[child];
            f->parent = id * 8 + (i & 1) * 4 + block_parity(c) * 2 + block_parity(f);
        }
    }
}

static int number_level(numbering *w, pool *p, buffer *scratch) {
    level *l = w->l;
    int rows = rows_of(l);
    l->row = (l->n[0] + BLOCK_CELLS - 1) / BLOCK_CELLS;
    const int ends = l->n[0] % BLOCK_CELLS; /* cells of the last block, when it is not full */
    l->seam = l->periodic[0] && ends > 1 ? ends / 2 - 1 : -1;
    if (buffer_hold(scratch, ((size_t)rows + 1) * sizeof(int32_t)) ||
        buffer_hold(&l->number_memory, (size_t)rows * (size_t)l->row * sizeof(int32_t)))
        return -1;
    w->row_count = scratch->data;
    l->number = l->number_memory.data;
    parallel_for(p, block_count(rows, ROW_GRAIN), count_rows, w);
    int32_t next = 0;
    for (int r = 0; r < rows; ++r) {
        int32_t count = w->row_count[r];
        w->row_count[r] = next;
        next += count;
    }
    l->blocks = next;
    l->stride = next + 1;
    size_t all = (size_t)next + 1;
    if (buffer_hold(&l->at_memory, all * sizeof(int32_t)) ||
        buffer_hold(&l->block_memory, (all + BLOCKS_AHEAD) * sizeof(block)))
        return -1;
    l->at = l->at_memory.data;
    l->block = l->block_memory.data;
    if (w->fine) {
        if (buffer_hold(&l->child_memory, all * sizeof *l->child) ||
            buffer_hold(&l->x_memory, all * 2 * sizeof(vec8)) ||
            buffer_hold(&l->b_memory, all * 2 * sizeof(vec8)))
            return -1;
        l->child = l->child_memory.data;
        l->x = l->x_memory.data;
        l->b = l->b_memory.data;
        for (int colour = 0; colour < 2; ++colour) /* of the block that does not exist */
            l->x[colour * l->stride + next] = l->b[colour * l->stride + next] = vec8_of(0);
        w->fine->block[w->fine->blocks].parent = next * 8; /* which descends from its like */
    }
    parallel_for(p, block_count(rows, ROW_GRAIN), number_rows, w);
    parallel_for(level_pool(l, p), level_chunks(l), link_blocks, w);
    for (int i = next; i <= next + BLOCKS_AHEAD; ++i)
        l->block[i] = (block){.neighbour = {next, next, next, next, next, next}};
    return 0;
}

/* ---- coefficients ---- */

typedef struct filling {
    level *l;
    const level *fine;
    const box *b;
    const poisson_system *system;
    int32_t entries, capacity; /* of the table: made, and what it can hold */
} filling;

/* 1 / (x + y + z), or 0 */
INLINE vec8 inverse_of_sum(vec8 x, vec8 y, vec8 z) {
    const vec8 d = (x + y) + z;
    return (vec8)((mask8)(vec8_of(1) / d) & (d > vec8_of(0)));
}

INLINE void finish_coefs(block_coefs *c) {
    for (int h = 0; h < 2; ++h) {
        side_coefs *s = &c->side[h];
        s->inverse =
            inverse_of_sum(s->x_mid + s->x_out, s->y_low + s->y_high, (s->z_low + s->z_high) + s->extra);
    }
}

static void uniform_coefs(block_coefs *c, float a, int dim) {
    vec8 all = vec8_of(a), none = vec8_of(0), z = dim == 3 ? all : none;
    c->side[EVEN] = c->side[ODD] = (side_coefs){all, all, all, all, z, z, none, none};
    finish_coefs(c);
}

/* Sixteen values of a field, parted into even and odd; 0 beyond `lanes` and where mask is 0. */
INLINE void load_pair(vec8 *even, vec8 *odd, const float *from, int lanes, const vec8 mask[2]) {
    vec8 in[2] = {vec8_of(0), vec8_of(0)};
    if (lanes == BLOCK_CELLS) memcpy(in, from, sizeof in);
    else memcpy(in, from, (size_t)lanes * sizeof *from);
    in[0] *= mask[0];
    in[1] *= mask[1];
    *even = vec8_evens(in[0], in[1]);
    *odd = vec8_odds(in[0], in[1]);
}

INLINE void coefs_from_fields(block_coefs *c, const filling *f, int id) {
    const level *l = f->l;
    int at = l->at[id], place = at % l->row, r = at / l->row;
    ptrdiff_t cell = box_at(f->b, place * BLOCK_CELLS, r % l->n[1], r / l->n[1]);
    int lanes = valid_lanes(l, place);
    uint8_t unknown[BLOCK_CELLS] = {0};
    memcpy(unknown, f->system->unknown + cell, (size_t)lanes);
    float in[BLOCK_CELLS];
    unsigned bits = 0;
    for (int i = 0; i < BLOCK_CELLS; ++i) in[i] = unknown[i] ? 1.0f : 0.0f;
    for (int i = 0; i < BLOCK_CELLS; ++i) bits |= (unsigned)(unknown[i] != 0) << i;
    l->unknowns[id] = (uint16_t)bits;
    vec8 mask[2];
    memcpy(mask, in, sizeof mask);
    side_coefs *even = &c->side[EVEN], *odd = &c->side[ODD];
    const poisson_system *s = f->system;
    const ptrdiff_t *step = f->b->step;
    load_pair(&even->x_out, &odd->x_mid, s->face[0] + cell, lanes, mask);
    load_pair(&even->x_mid, &odd->x_out, s->face[0] + cell + 1, lanes, mask);
    load_pair(&even->y_low, &odd->y_low, s->face[1] + cell, lanes, mask);
    load_pair(&even->y_high, &odd->y_high, s->face[1] + cell + step[1], lanes, mask);
    if (l->dim == 3) {
        load_pair(&even->z_low, &odd->z_low, s->face[2] + cell, lanes, mask);
        load_pair(&even->z_high, &odd->z_high, s->face[2] + cell + step[2], lanes, mask);
    } else {
        even->z_low = odd->z_low = even->z_high = odd->z_high = vec8_of(0);
    }
    load_pair(&even->extra, &odd->extra, s->extra + cell, lanes, mask);
    finish_coefs(c);
}

enum { SUM_X_LOW, SUM_X_HIGH, SUM_Y_LOW, SUM_Y_HIGH, SUM_Z_LOW, SUM_Z_HIGH, SUM_EXTRA, SUMS };

INLINE void coefs_from_children(block_coefs *c, const filling *f, int id) {
    const level *fine = f->fine;
    vec8 sum[SUMS][2];
    for (int i = 0; i < SUMS; ++i) sum[i][0] = sum[i][1] = vec8_of(0);
    for (int i = 0; i < 8; ++i) {
        int child = f->l->child[id][i], h = i & 1;
        if (child == fine->blocks) continue;
        const side_coefs *even = fine->coefs[fine->block[child].coefs].side, *odd = even + 1;
        sum[SUM_X_LOW][h] += even->x_out;
        sum[SUM_X_HIGH][h] += odd->x_out;
        sum[SUM_EXTRA][h] += even->extra + odd->extra;
        if (i & 2) sum[SUM_Y_HIGH][h] += even->y_high + odd->y_high;
        else sum[SUM_Y_LOW][h] += even->y_low + odd->y_low;
        if (i & 4) sum[SUM_Z_HIGH][h] += even->z_high + odd->z_high;
        else sum[SUM_Z_LOW][h] += even->z_low + odd->z_low;
    }
    for (int a = 0; a < 3; ++a) /* a cell beside itself */
        if (f->l->periodic[a] && f->l->n[a] == 1)
            for (int i = 0; i < 4; ++i) sum[2 * a + i / 2][i % 2] = vec8_of(0);
    vec8 even[SUMS], odd[SUMS];
    for (int i = 0; i < SUMS; ++i) {
        even[i] = vec8_evens(sum[i][0], sum[i][1]);
        odd[i] = vec8_odds(sum[i][0], sum[i][1]);
    }
    c->side[EVEN] = (side_coefs){odd[SUM_X_LOW],  even[SUM_X_LOW],  even[SUM_Y_LOW], even[SUM_Y_HIGH],
                                 even[SUM_Z_LOW], even[SUM_Z_HIGH], even[SUM_EXTRA], vec8_of(0)};
    c->side[ODD] = (side_coefs){odd[SUM_X_LOW], odd[SUM_X_HIGH], odd[SUM_Y_LOW], odd[SUM_Y_HIGH],
                                odd[SUM_Z_LOW], odd[SUM_Z_HIGH], odd[SUM_EXTRA], vec8_of(0)};
    finish_coefs(c);
}

INLINE void make_coefs(block_coefs *c, const filling *f, int id) {
    if (f->fine) coefs_from_children(c, f, id);
    else coefs_from_fields(c, f, id);
}

/* The entry of a block among those made for its chunk, counted from 1: 0, the uniform one, or one of the few
 * latest where they are the same; -1: a new one. */
INLINE int32_t known_entry(const level *l, const block_coefs *made, int32_t count) {
    const block_coefs *c = &made[count];
    if (!memcmp(c, &l->coefs[0], sizeof *c)) return 0;
    for (int32_t i = count - 1; i >= 0 && i >= count - RECENT; --i)
        if (!memcmp(c, &made[i], sizeof *c)) return i + 1;
    return -1;
}

/* The entries of a chunk, written where the table has room for them. Which chunk comes first is up to the
 * threads: entries are the same wherever they lie. */
HOT static void make_entries(void *context, int chunk) {
    filling *f = context;
    level *l = f->l;
    block_coefs made[BLOCK_GRAIN];
    const int begin = chunk * BLOCK_GRAIN, end = chunk_end(l, chunk);
    int32_t count = 0;
    for (int id = begin; id < end; ++id) {
        make_coefs(&made[count], f, id);
        const int32_t known = known_entry(l, made, count);
        l->block[id].coefs = known < 0 ? ++count : known;
    }
    const int32_t first = __atomic_fetch_add(&f->entries, count, __ATOMIC_RELAXED);
    for (int id = begin; id < end; ++id)
        if (l->block[id].coefs) l->block[id].coefs += first - 1;
    if (first + count <= f->capacity) memcpy(&l->coefs[first], made, (size_t)count * sizeof *made);
}

static int hold_entries(filling *f, int32_t entries) {
    level *l = f->l;
    if (buffer_hold(&l->coefs_memory, (size_t)entries * sizeof(block_coefs))) return -1;
    l->coefs = l->coefs_memory.data;
    f->capacity = (int32_t)(l->coefs_memory.bytes / sizeof(block_coefs));
    return 0;
}

/* How many entries there are is known when all are made. What held those of the system before mostly has
 * room for them, and else they are made once more. */
static int fill_level(filling *f, pool *p, float uniform) {
    level *l = f->l;
    f->entries = 1;
    do {
        if (hold_entries(f, f->entries)) return -1;
        uniform_coefs(&l->coefs[0], uniform, l->dim);
        f->entries = 1;
        parallel_for(level_pool(l, p), level_chunks(l), make_entries, f);
    } while (f->entries > f->capacity);
    l->entries = f->entries;
    return 0;
}

/* ---- the same in brief ---- */

enum { ENTRY_GRAIN = 128 };

INLINE void shorten(brief_side *to, const side_coefs *c) {
    to->x = vec8_pair(c->x_mid, c->x_out);
    to->y = vec8_pair(c->y_low, c->y_high);
    to->z = vec8_pair(c->z_low, c->z_high);
    to->inverse = inverse_of_sum(pair_high(to->x) + pair_low(to->x), pair_high(to->y) + pair_low(to->y),
                                 (pair_high(to->z) + pair_low(to->z)) + c->extra);
}

HOT static void shorten_task(void *context, int chunk) {
    const level *l = context;
    const int from = chunk * ENTRY_GRAIN,
              end = from + ENTRY_GRAIN < l->entries ? from + ENTRY_GRAIN : l->entries;
    for (int e = from; e < end; ++e)
        for (int h = 0; h < 2; ++h) shorten(&l->brief[e].side[h], &l->coefs[e].side[h]);
}

int level_make_brief(level *l, pool *p) {
    if (l->dim != 3) return 0;
    if (buffer_hold(&l->brief_memory, (size_t)l->entries * sizeof *l->brief)) return -1;
    l->brief = l->brief_memory.data;
    parallel_for(level_pool(l, p), block_count(l->entries, ENTRY_GRAIN), shorten_task, l);
    return 0;
}

void level_forget_brief(level *l) {
    l->brief = NULL;
}

/* ---- levels ---- */

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The commonest face coefficient of a sample: what a block inside the liquid has everywhere. */
static float common_coefficient(const level *l, const box *b, const poisson_system *system) {
    float sample[SAMPLES];
    int count = 0, stride = l->blocks / SAMPLES + 1;
    for (int id = 0; id < l->blocks; id += stride) {
        int at = l->at[id], place = at % l->row, r = at / l->row;
        int middle = place * BLOCK_CELLS + valid_lanes(l, place) / 2;
        float a = system->face[0][box_at(b, middle, r % l->n[1], r / l->n[1])];
        if (a > 0) sample[count++] = a;
    }
    if (count == 0) return 1;
    qsort(sample, (size_t)count, sizeof *sample, by_value);
    float best = sample[0];
    for (int i = 0, longest = 0; i < count;) {
        int end = i;
        while (end < count && sample[end] <= sample[i]) ++end;
        if (end - i > longest) longest = end - i, best = sample[i];
        i = end;
    }
    return best;
}

int level_from_system(level *fine, const box *b, pool *p, const poisson_system *system, buffer *scratch) {
    fine->dim = b->dim;
    for (int a = 0; a < 3; ++a) fine->n[a] = b->n[a], fine->periodic[a] = b->periodic[a];
    numbering w = {.l = fine, .b = b, .unknown = system->unknown};
    if (number_level(&w, p, scratch)) return -1;
    if (buffer_hold(&fine->unknowns_memory, ((size_t)fine->blocks + 1) * sizeof *fine->unknowns)) return -1;
    fine->unknowns = fine->unknowns_memory.data;
    level_forget_brief(fine);
    filling f = {.l = fine, .b = b, .system = system};
    return fill_level(&f, p, common_coefficient(fine, b, system));
}

int level_from_finer(level *coarse, level *fine, pool *p, buffer *scratch) {
    coarse->dim = fine->dim;
    for (int a = 0; a < 3; ++a) coarse->n[a] = (fine->n[a] + 1) / 2, coarse->periodic[a] = fine->periodic[a];
    numbering w = {.l = coarse, .fine = fine};
    if (number_level(&w, p, scratch)) return -1;
    level_forget_brief(coarse);
    filling f = {.l = coarse, .fine = fine};
    float fine_uniform = fine->coefs[0].side[EVEN].x_mid[0];
    return fill_level(&f, p, fine_uniform * (fine->dim == 3 ? 4 : 2));
}
