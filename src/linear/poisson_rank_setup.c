/* A term of low rank in the order in which its products want it: from rows of C by the box's cells to rows by
 * places, on the finest level and on those of the cycle (poisson_rank.c says what for).
 *
 * Every group is worked on by itself: rows of 2 x 2 x 2 cells add up to one of the coarser level as residuals
 * do (a hash table from places to rows), as long as the group weighs enough there. Rows lie in the order in
 * which cells are first met, so neither threads nor the table's size change anything. Then counts are added
 * up, and all rows packed by eights: those of a group in one chunk of blocks together, chunk after chunk.
 *
 * Limits: a group has ROOM_FEW + 3 rows a row of the finest level on all levels together; one that needs more
 * is left out of the cycle. */
#include "linear/poisson_rank.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

enum { POWERS = 8, ROOM_FEW = 64 };

/* Of the weight beside the diagonal. Sweeps that hold the term still stay positive somewhat beyond 1; below
 * the least a body is so heavy (balls of six cells: as the liquid) that iterations without it in the cycle
 * cost less than having it there. A body that is in the cycle stays on all levels until next to nothing is
 * left of it: corrections that do not know it would overshoot, and the cycle no longer be positive. */
static const double WEIGHT_MOST = 0.7, WEIGHT_LEAST = 0.01, WEIGHT_NOTHING = 0.01;

/* A row of C before it is packed. */
typedef struct entry {
    int32_t place;
    float row[POISSON_RANK];
} entry;

typedef struct setup {
    low_rank *r;
    const level *levels;
    int count; /* of levels of the cycle */
    const box *b;
    const poisson_row *rows;
    const int *first;
    entry *raw;
    int32_t *hash;
    int32_t (*counts)[LEVELS_MAX]; /* rows of a group on each level */
    int32_t *columns;              /* of a group */
    int32_t *tally[LEVELS_MAX];    /* [groups][chunks]: rows of a level, then where the next one goes */
} setup;

low_rank *rank_create(void) {
    return mem_alloc(sizeof(low_rank));
}

static void drop_level(rank_level *l) {
    buffer_drop(&l->store_memory);
    buffer_drop(&l->run_memory);
    buffer_drop(&l->part_memory);
    buffer_drop(&l->product_memory);
}

void rank_free(low_rank *r) {
    if (!r) return;
    buffer *all[] = {&r->group_memory, &r->product_memory, &r->raw_memory,
                     &r->hash_memory,  &r->count_memory,   &r->tally_memory};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) buffer_drop(all[i]);
    for (int i = 0; i < LEVELS_MAX; ++i) drop_level(&r->level[i]);
    mem_free(r);
}

size_t rank_bytes(const low_rank *r) {
    size_t bytes = sizeof *r + r->group_memory.bytes + r->product_memory.bytes + r->raw_memory.bytes +
                   r->hash_memory.bytes + r->count_memory.bytes + r->tally_memory.bytes;
    for (int i = 0; i < LEVELS_MAX; ++i)
        bytes += r->level[i].store_memory.bytes + r->level[i].run_memory.bytes +
                 r->level[i].part_memory.bytes + r->level[i].product_memory.bytes;
    return bytes;
}

/* ---- places ---- */

/* Rows of cells follow one another: the divisions that find one are done once a row. */
typedef struct row_finder {
    ptrdiff_t from, to; /* cells of the box's row looked at last */
    int at;             /* its first block among all that may exist; -1: outside */
} row_finder;

static void find_row(row_finder *f, const level *l, const box *b, ptrdiff_t cell) {
    const uint32_t from = (uint32_t)(cell - b->first), plane = (uint32_t)b->step[2],
                   row = (uint32_t)b->step[1]; /* short divisions are fast ones */
    const uint32_t in_plane = l->dim == 3 ? from % plane : from;
    const int k = l->dim == 3 ? (int)(from / plane) : 0, j = (int)(in_plane / row);
    f->from = cell - (ptrdiff_t)(in_plane % row);
    f->to = f->from + b->step[1];
    f->at = j < l->n[1] && k < l->n[2] ? l->row * (j + l->n[1] * k) : -1;
}

