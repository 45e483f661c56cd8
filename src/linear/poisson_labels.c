/* Connected sets of cells: a union-find over runs, cells of a block linked along x, whose root is the lowest
 * run: labels depend on the system alone. */
#include "linear/poisson_labels.h"

#include <string.h>

void labels_free(labels *g) {
    for (int i = 0; i < 3; ++i) buffer_drop(&g->memory[i]);
}

size_t labels_bytes(const labels *g) {
    return g->memory[0].bytes + g->memory[1].bytes + g->memory[2].bytes;
}

/* Bit i: cell i of a block has more than `least` of what its even and odd cells have. */
INLINE unsigned where_above(vec8 even, vec8 odd, float least) {
    const mask8 bit = {1, 1 << 2, 1 << 4, 1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14};
    const mask8 bits = ((even > vec8_of(least)) & bit) | ((odd > vec8_of(least)) & (bit + bit));
    uint64_t word[4];
    memcpy(word, &bits, sizeof word);
    const uint64_t any = (word[0] | word[1]) | (word[2] | word[3]);
    return (unsigned)(any | any >> 32) & 0xffff;
}

typedef struct link_job {
    entry_links *to;
    const block_coefs *coefs;
    int entries;
    float least;
} link_job;

enum { ENTRY_GRAIN = 256 };

HOT static void link_task(void *context, int part) {
    const link_job *s = context;
    const float least = s->least;
    const int first = part * ENTRY_GRAIN, end = first + ENTRY_GRAIN;
    for (int e = first; e < (end < s->entries ? end : s->entries); ++e) {
        const side_coefs *even = &s->coefs[e].side[EVEN], *odd = &s->coefs[e].side[ODD];
        const unsigned before =
            where_above(even->x_out, odd->x_mid, least) & ~1u; /* the first begins in any case */
        s->to[e] = (entry_links){(uint16_t)~before, (uint16_t)where_above(even->y_low, odd->y_low, least),
                                 (uint16_t)where_above(even->z_low, odd->z_low, least),
                                 (uint16_t)where_above(even->extra, odd->extra, 0), even->x_out[0] > least};
    }
}

static void join(int32_t *parent, int32_t a, int32_t b) {
    if (parent[a] == parent[b]) return;
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

/* Links to the block below: one tells as much as all between the same two runs. */
INLINE void join_faces(labels *g, const level *l, int id, int other, unsigned links) {
    const unsigned mine = links_of(g, l, id)->starts, theirs = links_of(g, l, other)->starts;
    while (links) {
        const int lane = __builtin_ctz(links);
        join(g->parent, g->run_first[id] + run_of(mine, lane), g->run_first[other] + run_of(theirs, lane));
        links &= run_after(mine | theirs, lane);
    }
}

/* A part of the blocks: threads join what lies within one, the caller the rest. Which of two links is joined
 * first does not matter to roots. */
enum { PARTS = 8 };
typedef struct part {
    int from, to;
} part;

INLINE part part_of(const level *l, int n) {
    return (part){(int)((int64_t)l->blocks * n / PARTS), (int)((int64_t)l->blocks * (n + 1) / PARTS)};
}

/* Whether a neighbour is one of the blocks to be joined now: those of the part, or of the others. */
INLINE int is_wanted(const level *l, part p, int inside, int32_t other) {
    return other >= 0 && other < l->blocks && (other >= p.from && other < p.to) == inside;
}

HOT static void join_part(labels *g, const level *l, part p, int inside) {
    for (int id = p.from; id < p.to; ++id) {
        const block *k = &l->block[id];
        const entry_links *links = links_of(g, l, id);
        const int32_t first = g->run_first[id], x = k->neighbour[X_LOW], y = k->neighbour[Y_LOW],
                      z = k->neighbour[Z_LOW];
        if (links->out && is_wanted(l, p, inside, x)) join(g->parent, first, g->run_first[x + 1] - 1);
        const int32_t end = l->seam < 0 || !links->out ? -1 : across_seam(l, id, EVEN);
        if (is_wanted(l, p, inside, end))
            join(g->parent, first, g->run_first[end] + run_of(links_of(g, l, end)->starts, 2 * l->seam + 1));
        if (is_wanted(l, p, inside, y)) join_faces(g, l, id, y, links->y);
        if (is_wanted(l, p, inside, z)) join_faces(g, l, id, z, links->z);
    }
}

typedef struct join_job {
    labels *g;
    const level *l;
} join_job;

static void join_task(void *context, int n) {
    const join_job *s = context;
    const part p = part_of(s->l, n);
    for (int32_t i = s->g->run_first[p.from]; i < s->g->run_first[p.to]; ++i) s->g->parent[i] = i;
    join_part(s->g, s->l, p, 1);
}

static void join_runs(labels *g, const level *l, pool *p) {
    join_job s = {g, l};
    parallel_for(level_pool(l, p), PARTS, join_task, &s);
    for (int n = 0; n < PARTS; ++n) join_part(g, l, part_of(l, n), 0);
}

HOT static int32_t number_runs(labels *g, const level *l) {
    int32_t next = 0;
    for (int id = 0; id < l->blocks; ++id) {
        g->run_first[id] = next;
        next += __builtin_popcount(links_of(g, l, id)->starts);
    }
    return g->run_first[l->blocks] = next;
}

int labels_find(labels *g, const level *l, pool *p, float least, const labels *like) {
    if (buffer_hold(&g->memory[0], (size_t)l->entries * sizeof *g->links) ||
        buffer_hold(&g->memory[1], ((size_t)l->blocks + 1) * sizeof *g->run_first))
        return -1;
    g->links = g->memory[0].data;
    g->run_first = g->memory[1].data;
    link_job s = {g->links, l->coefs, l->entries, least};
    parallel_for(p, block_count(l->entries, ENTRY_GRAIN), link_task, &s);
    if (like && !memcmp(g->links, like->links, (size_t)l->entries * sizeof *g->links)) return 1;
    g->runs = (size_t)number_runs(g, l);
    if (buffer_hold(&g->memory[2], g->runs * sizeof *g->parent)) return -1;
    g->parent = g->memory[2].data;
    join_runs(g, l, p);
    return 0;
}
