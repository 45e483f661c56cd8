/* Levels of a viscous system: the finest from fields, coarser ones from the next finer.
 *
 * Coarse samples gather fine ones with weights (1/2, 1, 1/2) along axes on which they sit at the low end of
 * their cell (a face across its axis, an edge across the two axes beside its own), (1, 1) along the others:
 *
 *   masses: the sum;   K: 1/4 of the sum  (K = mu dt V / dx^2: dx^2 grows by four).
 *
 * A coarse face is fixed where all its children are; otherwise a fixed child adds its weight times the K
 * around it to the mass, as if it were held. K on a coarse level is then at least SPREAD of the largest among
 * its neighbours, unless it touches a fixed face: so every parent of an unknown exists and moves along
 * rigidly. Without it a cycle leaves what sticks out of the coarse levels' reach uncorrected (55 iterations
 * for 14). Source: E 3.3 for the operator on the finest level. */
#include "linear/viscous_level.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

enum { MARGIN = 2, GRAIN_ROWS = 32 };
static const float SPREAD = 0.03f;
static const float LEAST = 1e-30f; /* a smaller diagonal is none */

/* ---- memory ---- */

static int float_fields(const viscous_level *l) {
    const int normals = l->weighted ? l->dim : 1, edges = l->dim == 3 ? 3 : 1;
    return 2 * l->dim + normals + edges * (!l->weighted ? 1 : l->crossed ? 3 : 2);
}

static float *next_field(float **at, size_t size) {
    float *field = *at;
    *at += size;
    return field;
}

static void place_fields(viscous_level *l, float *at) {
    for (int c = 0; c < l->dim; ++c) l->diagonal[c] = next_field(&at, l->size);
    for (int c = 0; c < l->dim; ++c) l->inverse[c] = next_field(&at, l->size);
    for (int c = 0; c < l->dim; ++c)
        l->normal[c] = l->weighted || c == 0 ? next_field(&at, l->size) : l->normal[0];
    for (int e = l->dim == 3 ? 0 : 2; e < 3; ++e) {
        const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
        l->own[p][q] = next_field(&at, l->size);
        l->own[q][p] = l->weighted ? next_field(&at, l->size) : l->own[p][q];
        l->cross[e] = l->weighted && l->crossed ? next_field(&at, l->size) : l->own[p][q];
    }
}

/* Arrays are all 0 afterwards. `finest`: x and b are the solver's own. */
static int hold(viscous_level *l, pool *p, int finest) {
    const int row = (l->n[0] + 1 + 15) / 16 * 16;
    l->step[0] = 1;
    l->step[1] = row;
    l->step[2] = (ptrdiff_t)row * l->n[1];
    l->rows = l->n[1] * l->n[2];
    l->size = (size_t)row * (size_t)l->rows;
    l->slab_rows = l->dim == 3 ? SLAB_PLANES * l->n[1] : SLAB_ROWS;
    l->slabs = block_count(l->rows, l->slab_rows);
    const size_t guard = (size_t)(l->step[1] + (l->dim == 3 ? l->step[2] : 0)) + 16;
    const size_t fields = (size_t)float_fields(l) * l->size + 2 * guard;
    const size_t lists = (size_t)(finest ? 1 : 3) * (size_t)l->dim * l->size;
    l->scratch_row = 2 * row + 2 * SCRATCH_PAD;
    const size_t vectors = lists + (size_t)(l->slabs * l->scratch_row) + 3 * guard;
    if (buffer_hold(&l->fields, fields * sizeof(float)) ||
        buffer_hold(&l->vectors, vectors * sizeof(float)) ||
        buffer_hold(&l->marks, (size_t)l->dim * l->size) ||
        buffer_hold(&l->row_memory, ((size_t)l->rows + 1) * sizeof *l->first))
        return -1;
    parallel_zero(p, l->fields.data, fields * sizeof(float));
    parallel_zero(p, l->vectors.data, vectors * sizeof(float));
    parallel_zero(p, l->marks.data, (size_t)l->dim * l->size);
    place_fields(l, (float *)l->fields.data + (guard + 15) / 16 * 16);
    for (int c = 0; c < l->dim; ++c) l->fixed[c] = (uint8_t *)l->marks.data + (size_t)c * l->size;
    l->r = (float *)l->vectors.data + (guard + 15) / 16 * 16;
    l->x = finest ? NULL : l->r + (size_t)l->dim * l->size;
    l->b = finest ? NULL : l->x + (size_t)l->dim * l->size;
    l->scratch = l->r + lists + (guard + 15) / 16 * 16;
    l->first = l->row_memory.data;
    return 0;
}

