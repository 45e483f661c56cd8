/* Redistancing: |grad phi| = 1 near the zero set, which stays where it is.
 *
 * Cells with a neighbour of the other sign are frozen at the distance of the plane through their crossings
 * d_a along the axes: 1/phi^2 = sum 1/d_a^2, with the foot of the perpendicular at phi^2 / d_a along axis a.
 * Such a foot and its plane make a patch of the surface, 3/4 of a cell in radius. Patches are handed on
 * outwards, layer by layer over face neighbours: a cell takes, among the patches its finished neighbours
 * hold, the one nearest to itself (vector distance transform of Danielsson 1980, with patches for points). A
 * plane is reproduced exactly.
 *
 * A layer reads finished layers only, so threads and order do not matter. Work goes with the cells of the
 * band; the rest of the box is read once and set once.
 *
 * Limits: second order where the surface is smooth on the scale of a cell, first order at its creases. Beyond
 * the first border layer nothing is known: there the result of the first layer is repeated. */
#include "grid/levelset.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "core/hot.h"

enum { SLAB = 4, CHUNK = 64 };
static const uint32_t UNTOUCHED = 0, PENDING = UINT32_MAX; /* other marks: number of the patch + 1 */
static const float PATCH_RADIUS = 0.75f;                   /* cells */

/* A piece of the surface, in cells. Without a normal it is a point. */
typedef struct {
    float foot[3], normal[3], radius;
} patch;

typedef struct {
    uint32_t index, patch; /* of the cell, of the patch + 1 */
    int16_t at[3];
    bool inner; /* within the band: hands its patch on */
} band_cell;

typedef struct {
    band_cell *cell;
    size_t count, capacity;
} cell_list;

/* A slab of planes (rows in 2D) is the unit of work; it alone writes its cells, marks and lists. */
typedef struct {
    cell_list now, next;
    patch *patches;
    size_t patch_count, patch_capacity, patch_base;
    bool failed;
} slab;

typedef struct {
    const mac_grid *g;
    float *phi;
    uint32_t *marks;
    patch *patches;
    slab *slabs;
    int slab_count, outer;  /* the axis across which slabs are cut */
    int lower[3], upper[3]; /* the cells that are known: owned and one border layer, half-open */
    float band;
} job;

static bool has_cell(const job *s, int axis, int at) {
    return at >= s->lower[axis] && at < s->upper[axis];
}

/* Room for one more of an array; NULL when there is no memory. */
static void *reserve(void *array, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return array;
    size_t wanted = *capacity ? 2 * *capacity : 1024;
    void *grown = realloc(array, wanted * size);
    if (grown) *capacity = wanted;
    return grown;
}

static band_cell *append_cell(slab *sl, cell_list *l) {
    band_cell *grown = reserve(l->cell, l->count, &l->capacity, sizeof *grown);
    if (!grown) {
        sl->failed = true;
        return NULL;
    }
    l->cell = grown;
    return &l->cell[l->count++];
}

static patch *append_patch(slab *sl) {
    patch *grown = reserve(sl->patches, sl->patch_count, &sl->patch_capacity, sizeof *grown);
    if (!grown) {
        sl->failed = true;
        return NULL;
    }
    sl->patches = grown;
    return &sl->patches[sl->patch_count++];
}

/* The frozen cells
 * ---------------------------------------------------------------------------------------------- */

typedef enum { NO_CROSSING, CROSSING, ON_SURFACE } nearness;

/* Signed distances [cells] to the nearest crossing along each axis, 0 where there is none. */
static nearness find_crossings(float crossing[3], const job *s, const int at[3], ptrdiff_t c) {
    const box *b = &s->g->box;
    const float here = s->phi[c];
    nearness found = NO_CROSSING;
    for (int a = 0; a < b->dim; ++a)
        for (int side = -1; side <= 1; side += 2) {
            if (!has_cell(s, a, at[a] + side)) continue;
            float there = s->phi[c + side * b->step[a]];
            if ((there < 0) == (here < 0)) continue;
            float d = here / (here - there);
            if (found == NO_CROSSING) found = CROSSING;
            if (!(d > 1e-6f)) found = ON_SURFACE; /* also where the values are not numbers */
            else if (crossing[a] == 0 || d < fabsf(crossing[a])) crossing[a] = (float)side * d;
        }
    return found;
}

static float square(const float v[3]) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/* The unit vector towards the surface by central differences (one-sided at the border); none where phi is
 * flat. */
