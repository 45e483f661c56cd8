/* Sweep and prune: boxes sorted by where they begin along one axis; each is compared with those that begin
 * before it ends. The axis is the one along which their middles lie farthest apart. With n boxes of which few
 * overlap along the axis that is n log n; in the worst case every pair is compared, by six numbers.
 *
 * Lists come out in rising order whatever the order in which pairs were found, so who walks them does the
 * same in the same order as who asks every pair. */
#include "geom/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"

struct sweep_end {
    double at;
    int box;
};

int sweep_reserve(sweep *s, int count) {
    if (s->box && count <= s->capacity) return 0;
    sweep_free(s);
    const size_t places = (size_t)count + 1;
    s->box = mem_alloc(places * sizeof *s->box);
    s->start = mem_alloc(places * sizeof *s->start);
    s->fill = mem_alloc(places * sizeof *s->fill);
    s->order = mem_alloc(places * sizeof *s->order);
    if (!s->box || !s->start || !s->fill || !s->order) {
        sweep_free(s);
        return -1;
    }
    s->capacity = count;
    return 0;
}

void sweep_free(sweep *s) {
    void *const blocks[] = {s->box, s->start, s->fill, s->near, s->order, s->pair};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    *s = (sweep){0};
}

static int widest_axis(const sweep *s, int count) {
    int widest = 0;
    double most = -1;
    for (int a = 0; a < 3; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; ++i) {
            const double middle = 0.5 * (s->box[i].lower[a] + s->box[i].upper[a]);
            if (!isfinite(middle)) continue;
            low = fmin(low, middle);
            high = fmax(high, middle);
        }
        if (high - low > most) {
            most = high - low;
            widest = a;
        }
    }
    return widest;
}

static int compare_ends(const void *p, const void *q) {
    const struct sweep_end *a = p, *b = q;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return a->box < b->box ? -1 : a->box > b->box;
}

static int do_overlap(const sweep_box *a, const sweep_box *b) {
    for (int c = 0; c < 3; ++c)
        if (a->lower[c] > b->upper[c] || b->lower[c] > a->upper[c]) return 0;
    return 1;
}

static int add_pair(sweep *s, int a, int b) {
    if (s->pair_count == s->pair_capacity) {
        const size_t capacity = s->pair_capacity ? 2 * s->pair_capacity : 256, each = 2 * sizeof *s->pair;
        int *grown = mem_grow(s->pair, s->pair_capacity * each, capacity * each);
        if (!grown) return -1;
        s->pair = grown;
        s->pair_capacity = capacity;
    }
    s->pair[2 * s->pair_count] = a;
    s->pair[2 * s->pair_count + 1] = b;
    ++s->pair_count;
    return 0;
}

static int find_pairs(sweep *s, int count) {
    const int axis = widest_axis(s, count);
    for (int i = 0; i < count; ++i) {
        const double at = s->box[i].lower[axis];
        s->order[i] = (struct sweep_end){isnan(at) ? -INFINITY : at, i};
    }
    qsort(s->order, (size_t)count, sizeof *s->order, compare_ends);
    s->pair_count = 0;
    for (int p = 0; p < count; ++p) {
        const int a = s->order[p].box;
        for (int q = p + 1; q < count && !(s->order[q].at > s->box[a].upper[axis]); ++q)
            if (do_overlap(&s->box[a], &s->box[s->order[q].box]) && add_pair(s, a, s->order[q].box))
                return -1;
    }
    return 0;
}

static void begin_lists(sweep *s, int count) {
    for (int i = 0; i < count; ++i) s->fill[i] = s->start[i];
}

/* Lists in the order of finding first. Because i is in j's list where j is in i's, one walk over all of them
 * with rising i then puts each i behind the smaller ones in the lists that it belongs to. */
static void fill_lists(sweep *s, int count) {
    int *found = s->near + 2 * s->pair_count;
    memset(s->start, 0, ((size_t)count + 1) * sizeof *s->start);
    for (size_t k = 0; k < 2 * s->pair_count; ++k) ++s->start[s->pair[k] + 1];
    for (int i = 0; i < count; ++i) s->start[i + 1] += s->start[i];
    begin_lists(s, count);
    for (size_t k = 0; k < s->pair_count; ++k) {
        const int a = s->pair[2 * k], b = s->pair[2 * k + 1];
        found[s->fill[a]++] = b;
        found[s->fill[b]++] = a;
    }
    begin_lists(s, count);
    for (int i = 0; i < count; ++i)
        for (size_t k = s->start[i]; k < s->start[i + 1]; ++k) s->near[s->fill[found[k]]++] = i;
}

int sweep_overlaps(sweep *s, int count) {
    if (find_pairs(s, count)) return -1;
    if (!s->near || s->near_capacity < 4 * s->pair_count) {
        mem_free(s->near);
        s->near_capacity = 4 * s->pair_capacity + 1;
        s->near = mem_alloc(s->near_capacity * sizeof *s->near);
        if (!s->near) {
            s->near_capacity = 0;
            return -1;
        }
    }
    fill_lists(s, count);
    return 0;
}