void viscous_level_free(viscous_level *l) {
    buffer *all[] = {&l->fields, &l->marks, &l->vectors, &l->row_memory, &l->run_memory, &l->weighted_memory};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) buffer_drop(all[i]);
}

size_t viscous_level_bytes(const viscous_level *l) {
    return l->fields.bytes + l->marks.bytes + l->vectors.bytes + l->row_memory.bytes + l->run_memory.bytes +
           l->weighted_memory.bytes;
}

/* ---- the finest level ---- */

typedef struct source {
    viscous_level *l;
    const box *b;
    const viscous_system *system;
    int (*bounds)[6]; /* of planes (3D) or rows: low and high samples */
} source;

/* Samples of the box that are read along an axis. */
static int read_low(const box *b, int a) {
    return a < b->dim ? -LEVEL_REACH : 0;
}
static int read_high(const box *b, int a) {
    return a < b->dim ? b->n[a] + LEVEL_REACH : 0;
}
static int lines(const box *b) {
    const int a = b->dim - 1;
    return read_high(b, a) - read_low(b, a) + 1;
}

static void widen(int bounds[6], int from, int to, int j, int k) {
    const int low[3] = {from, j, k}, high[3] = {to, j, k};
    for (int a = 0; a < 3; ++a) {
        if (low[a] < bounds[a]) bounds[a] = low[a];
        if (high[a] > bounds[3 + a]) bounds[3 + a] = high[a];
    }
}

/* Widens the bounds by the samples of a row that are not 0. */
static void bound_row(int bounds[6], const float *row, int low, int high, int j, int k) {
    int from = low, to = high;
    while (from <= high && !(row[from] > 0)) ++from;
    if (from > high) return;
    while (!(row[to] > 0)) --to;
    widen(bounds, from, to, j, k);
}

/* Widens them by the faces of a row that bodies own. */
static void bound_owners(int bounds[6], const uint16_t *row, int low, int high, int j, int k) {
    for (int i = low; i <= high; ++i)
        if (row[i] != VISCOUS_FREE && row[i] != VISCOUS_KNOWN) widen(bounds, i, i, j, k);
}

static int list_fields(const float *list[16], const viscous_system *s, int dim) {
    int count = 0;
    for (int c = 0; c < dim; ++c) {
        list[count++] = s->mass[c];
        if (s->drag[c]) list[count++] = s->drag[c];
        if (c == 0 || s->normal[c] != s->normal[0]) list[count++] = s->normal[c];
    }
    for (int e = dim == 3 ? 0 : 2; e < 3; ++e) {
        list[count++] = s->edge[e].first;
        if (s->edge[e].second != s->edge[e].first) list[count++] = s->edge[e].second;
    }
    return count;
}

static void bound_line(void *context, int line) {
    const source *s = context;
    const box *b = s->b;
    const float *list[16];
    const int count = list_fields(list, s->system, b->dim), at = line + read_low(b, b->dim - 1);
    int *bounds = s->bounds[line];
    for (int a = 0; a < 3; ++a) {
        bounds[a] = INT32_MAX;
        bounds[3 + a] = INT32_MIN;
    }
    const int from = b->dim == 3 ? read_low(b, 1) : at, to = b->dim == 3 ? read_high(b, 1) : at;
    for (int j = from; j <= to; ++j) {
        const int k = b->dim == 3 ? at : 0;
        for (int f = 0; f < count; ++f)
            bound_row(bounds, list[f] + box_at(b, 0, j, k), read_low(b, 0), read_high(b, 0), j, k);
        for (int c = 0; c < b->dim && s->system->bodies; ++c)
            bound_owners(bounds, s->system->owner[c] + box_at(b, 0, j, k), read_low(b, 0), read_high(b, 0), j,
                         k);
    }
}