/* Where the compact fields keep a cell of the box; -1: it is no unknown. */
static int32_t place_of(row_finder *f, const level *l, const box *b, ptrdiff_t cell) {
    if (cell < b->first) return -1;
    if (cell < f->from || cell >= f->to) find_row(f, l, b, cell);
    const int i = (int)(cell - f->from);
    if (f->at < 0 || i >= l->n[0]) return -1;
    const int id = l->number[i / BLOCK_CELLS + f->at], lane = i % BLOCK_CELLS;
    if (id >= l->blocks || !(l->unknowns[id] >> lane & 1)) return -1;
    return 8 * spot(l, id, lane & 1) + lane / 2;
}

/* Calls it into the cache: it is wanted when all rows are there. */
static void call_inverse(const level *l, int32_t place) {
    int id;
    const int half = half_at(l, place, &id);
    const int32_t at = l->block[id].coefs;
    __builtin_prefetch(l->brief ? &l->brief[at].side[half].inverse : &l->coefs[at].side[half].inverse);
}

static int32_t coarse_place(const level *fine, const level *coarse, int32_t place) {
    int id;
    const int half = half_at(fine, place, &id), parent = fine->block[id].parent;
    const int lane = (2 * (place % 8) + half) / 2 + (parent & 4 ? 8 : 0);
    return 8 * spot(coarse, parent >> 3, lane & 1) + lane / 2;
}

/* ---- rows ---- */

/* Rows that are being added up; the table has a quarter more slots than there can be rows, which is several
 * times what there are. */
typedef struct gathered {
    entry *entries;
    int32_t count, capacity;
    int32_t *slot; /* 1 + a row, 0: none */
    uint32_t mask;
} gathered;

static gathered gather_begin(entry *entries, int32_t capacity, int32_t *slots) {
    uint32_t size = 4;
    while (4 * size < 5 * (uint32_t)capacity) size *= 2;
    memset(slots, 0, size * sizeof *slots);
    return (gathered){.entries = entries, .capacity = capacity, .slot = slots, .mask = size - 1};
}

/* The row of a place, 0 at first. NULL: no room. */
static entry *row_at(gathered *g, int32_t place) {
    uint32_t h = ((uint32_t)place * 2654435769u >> 12) & g->mask;
    while (g->slot[h] && g->entries[g->slot[h] - 1].place != place) h = (h + 1) & g->mask;
    if (g->slot[h]) return &g->entries[g->slot[h] - 1];
    if (g->count == g->capacity) return NULL;
    entry *e = &g->entries[g->count++];
    *e = (entry){.place = place};
    g->slot[h] = g->count;
    return e;
}

/* C^T D^-1 C, symmetric */
HOT static void find_gram(double gram[POISSON_RANK][POISSON_RANK], const entry *entries, int32_t count,
                          const level *on) {
    dvec8 sum[POISSON_RANK];
    for (int i = 0; i < POISSON_RANK; ++i) sum[i] = dvec8_of(0);
    for (const entry *k = entries; k < entries + count; ++k) {
        const float *c = k->row;
        const dvec8 row = {{(double)c[0], (double)c[1], (double)c[2], (double)c[3]},
                           {(double)c[4], (double)c[5], 0, 0}};
        const double inverse = (double)inverse_at(on, k->place);
        for (int i = 0; i < POISSON_RANK; ++i)
            sum[i] = dvec8_plus_product(sum[i], dvec8_of(inverse * (double)c[i]), row);
    }
    for (int i = 0; i < POISSON_RANK; ++i) memcpy(gram[i], &sum[i], sizeof gram[i]);
}