static void find_normal(float normal[3], const job *s, const int at[3], ptrdiff_t c) {
    const box *b = &s->g->box;
    const float sign = s->phi[c] < 0 ? 1 : -1;
    for (int a = 0; a < b->dim; ++a) {
        bool up = has_cell(s, a, at[a] + 1), down = has_cell(s, a, at[a] - 1);
        float rise = s->phi[c + (up ? b->step[a] : 0)] - s->phi[c - (down ? b->step[a] : 0)];
        normal[a] = sign * rise * (up && down ? 0.5f : 1.0f);
    }
    float size = sqrtf(square(normal));
    bool known = size > 0 && isfinite(size);
    for (int a = 0; a < 3; ++a) normal[a] = known ? normal[a] / size : 0;
}

/* The plane across `normal` through the crossings, each weighed by how squarely its axis meets the plane.
 * Where the slope contradicts the crossings (thin sheets, drops of one cell) the plane through the crossings
 * alone. */
static float find_height(float normal[3], const float crossing[3]) {
    float sum = 0, weight = 0, inverse[3] = {0, 0, 0}, nearest = INFINITY;
    for (int a = 0; a < 3; ++a) {
        if (crossing[a] == 0) continue;
        inverse[a] = 1 / crossing[a];
        nearest = fminf(nearest, fabsf(crossing[a]));
        float along = crossing[a] * normal[a]; /* distance of the plane through this crossing */
        if (along <= 0) continue;
        sum += along * normal[a] * normal[a];
        weight += normal[a] * normal[a];
    }
    if (weight > 0.1f) return fminf(sum / weight, nearest);
    float size2 = square(inverse);
    for (int a = 0; a < 3; ++a) normal[a] = inverse[a] / sqrtf(size2);
    return 1 / sqrtf(size2);
}

/* The flags of a row's ends look past the first border layer, where nothing is known, so the cell is asked
 * again. */
static void freeze(job *s, slab *sl, int i, int j, int k) {
    const int at[3] = {i, j, k};
    ptrdiff_t c = box_at(&s->g->box, i, j, k);
    float crossing[3] = {0, 0, 0}, normal[3] = {0, 0, 0};
    nearness found = find_crossings(crossing, s, at, c);
    if (found == NO_CROSSING) return;
    find_normal(normal, s, at, c);
    float height = found == ON_SURFACE ? 0 : find_height(normal, crossing);
    band_cell *cell = append_cell(sl, &sl->now);
    patch *p = append_patch(sl);
    if (!cell || !p) return;
    p->radius = square(normal) > 0 ? PATCH_RADIUS : 0;
    for (int a = 0; a < 3; ++a) {
        p->normal[a] = normal[a];
        p->foot[a] = (float)at[a] + height * normal[a];
    }
    *cell = (band_cell){(uint32_t)c, (uint32_t)sl->patch_count, {(int16_t)i, (int16_t)j, (int16_t)k}, true};
}

/* flags[i] != 0 where one of the neighbours' signs differs from the cell's own. */
HOT static int flag_chunk(int32_t flags[CHUNK], const float *c, const float *const side[6], int count) {
    int any = 0;
    const float *xl = side[0], *xh = side[1], *yl = side[2], *yh = side[3], *zl = side[4], *zh = side[5];
    for (int i = 0; i < count; ++i) {
        int own = c[i] < 0;
        int f = (own ^ (xl[i] < 0)) | (own ^ (xh[i] < 0)) | (own ^ (yl[i] < 0)) | (own ^ (yh[i] < 0)) |
                (own ^ (zl[i] < 0)) | (own ^ (zh[i] < 0));
        flags[i] = f;
        any |= f;
    }
    return any;
}

static void freeze_row(job *s, slab *sl, int j, int k) {
    const box *b = &s->g->box;
    const int at[3] = {0, j, k};
    for (int i = -1; i <= b->n[0]; i += CHUNK) {
        int count = b->n[0] + 1 - i < CHUNK ? b->n[0] + 1 - i : CHUNK;
        int32_t flags[CHUNK];
        const float *c = s->phi + box_at(b, i, j, k), *side[6];
        for (int a = 0; a < 3; ++a) {
            side[2 * a] = a == 0 || has_cell(s, a, at[a] - 1) ? c - b->step[a] : c;
            side[2 * a + 1] = a == 0 || has_cell(s, a, at[a] + 1) ? c + b->step[a] : c;
        }
        if (!flag_chunk(flags, c, side, count)) continue;
        for (int o = 0; o < count; ++o)
            if (flags[o]) freeze(s, sl, i + o, j, k);
    }
}

/* Runs over the rows of a slab. */
static void for_rows(job *s, int number, void (*row)(job *, slab *, int, int)) {
    int from = number * SLAB - 1, to = from + SLAB, end = s->upper[s->outer];
    if (to > end) to = end;
    for (int o = from; o < to; ++o) {
        if (s->outer == 1) {
            row(s, &s->slabs[number], o, 0);
            continue;
        }
        for (int j = -1; j <= s->g->box.n[1]; ++j) row(s, &s->slabs[number], j, o);
    }
}