/* The box around everything, with MARGIN free samples on all sides. 0: there is nothing. */
static int bound_level(viscous_level *l, source *s, pool *p) {
    const int count = s->system->within ? 0 : lines(s->b);
    int all[6] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN};
    parallel_for(p, count, bound_line, s);
    for (int i = 0; i < count; ++i)
        if (s->bounds[i][0] <= s->bounds[i][3]) {
            widen(all, s->bounds[i][0], s->bounds[i][3], s->bounds[i][1], s->bounds[i][2]);
            widen(all, s->bounds[i][0], s->bounds[i][3], s->bounds[i][4], s->bounds[i][5]);
        }
    if (s->system->within) memcpy(all, s->system->within, sizeof all);
    l->dim = s->b->dim;
    for (int a = 0; a < 3; ++a) {
        const int flat = a >= l->dim, margin = flat ? 0 : MARGIN;
        l->origin[a] = flat ? 0 : all[a] - margin;
        l->n[a] = flat || all[a] > all[3 + a] ? 1 : (all[3 + a] - all[a] + 1 + 2 * margin + 1) / 2 * 2;
    }
    return all[0] <= all[3];
}

/* The row of the box that a row of the level is, and which samples of it are read; NULL: none. */
static int box_row(ptrdiff_t *at, int from_to[2], const source *s, int row) {
    const viscous_level *l = s->l;
    const box *b = s->b;
    const int j = row % l->n[1] + l->origin[1], k = row / l->n[1] + l->origin[2];
    if (j < read_low(b, 1) || j > read_high(b, 1) || k < read_low(b, 2) || k > read_high(b, 2)) return 0;
    const int low = read_low(b, 0) - l->origin[0], high = read_high(b, 0) - l->origin[0] + 1;
    from_to[0] = low > 0 ? low : 0;
    from_to[1] = high < l->n[0] ? high : l->n[0];
    *at = box_at(b, l->origin[0], j, k);
    return 1;
}

static void copy_row(float *to, const float *from, const int from_to[2]) {
    memcpy(to + from_to[0], from + from_to[0], (size_t)(from_to[1] - from_to[0]) * sizeof *to);
}

static void load_row(const source *s, int row) {
    const viscous_level *l = s->l;
    const viscous_system *y = s->system;
    const ptrdiff_t to = row_start(l, row);
    ptrdiff_t at;
    int part[2];
    if (!box_row(&at, part, s, row)) return;
    for (int c = 0; c < l->dim; ++c) {
        copy_row(l->diagonal[c] + to, y->mass[c] + at, part);
        for (int i = part[0]; i < part[1] && y->drag[c]; ++i) l->diagonal[c][to + i] += y->drag[c][at + i];
        for (int i = part[0]; i < part[1] && y->owner[c]; ++i)
            l->fixed[c][to + i] = y->owner[c][at + i] == VISCOUS_KNOWN;
        if (c == 0 || l->weighted) copy_row(l->normal[c] + to, y->normal[c] + at, part);
    }
    for (int e = l->dim == 3 ? 0 : 2; e < 3; ++e) {
        const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
        copy_row(l->own[p][q] + to, y->edge[e].first + at, part);
        if (!l->weighted) continue;
        copy_row(l->own[q][p] + to, y->edge[e].second + at, part);
        if (l->crossed) copy_row(l->cross[e] + to, y->edge[e].both + at, part);
    }
}

static int rows_end(const viscous_level *l, int task) {
    const int end = (task + 1) * GRAIN_ROWS;
    return end < l->rows ? end : l->rows;
}

static void load_task(void *context, int task) {
    const source *s = context;
    for (int row = task * GRAIN_ROWS; row < rows_end(s->l, task); ++row) load_row(s, row);
}

static bool is_weighted(const viscous_system *s, int dim) {
    bool weighted = false;
    for (int c = 1; c < dim; ++c) weighted |= s->normal[c] != s->normal[0];
    for (int e = dim == 3 ? 0 : 2; e < 3; ++e) {
        weighted |= s->edge[e].first != s->edge[e].second;
        weighted |= s->edge[e].both && s->edge[e].both != s->edge[e].first;
    }
    return weighted;
}