/* The largest eigenvalue of it, by powers: how much the term weighs beside the diagonal. */
static double weight_of(const entry *entries, int32_t count, const level *on) {
    double gram[POISSON_RANK][POISSON_RANK], v[POISSON_RANK], length = 0;
    find_gram(gram, entries, count, on);
    for (int i = 0; i < POISSON_RANK; ++i) v[i] = sqrt(gram[i][i]);
    for (int round = 0; round < POWERS; ++round) {
        double next[POISSON_RANK] = {0}, sum = 0, before = 0;
        for (int i = 0; i < POISSON_RANK; ++i) {
            for (int j = 0; j < POISSON_RANK; ++j) next[i] += gram[i][j] * v[j];
            sum += next[i] * next[i];
            before += v[i] * v[i];
        }
        if (!(before > 0)) return 0;
        length = sqrt(sum / before);
        memcpy(v, next, sizeof v);
    }
    return length;
}

/* A bound of it that is quick to find. */
static double trace_of(const entry *entries, int32_t count, const level *on) {
    double sum = 0;
    for (const entry *k = entries; k < entries + count; ++k) {
        float square = 0;
        for (int c = 0; c < POISSON_RANK; ++c) square += k->row[c] * k->row[c];
        sum += (double)(square * inverse_at(on, k->place));
    }
    return sum;
}

/* What keeps the cycle's sweeps from overshooting; 0: the group is not in the cycle. The trace is at most six
 * times the largest eigenvalue, and mostly says enough. */
static double scale_of(const entry *entries, int32_t count, const level *on) {
    const double trace = trace_of(entries, count, on);
    if (trace < WEIGHT_LEAST) return 0;
    if (trace >= POISSON_RANK * WEIGHT_LEAST && trace <= WEIGHT_MOST) return 1;
    const double weight = weight_of(entries, count, on);
    return weight < WEIGHT_LEAST ? 0 : weight > WEIGHT_MOST ? sqrt(WEIGHT_MOST / weight) : 1;
}

/* The rows of a coarser level from those before; their number, 0 when they weigh nothing, -1: no room. */
static int32_t restrict_rows(gathered *to, const entry *from, int32_t count, float scale, const level *fine) {
    const level *coarse = fine + 1;
    for (const entry *k = from; k < from + count; ++k) {
        const int32_t place = coarse_place(fine, coarse, k->place);
        entry *e = row_at(to, place);
        if (!e) return -1;
        for (int c = 0; c < POISSON_RANK; ++c) e->row[c] += scale * k->row[c];
    }
    return trace_of(to->entries, to->count, coarse) >= WEIGHT_NOTHING ? to->count : 0;
}

/* ---- a group ---- */

static int32_t rows_before(const setup *s, int group) {
    return 3 * s->first[group] + ROOM_FEW * group;
}

/* The rows of the finest level; how many, and which columns they have. */
static int32_t place_rows(entry *to, const setup *s, int group) {
    const level *l = &s->levels[0];
    row_finder f = {0};
    int32_t count = 0;
    int more = 0;
    for (int e = s->first[group]; e < s->first[group + 1]; ++e) {
        const poisson_row *from = &s->rows[e];
        const int32_t place = place_of(&f, l, s->b, from->cell);
        if (place < 0) continue;
        call_inverse(l, place);
        to[count].place = place;
        memcpy(to[count++].row, from->value, sizeof from->value);
        for (int c = COLUMNS_FEWER; c < POISSON_RANK; ++c) more |= from->value[c] != 0;
    }
    s->columns[group] = more ? POISSON_RANK : COLUMNS_FEWER;
    return count;
}

/* At least the finest. */
static int levels_of(const setup *s) {
    return s->count > 1 ? s->count : 1;
}

static int chunk_of(const level *l, int32_t place) {
    const int vector = place / 8;
    return (vector - (vector >= l->stride ? l->stride : 0)) / BLOCK_GRAIN;
}

static int32_t *tally_of(const setup *s, int depth, int group) {
    return s->tally[depth] + (ptrdiff_t)group * s->r->level[depth].chunks;
}

/* Rows of a group in every chunk of all levels; `entries` begin with those of the finest. */
static void count_chunks(const setup *s, int group, const entry *entries) {
    for (int depth = 0; depth < levels_of(s); ++depth) {
        int32_t *tally = tally_of(s, depth, group);
        memset(tally, 0, (size_t)s->r->level[depth].chunks * sizeof *tally);
        for (int32_t left = s->counts[group][depth]; left > 0; --left, ++entries)
            ++tally[chunk_of(&s->levels[depth], entries->place)];
    }
}