static void freeze_task(void *context, int number) {
    job *s = context;
    for_rows(s, number, freeze_row);
}

/* The band
 * ------------------------------------------------------------------------------------------------------ */

HOT static void set_far(float *phi, int count, float far) {
    for (int i = 0; i < count; ++i) phi[i] = phi[i] < 0 ? -far : far;
}

static void far_row(job *s, slab *sl, int j, int k) {
    (void)sl;
    set_far(s->phi + box_at(&s->g->box, -1, j, k), s->g->box.n[0] + 2, s->band * (float)s->g->dx);
}

static void set_phi(job *s, uint32_t index, float cells) {
    float d = fminf(cells, s->band) * (float)s->g->dx;
    s->phi[index] = s->phi[index] < 0 ? -d : d;
}

/* Everything gets its far value, frozen cells their own, and the slab's patches go to their place among all.
 */
static void far_task(void *context, int number) {
    job *s = context;
    slab *sl = &s->slabs[number];
    for_rows(s, number, far_row);
    for (size_t n = 0; n < sl->now.count; ++n) {
        band_cell *c = &sl->now.cell[n];
        patch *p = &s->patches[sl->patch_base + c->patch - 1];
        *p = sl->patches[c->patch - 1];
        c->patch += (uint32_t)sl->patch_base;
        float from[3];
        for (int a = 0; a < 3; ++a) from[a] = p->foot[a] - c->at[a];
        set_phi(s, c->index, sqrtf(square(from)));
    }
}

/* The next layer of this slab: untouched face neighbours of the newest layer here and in the slabs beside. */
static void grow_task(void *context, int number) {
    job *s = context;
    const box *b = &s->g->box;
    slab *own = &s->slabs[number];
    for (size_t n = 0; n < own->now.count; ++n) s->marks[own->now.cell[n].index] = own->now.cell[n].patch;
    int first = number * SLAB - 1, last = first + SLAB - 1;
    own->next.count = 0;
    for (int from = number > 0 ? number - 1 : 0; from <= number + 1 && from < s->slab_count; ++from) {
        const cell_list *l = &s->slabs[from].now;
        for (size_t n = 0; n < l->count; ++n) {
            const band_cell c = l->cell[n];
            int o = c.at[s->outer];
            if (!c.inner || o < first - 1 || o > last + 1) continue;
            for (int a = 0; a < b->dim; ++a)
                for (int side = -1; side <= 1; side += 2) {
                    int to = a == s->outer ? o + side : o;
                    if (to < first || to > last || !has_cell(s, a, c.at[a] + side)) continue;
                    uint32_t index = (uint32_t)((ptrdiff_t)c.index + side * b->step[a]);
                    if (s->marks[index] != UNTOUCHED) continue;
                    band_cell *added = append_cell(own, &own->next);
                    if (!added) return;
                    s->marks[index] = PENDING;
                    *added = c;
                    added->index = index;
                    added->at[a] = (int16_t)(c.at[a] + side);
                }
        }
    }
}

/* Squared distance of a patch [cells^2]; across: where the perpendicular meets its plane; beside: that is off
 * it. */
INLINE float patch_distance2(float across[3], bool *beside, const patch *p, const float at[3]) {
    const float x = at[0] - p->foot[0], y = at[1] - p->foot[1], z = at[2] - p->foot[2];
    const float height = x * p->normal[0] + y * p->normal[1] + z * p->normal[2];
    const float aside2 = x * x + y * y + z * z - height * height;
    for (int a = 0; a < 3; ++a) across[a] = at[a] - height * p->normal[a];
    *beside = aside2 > p->radius * p->radius;
    const float aside = *beside ? sqrtf(aside2) - p->radius : 0;
    return height * height + aside * aside;
}

/* The patch held where the perpendicular meets the plane, if there is one: it lies nearer than one handed on.
 */
static uint32_t patch_near(const job *s, const float across[3]) {
    int at[3] = {0, 0, 0};
    for (int a = 0; a < s->g->box.dim; ++a) {
        float low = (float)s->lower[a], high = (float)s->upper[a] - 1;
        if (!(across[a] >= low && across[a] <= high)) return UNTOUCHED;
        at[a] = (int)(across[a] - low + 0.5f) + s->lower[a];
    }
    return s->marks[box_at(&s->g->box, at[0], at[1], at[2])];
}

/* The nearest of the finished neighbours' patches. Marks change only in grow_task, so this reads what is
 * settled. */