int viscous_level_from_system(viscous_level *l, const box *b, pool *p, const viscous_system *system) {
    source s = {l, b, system, NULL};
    buffer bounds = {0};
    if (buffer_hold(&bounds, (size_t)lines(b) * sizeof *s.bounds)) return -1;
    s.bounds = bounds.data;
    const int any = bound_level(l, &s, p);
    buffer_drop(&bounds);
    l->crossed = system->edge[2].both != NULL;
    l->weighted = is_weighted(system, b->dim);
    if (hold(l, p, 1)) return -1;
    if (any) parallel_for(p, block_count(l->rows, GRAIN_ROWS), load_task, &s);
    return 0;
}

/* ---- a coarser level ---- */

typedef struct halving {
    viscous_level *coarse;
    const viscous_level *fine;
} halving;

/* Fine samples that a coarse one gathers along an axis, and their weights. */
typedef struct span {
    int from, count;
    float weight[3];
} span;

static span gather_span(const viscous_level *fine, int axis, int coarse, int at_low_end) {
    if (axis >= fine->dim) return (span){0, 1, {1}};
    const int first = 2 * (coarse - COARSE_SHIFT);
    span s = at_low_end ? (span){first - 1, 3, {0.5f, 1, 0.5f}} : (span){first, 2, {1, 1}};
    while (s.count > 0 && s.from < 0) {
        memmove(s.weight, s.weight + 1, 2 * sizeof *s.weight);
        ++s.from;
        --s.count;
    }
    while (s.count > 0 && s.from + s.count > fine->n[axis]) --s.count;
    return s;
}

/* What a fixed face would have on its diagonal: the K around it. */
INLINE float stiffness(const viscous_level *l, int c, ptrdiff_t i) {
    float k = l->normal[c][i] + l->normal[c][i - l->step[c]];
    for (int p = 0; p < l->dim; ++p)
        if (p != c) k += l->own[c][p][i] + l->own[c][p][i + l->step[p]];
    return k;
}

/* What coarse samples gather. */
typedef enum { MASS, LOOSE, NORMAL, EDGE } gathered;

INLINE float value_of(const viscous_level *l, gathered what, int which, ptrdiff_t i) {
    if (what == MASS) return l->fixed[which][i] ? stiffness(l, which, i) : l->diagonal[which][i];
    if (what == LOOSE) return l->fixed[which][i] ? 0 : 1;
    float k = l->normal[0][i];
    if (what == NORMAL) {
        for (int a = 1; a < l->dim && l->weighted; ++a) k = lesser(k, l->normal[a][i]);
        return k;
    }
    const int p = which == 0 ? 1 : 0, q = which == 2 ? 1 : 2;
    return l->weighted ? lesser(l->own[p][q][i], l->own[q][p][i]) : l->own[p][q][i];
}

/* sum = the rows across x that the coarse row (j, k) gathers; low_ends: bit a, samples sit at the low end of
 * cells along a. */
INLINE void gather_rows(float *restrict sum, const viscous_level *fine, int j, int k, int low_ends,
                        gathered what, int which) {
    const span y = gather_span(fine, 1, j, low_ends >> 1 & 1), z = gather_span(fine, 2, k, low_ends >> 2 & 1);
    memset(sum, 0, (size_t)fine->step[1] * sizeof *sum);
    for (int b = 0; b < z.count; ++b)
        for (int a = 0; a < y.count; ++a) {
            const ptrdiff_t at = row_start(fine, y.from + a + fine->n[1] * (z.from + b));
            const float weight = y.weight[a] * z.weight[b];
            for (int i = 0; i < fine->n[0]; ++i) sum[i] += weight * value_of(fine, what, which, at + i);
        }
}

INLINE void gather_row(float *restrict to, float *sum, const halving *h, const int jk[2], int low_ends,
                       gathered what, int which, float factor) {
    const viscous_level *l = h->coarse;
    gather_rows(sum, h->fine, jk[0], jk[1], low_ends, what, which);
    for (int i = 0; i < l->n[0]; ++i) {
        const float *s = sum + 2 * (i - COARSE_SHIFT);
        to[i] = factor * (low_ends & 1 ? 0.5f * (s[-1] + s[1]) + s[0] : s[0] + s[1]);
    }
}