/* Rows on all levels, and the scale that keeps the cycle's sweeps from overshooting. */
static void group_task(void *context, int group) {
    const setup *s = context;
    low_rank *r = s->r;
    const int32_t rows = s->first[group + 1] - s->first[group];
    int32_t *counts = s->counts[group], left = 3 * rows + ROOM_FEW;
    entry *raw = s->raw + rows_before(s, group);
    int32_t *slots = s->hash + rows_before(s, group); /* a table takes less than 2.5 a row */
    memset(counts, 0, sizeof *s->counts);
    counts[0] = place_rows(raw, s, group);
    r->scale[group] = s->count > 1 ? scale_of(raw, counts[0], &s->levels[0]) : 0;
    for (int depth = 1; depth < s->count && r->scale[group] > 0 && counts[depth - 1] > 0; ++depth) {
        const entry *finer = raw;
        left -= counts[depth - 1];
        raw += counts[depth - 1];
        gathered g = gather_begin(raw, left < counts[depth - 1] ? left : counts[depth - 1], slots);
        counts[depth] = restrict_rows(&g, finer, counts[depth - 1], depth == 1 ? (float)r->scale[group] : 1,
                                      &s->levels[depth - 1]);
        if (counts[depth] >= 0) continue;
        memset(counts + 1, 0, (size_t)depth * sizeof *counts);
        r->scale[group] = 0;
    }
    count_chunks(s, group, s->raw + rows_before(s, group));
}

/* Puts a row where its tally leads, and that on: PACK times the vectors before a pack, and a lane of it. */
static void pack_row(const rank_level *l, int32_t *tally, int columns, const entry *k, float beside) {
    const int lane = *tally % PACK;
    pack *to = pack_at(l, *tally / PACK);
    to->place[lane] = k->place;
    to->beside[lane] = beside;
    for (int c = 0; c < columns; ++c) to->row[c][lane] = k->row[c];
    *tally += lane < PACK - 1 ? 1 : PACK * pack_vectors(columns) - lane;
}

/* The rows of a group on a level, each where its chunk has room for it. */
static void pack_level(const setup *s, int depth, int group, const entry *entries) {
    const rank_level *l = &s->r->level[depth];
    const level *on = &s->levels[depth];
    const int columns = s->columns[group];
    int32_t *tally = tally_of(s, depth, group);
    for (const entry *k = entries; k < entries + s->counts[group][depth]; ++k)
        pack_row(l, &tally[chunk_of(on, k->place)], columns, k, depth ? inverse_at(on, k->place) : 0);
    for (int chunk = 0; chunk < l->chunks; ++chunk)
        while (tally[chunk] % PACK) {
            const pack *last = pack_at(l, tally[chunk] / PACK);
            const int lane = tally[chunk] % PACK - 1;
            const entry filler = {.place = last->place[lane]};
            pack_row(l, &tally[chunk], columns, &filler, last->beside[lane]);
        }
}

static void pack_task(void *context, int group) {
    const setup *s = context;
    const entry *from = s->raw + rows_before(s, group);
    for (int depth = 0; depth < s->r->deep; ++depth) {
        pack_level(s, depth, group, from);
        from += s->counts[group][depth];
    }
}

/* ---- all of them ---- */

static int hold_groups(low_rank *r, int groups, int rows) {
    const size_t n = (size_t)groups, all = 3 * (size_t)rows + ROOM_FEW * n;
    if (buffer_hold(&r->group_memory, n * sizeof *r->scale) ||
        buffer_hold(&r->product_memory, 3 * n * sizeof *r->product) ||
        buffer_hold(&r->raw_memory, all * sizeof(entry)) ||
        buffer_hold(&r->hash_memory, all * sizeof(int32_t)) ||
        buffer_hold(&r->count_memory, n * (LEVELS_MAX + 1) * sizeof(int32_t)))
        return -1;
    r->scale = r->group_memory.data;
    r->product = r->product_memory.data;
    r->exact = r->product + n;
    r->found = r->exact + n;
    return 0;
}