static void settle(job *s, band_cell *c) {
    const box *b = &s->g->box;
    const float at[3] = {c->at[0], c->at[1], c->at[2]};
    float least = INFINITY, across[3], best[3] = {0, 0, 0};
    bool beside, best_beside = false;
    uint32_t tried = UNTOUCHED;
    for (int a = 0; a < b->dim; ++a)
        for (int side = -1; side <= 1; side += 2) {
            if (!has_cell(s, a, c->at[a] + side)) continue;
            uint32_t m = s->marks[(ptrdiff_t)c->index + side * b->step[a]];
            if (m == UNTOUCHED || m == PENDING || m == tried) continue;
            tried = m;
            float d2 = patch_distance2(across, &beside, &s->patches[m - 1], at);
            if (d2 >= least) continue;
            least = d2;
            c->patch = m;
            best_beside = beside;
            for (int e = 0; e < 3; ++e) best[e] = across[e];
        }
    uint32_t m = best_beside ? patch_near(s, best) : UNTOUCHED;
    if (m != UNTOUCHED && m != PENDING) {
        float d2 = patch_distance2(across, &beside, &s->patches[m - 1], at);
        if (d2 < least) {
            least = d2;
            c->patch = m;
        }
    }
    c->inner = least < s->band * s->band;
    set_phi(s, c->index, sqrtf(least));
}

static void settle_task(void *context, int number) {
    job *s = context;
    cell_list *l = &s->slabs[number].next;
    for (size_t n = 0; n < l->count; ++n) settle(s, &l->cell[n]);
}

/* Borders
 * ------------------------------------------------------------------------------------------------------- */

static int clamp_to_known(int at, int n) {
    return at < -1 ? -1 : at > n ? n : at;
}

/* Repeats the first border layer in the others. */
static void fill_borders(float *phi, const box *b) {
    int deep = b->dim == 3 ? GHOST : 0;
    for (int k = -deep; k < b->n[2] + deep; ++k)
        for (int j = -GHOST; j < b->n[1] + GHOST; ++j) {
            int from_k = b->dim == 3 ? clamp_to_known(k, b->n[2]) : 0, from_j = clamp_to_known(j, b->n[1]);
            bool known = from_k == k && from_j == j;
            for (int i = -GHOST; i < b->n[0] + GHOST; ++i) {
                if (known && i == -1) i = b->n[0] + 1; /* the row's middle is already right */
                phi[box_at(b, i, j, k)] = phi[box_at(b, clamp_to_known(i, b->n[0]), from_j, from_k)];
            }
        }
}

/* The whole
 * ----------------------------------------------------------------------------------------------------- */

static bool any_failed(const job *s) {
    for (int n = 0; n < s->slab_count; ++n)
        if (s->slabs[n].failed) return true;
    return false;
}

static size_t swap_layers(job *s) {
    size_t count = 0;
    for (int n = 0; n < s->slab_count; ++n) {
        cell_list t = s->slabs[n].now;
        s->slabs[n].now = s->slabs[n].next;
        s->slabs[n].next = t;
        count += s->slabs[n].now.count;
    }
    return count;
}

static int gather_patches(job *s) {
    size_t count = 0;
    for (int n = 0; n < s->slab_count; ++n) {
        s->slabs[n].patch_base = count;
        count += s->slabs[n].patch_count;
    }
    s->patches = malloc((count + 1) * sizeof *s->patches);
    return s->patches ? 0 : -1;
}

static int run(job *s) {
    pool *p = s->g->pool;
    parallel_for(p, s->slab_count, freeze_task, s);
    if (any_failed(s) || gather_patches(s)) return -1;
    parallel_for(p, s->slab_count, far_task, s);
    for (;;) {
        parallel_for(p, s->slab_count, grow_task, s);
        if (any_failed(s)) return -1;
        parallel_for(p, s->slab_count, settle_task, s);
        if (swap_layers(s) == 0) break;
    }
    fill_borders(s->phi, &s->g->box);
    return 0;
}

int levelset_redistance(float *phi, const mac_grid *g, int band) {
    int outer = g->box.dim - 1;
    job s = {.g = g, .phi = phi, .outer = outer, .band = (float)band};
    for (int a = 0; a < 3; ++a) {
        s.lower[a] = a < g->box.dim ? -1 : 0;
        s.upper[a] = a < g->box.dim ? g->box.n[a] + 1 : 1;
    }
    s.slab_count = (g->box.n[outer] + 2 + SLAB - 1) / SLAB;
    s.slabs = calloc((size_t)s.slab_count, sizeof *s.slabs);
    /* calloc, not mem_alloc: pages far from the surface are never touched and so cost nothing */
    s.marks = calloc(g->box.size, sizeof *s.marks);
    int failed = s.slabs && s.marks ? run(&s) : -1;
    for (int n = 0; s.slabs && n < s.slab_count; ++n) {
        free(s.slabs[n].now.cell);
        free(s.slabs[n].next.cell);
        free(s.slabs[n].patches);
    }
    free(s.slabs);
    free(s.marks);
    free(s.patches);
    return failed;
}