HOT static void halve_task(void *context, int slab) {
    const halving *h = context;
    viscous_level *l = h->coarse;
    float *sum = slab_scratch(l, slab);
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row) {
        const int jk[2] = {row % l->n[1], row / l->n[1]};
        const ptrdiff_t at = row_start(l, row);
        gather_row(l->normal[0] + at, sum, h, jk, 0, NORMAL, 0, 0.25f);
        for (int c = 0; c < l->dim; ++c) {
            gather_row(l->diagonal[c] + at, sum, h, jk, 1 << c, LOOSE, c, 1);
            for (int i = 0; i < l->n[0]; ++i) l->fixed[c][at + i] = (uint8_t) !(l->diagonal[c][at + i] > 0);
            gather_row(l->diagonal[c] + at, sum, h, jk, 1 << c, MASS, c, 1);
        }
        for (int e = l->dim == 3 ? 0 : 2; e < 3; ++e) {
            const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
            gather_row(l->own[p][q] + at, sum, h, jk, 1 << p | 1 << q, EDGE, e, 0.25f);
        }
    }
}

bool viscous_level_can_halve(const viscous_level *l) {
    int longest = 0;
    for (int a = 0; a < l->dim; ++a) longest = l->n[a] > longest ? l->n[a] : longest;
    return longest > 6;
}

int viscous_level_from_finer(viscous_level *coarse, const viscous_level *fine, pool *p) {
    coarse->dim = fine->dim;
    coarse->crossed = fine->crossed;
    coarse->weighted = false;
    for (int a = 0; a < 3; ++a)
        coarse->n[a] = a >= fine->dim ? 1 : (fine->n[a] / 2 + 2 * COARSE_SHIFT + 1) / 2 * 2;
    if (hold(coarse, p, 0)) return -1;
    halving h = {coarse, fine};
    parallel_for(viscous_pool(coarse, p), coarse->slabs, halve_task, &h);
    return 0;
}

/* ---- spreading, diagonals, runs ---- */

typedef struct finishing {
    viscous_level *l;
    float *field;
    const float *raw;
    int edge;          /* -1: cells */
    int pass;          /* 0: count runs, 1: list them */
    uint8_t *weighted; /* of eight samples */
} finishing;

static bool touches_fixed(const viscous_level *l, int edge, ptrdiff_t i) {
    for (int c = 0; c < l->dim; ++c) {
        if (c == edge) continue;
        const ptrdiff_t other = edge < 0 ? l->step[c] : -l->step[third_axis(edge, c)];
        if (l->fixed[c][i] || l->fixed[c][i + other]) return true;
    }
    return false;
}

HOT static void spread_task(void *context, int slab) {
    const finishing *f = context;
    const viscous_level *l = f->l;
    const int deep = l->dim == 3;
    float *restrict most = slab_scratch(l, slab);
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row) {
        const int j = row % l->n[1], k = row / l->n[1];
        if (j < 1 || j > l->n[1] - 2 || (deep && (k < 1 || k > l->n[2] - 2))) continue;
        const ptrdiff_t at = row_start(l, row);
        memset(most, 0, (size_t)l->step[1] * sizeof *most);
        for (int z = -deep; z <= deep; ++z)
            for (int y = -1; y <= 1; ++y) {
                const float *restrict raw = f->raw + at + y * l->step[1] + z * l->step[2];
                for (int i = 0; i < l->n[0]; ++i) most[i] = greater(raw[i], most[i]);
            }
        for (int i = 1; i < l->n[0] - 1; ++i) {
            const float least = SPREAD * greater(greater(most[i - 1], most[i]), most[i + 1]);
            if (f->raw[at + i] < least && !touches_fixed(l, f->edge, at + i)) f->field[at + i] = least;
        }
    }
}

static void spread_field(viscous_level *l, pool *p, float *field, int edge) {
    finishing f = {.l = l, .field = field, .raw = l->r, .edge = edge};
    memcpy(l->r, field, l->size * sizeof *field);
    parallel_for(viscous_pool(l, p), l->slabs, spread_task, &f);
}

/* The first and the last layer are free samples around the liquid: what lies beyond them is another field. */
static void invert_task(void *context, int row) {
    const finishing *f = context;
    viscous_level *l = f->l;
    const int wide = l->dim == 3 ? l->n[1] : 1;
    if (row < wide || row >= l->rows - wide) return;
    for (int c = 0; c < l->dim; ++c) {
        float *inverse = l->inverse[c];
        const ptrdiff_t from = row_start(l, row);
        for (ptrdiff_t i = from; i < from + l->n[0]; ++i) {
            const float d = l->diagonal[c][i] + stiffness(l, c, i);
            inverse[i] = !l->fixed[c][i] && d > LEAST ? 1 / d : 0;
        }
    }
}