/* Room to count rows in. -1: no memory. */
static int hold_tallies(setup *s, int groups) {
    size_t all = 0;
    for (int depth = 0; depth < levels_of(s); ++depth)
        all += (size_t)(s->r->level[depth].chunks = level_chunks(&s->levels[depth])) * (size_t)groups;
    if (buffer_hold(&s->r->tally_memory, all * sizeof(int32_t) + 1)) return -1;
    int32_t *next = s->r->tally_memory.data;
    for (int depth = 0; depth < levels_of(s); ++depth) {
        s->tally[depth] = next;
        next += (ptrdiff_t)s->r->level[depth].chunks * groups;
    }
    return 0;
}

/* Runs chunk after chunk and group after group, which tallies then lead to; the vectors of their packs, -1:
 * no memory. */
static int32_t list_runs(const setup *s, int depth, int groups) {
    rank_level *l = &s->r->level[depth];
    size_t runs = 0;
    for (int32_t e = 0; e < groups * l->chunks; ++e) runs += s->tally[depth][e] > 0;
    if (buffer_hold(&l->run_memory, runs * sizeof *l->runs + ((size_t)l->chunks + 1) * sizeof(int32_t)) ||
        buffer_hold(&l->part_memory, runs * sizeof *l->part + 1))
        return -1;
    l->part = l->part_memory.data;
    l->runs = l->run_memory.data;
    l->chunk_run = (int32_t *)(l->runs + runs);
    int32_t vectors = 0, run = 0;
    for (int chunk = 0; chunk < l->chunks; ++chunk) {
        l->chunk_run[chunk] = run;
        for (int g = 0; g < groups; ++g) {
            int32_t *rows = &tally_of(s, depth, g)[chunk];
            if (*rows == 0) continue;
            const int32_t packs = block_count(*rows, PACK), columns = s->columns[g];
            l->runs[run++] = (rank_run){.group = g, .columns = columns, .packs = packs, .at = vectors};
            *rows = vectors * PACK;
            vectors += packs * pack_vectors(columns);
        }
    }
    l->chunk_run[l->chunks] = run;
    return vectors;
}

/* The vectors of a level's packs, -1: no memory. */
static int32_t hold_level(const setup *s, int depth, int groups) {
    rank_level *l = &s->r->level[depth];
    const int32_t vectors = list_runs(s, depth, groups);
    if (vectors < 0 || buffer_hold(&l->product_memory, 3 * (size_t)groups * sizeof *l->now) ||
        buffer_hold(&l->store_memory, (size_t)vectors * sizeof *l->store + 1))
        return -1;
    l->now = l->product_memory.data;
    l->frozen = l->now + groups;
    l->change = l->frozen + groups;
    l->store = l->store_memory.data;
    return vectors;
}

int rank_attach(low_rank *r, const level *levels, int count, const box *b, pool *p, const poisson_row *rows,
                const int *first, int groups) {
    r->groups = r->levels = r->deep = r->knows_found = 0;
    if (groups == 0) return 0;
    setup s = {.r = r, .levels = levels, .count = count, .b = b, .rows = rows, .first = first};
    if (hold_groups(r, groups, first[groups]) || hold_tallies(&s, groups)) return -1;
    s.raw = r->raw_memory.data;
    s.hash = r->hash_memory.data;
    s.counts = r->count_memory.data;
    s.columns = (int32_t *)(s.counts + groups);
    parallel_for(p, groups, group_task, &s);
    int weighs = 0;
    int32_t vectors = 1;
    for (int g = 0; g < groups; ++g) weighs |= r->scale[g] > 0;
    for (int depth = 0; depth < levels_of(&s) && vectors; ++depth) {
        if ((vectors = hold_level(&s, depth, groups)) < 0) return -1;
        r->deep = depth + (depth == 0 || vectors > 0);
    }
    parallel_for(p, groups, pack_task, &s);
    r->groups = groups;
    r->levels = weighs ? r->deep : 0;
    return 0;
}