/* Whether any face of eight is unknown. */
static bool any_unknown(const viscous_level *l, ptrdiff_t at) {
    float sum = 0;
    for (int c = 0; c < l->dim; ++c)
        for (int i = 0; i < 8; ++i) sum += l->inverse[c][at + i];
    return sum > 0;
}

/* Notes of which eights of a row hold K that differ from own[low][high]. */
HOT static void note_weighted(void *context, int row) {
    const finishing *f = context;
    const viscous_level *l = f->l;
    for (int x = 0; x < l->step[1]; x += 8) {
        const ptrdiff_t at = row_start(l, row) + x;
        float sum = 0;
        for (int c = 1; c < l->dim; ++c)
            for (ptrdiff_t i = at; i < at + 8; ++i) sum += fabsf(l->normal[c][i] - l->normal[0][i]);
        for (int e = l->dim == 3 ? 0 : 2; e < 3; ++e) {
            const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
            const float *own = l->own[p][q], *cross = l->crossed ? l->cross[e] : own;
            for (ptrdiff_t i = at; i < at + 8; ++i)
                sum += fabsf(l->own[q][p][i] - own[i]) + fabsf(cross[i] - own[i]);
        }
        f->weighted[at / 8] = sum > 0;
    }
}

/* Whether eight faces read any such K, in their own eight or in those around it. */
static int reads_weighted(const finishing *f, int row, int x) {
    const viscous_level *l = f->l;
    if (!l->weighted) return 0;
    const int deep = l->dim == 3, last = (int)l->step[1] - 8;
    for (int z = -deep; z <= deep; ++z)
        for (int y = -1; y <= 1; ++y) {
            const int other = row + y + z * l->n[1];
            if (other < 0 || other >= l->rows) continue;
            for (int i = x > 0 ? x - 8 : 0; i <= (x < last ? x + 8 : last); i += 8)
                if (f->weighted[(row_start(l, other) + i) / 8]) return 1;
        }
    return 0;
}

static void run_task(void *context, int row) {
    const finishing *f = context;
    const viscous_level *l = f->l;
    run *list = f->pass ? l->runs + l->first[row] : NULL;
    int count = 0, before = -1; /* weighted or not; -1: no run */
    for (int x = 0; x < l->step[1]; x += 8) {
        const int here = any_unknown(l, row_start(l, row) + x) ? reads_weighted(f, row, x) : -1;
        count += here >= 0 && here != before;
        if (here >= 0 && here != before && f->pass) list[count - 1] = (run){x, x + 8, here};
        else if (here >= 0 && f->pass) list[count - 1].to = x + 8;
        before = here;
    }
    if (!f->pass) l->first[row + 1] = count;
}

static int64_t count_unknowns(const viscous_level *l) {
    int64_t count = 0;
    for (int c = 0; c < l->dim; ++c)
        for (size_t i = 0; i < l->size; ++i) count += l->inverse[c][i] > 0;
    return count;
}

int viscous_level_finish(viscous_level *l, pool *p, bool spread) {
    finishing f = {.l = l};
    if (buffer_hold(&l->weighted_memory, l->size / 8)) return -1;
    pool *workers = viscous_pool(l, p);
    if (spread) {
        spread_field(l, p, l->normal[0], -1);
        for (int e = l->dim == 3 ? 0 : 2; e < 3; ++e) spread_field(l, p, l->cross[e], e);
        memset(l->r, 0, (size_t)l->dim * l->size * sizeof *l->r);
    }
    parallel_for(workers, l->rows, invert_task, &f);
    l->first[0] = 0;
    f.weighted = l->weighted_memory.data;
    if (l->weighted) parallel_for(workers, l->rows, note_weighted, &f);
    parallel_for(workers, l->rows, run_task, &f);
    for (int row = 0; row < l->rows; ++row) l->first[row + 1] += l->first[row];
    if (buffer_hold(&l->run_memory, (size_t)l->first[l->rows] * sizeof *l->runs + 1)) return -1;
    l->runs = l->run_memory.data;
    f.pass = 1;
    parallel_for(workers, l->rows, run_task, &f);
    l->unknowns = count_unknowns(l);
    return 0;
}
