/* Cells of a Stokes system: which are unknowns, what liquid flows through, and S.
 *
 *   S_c = SHARE sum over its faces open_f^2 / a_f,   a_f the diagonal of A
 *
 * which inside is 1 / (2 mu), the right scale of G^T A^-1 G where viscosity rules. A cell is none of the
 * unknowns where one of its open faces is neither an unknown nor known: it lies in the air. Regions that only
 * known faces bound have pressures that are free up to a constant; bodies join the regions that they touch.
 *
 * Source: Elman, Silvester and Wathen 2014, 3.5 and 4.2, for S as the scaled mass matrix of pressure. */
#include "linear/stokes_inside.h"

#include <math.h>
#include <string.h>

static const float SHARE = 2.0f / 3;

/* ---- memory ---- */

static int hold(stokes *t) {
    const viscous_level *l = &t->s->levels[0];
    const size_t size = l->size, faces = (size_t)l->dim * size, guard = vector_guard(l);
    const size_t floats = faces + 6 * size + 2 * guard, doubles = 2 * faces + 3 * size + 2 * guard;
    if (buffer_hold(&t->floats, floats * sizeof(float)) ||
        buffer_hold(&t->doubles, doubles * sizeof(double)) ||
        buffer_hold(&t->spans, 2 * (size_t)l->rows * sizeof *t->from) ||
        buffer_hold(&t->places, size * sizeof *t->region))
        return -1;
    parallel_zero(t->s->p, t->floats.data, floats * sizeof(float));
    parallel_zero(t->s->p, t->doubles.data, doubles * sizeof(double));
    float *at = (float *)t->floats.data + guard;
    for (int c = 0; c < l->dim; ++c) t->open[c] = at + (size_t)c * size;
    float **const of_cells[] = {&t->inverse, &t->rhs, &t->r, &t->before, &t->z, &t->z_old};
    for (size_t i = 0; i < 6; ++i) *of_cells[i] = at + faces + i * size;
    t->x = (double *)t->doubles.data + guard;
    for (int i = 0; i < 2; ++i) {
        t->w[i] = t->x + (size_t)(i + 1) * size;
        t->face_w[i] = t->x + 3 * size + (size_t)i * faces;
    }
    t->from = t->spans.data;
    t->to = t->from + l->rows;
    t->region = t->places.data;
    return 0;
}

/* ---- faces and cells ---- */

typedef struct job {
    stokes *t;
    const stokes_system *system;
} job;

/* A row's samples that the box has, and where the box has its sample 0; false: none. */
static bool box_part(int part[2], ptrdiff_t *in_box, const viscous *s, int row) {
    const viscous_level *l = &s->levels[0];
    const int j = row % l->n[1] + l->origin[1], k = row / l->n[1] + l->origin[2];
    if (j < 0 || j > s->b.n[1] || k < 0 || k > s->b.n[2]) return false;
    const int end = s->b.n[0] + 1 - l->origin[0];
    part[0] = l->origin[0] < 0 ? -l->origin[0] : 0;
    part[1] = end < l->n[0] ? end : l->n[0];
    *in_box = box_at(&s->b, l->origin[0], j, l->dim == 3 ? k : 0);
    return true;
}

static void open_task(void *context, int slab) {
    const job *w = context;
    const viscous_level *l = &w->t->s->levels[0];
    ptrdiff_t in_box;
    int part[2];
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row)
        for (int c = 0; c < l->dim && box_part(part, &in_box, w->t->s, row); ++c)
            for (int i = part[0]; i < part[1]; ++i)
                w->t->open[c][row_start(l, row) + i] = w->system->open[c][in_box + i];
}

/* S of a cell; 0: it is no unknown. */
static float schur(const stokes *t, ptrdiff_t q) {
    const viscous_level *l = &t->s->levels[0];
    float sum = 0;
    for (int c = 0; c < l->dim; ++c)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t f = q + side * l->step[c];
            const float open = t->open[c][f], inverse = l->inverse[c][f];
            if (!(open > 0)) continue;
            if (!(inverse > 0) && !l->fixed[c][f]) return 0;
            sum += open * open * inverse;
        }
    return SHARE * sum;
}

static double cell_task(void *context, int slab) {
    const job *w = context;
    stokes *t = w->t;
    const viscous_level *l = &t->s->levels[0];
    double count = 0;
    for (int row = slab * l->slab_rows; row < slab_end(l, slab); ++row) {
        ptrdiff_t in_box;
        int part[2], low = INT32_MAX, high = 0;
        const bool any = box_part(part, &in_box, t->s, row);
        for (int i = part[0]; any && i < part[1]; ++i) {
            if (!w->system->liquid[in_box + i]) continue;
            const float s = schur(t, row_start(l, row) + i);
            if (!(s > 0)) continue;
            t->inverse[row_start(l, row) + i] = 1 / s;
            low = i < low ? i : low;
            high = i + 1;
            ++count;
        }
        t->from[row] = low < high ? low / 8 * 8 : 0;
        t->to[row] = (high + 7) / 8 * 8;
    }
    return count;
}

/* ---- bodies ---- */

static ptrdiff_t in_level(const viscous *s, int32_t cell) {
    const viscous_level *l = &s->levels[0];
    const int deep = l->dim == 3 ? GHOST : 0;
    ptrdiff_t left = cell - box_at(&s->b, -GHOST, -GHOST, -deep);
    const ptrdiff_t k = l->dim == 3 ? left / s->b.step[2] : 0;
    left -= k * (l->dim == 3 ? s->b.step[2] : 0);
    const ptrdiff_t j = left / s->b.step[1], i = left - j * s->b.step[1];
    const ptrdiff_t at[3] = {i - GHOST - l->origin[0], j - GHOST - l->origin[1], k - deep - l->origin[2]};
    for (int a = 0; a < l->dim; ++a)
        if (at[a] < 0 || at[a] >= l->n[a]) return -1;
    return at[0] + at[1] * l->step[1] + (l->dim == 3 ? at[2] * l->step[2] : 0);
}

static int load_bodies(stokes *t, const stokes_system *system) {
    const int bodies = t->s->bodies.count;
    const size_t count = bodies && system->first ? (size_t)system->first[bodies] : 0;
    if (buffer_hold(&t->rows, count * sizeof *t->row + 1) ||
        buffer_hold(&t->firsts, ((size_t)bodies + 1) * sizeof *t->first) ||
        buffer_hold(&t->bodies, (size_t)bodies * sizeof *t->body + 1))
        return -1;
    t->row = t->rows.data;
    t->first = t->firsts.data;
    t->body = t->bodies.data;
    int kept = 0;
    for (int n = 0; n < bodies; ++n) {
        t->first[n] = kept;
        for (int i = system->first ? system->first[n] : 0; system->first && i < system->first[n + 1]; ++i) {
            const ptrdiff_t at = in_level(t->s, system->row[i].cell);
            if (at < 0 || !(t->inverse[at] > 0)) continue;
            t->row[kept].at = (int32_t)at;
            memcpy(t->row[kept++].value, system->row[i].value, sizeof t->row->value);
        }
    }
    t->first[bodies] = kept;
    return 0;
}

/* Faces that move with a body are among its rows. */
static void close_bodies(const stokes *t) {
    const viscous_bodies *b = &t->s->bodies;
    const size_t size = t->s->levels[0].size;
    for (int i = 0; b->count && i < b->first[b->count]; ++i)
        t->open[b->face[i].axis][b->face[i].at - (ptrdiff_t)((size_t)b->face[i].axis * size)] = 0;
}

/* ---- parts that nothing holds ---- */

static bool wall_touches(const stokes *t, ptrdiff_t q) {
    const viscous_level *l = &t->s->levels[0];
    for (int c = 0; c < l->dim; ++c)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t f = q + side * l->step[c];
            if (t->open[c][f] < 1 || l->fixed[c][f]) return true;
        }
    return false;
}

/* Walls that do not drag on a part hold it all the same. */
static void hold_parts(const stokes *t) {
    const viscous_level *l = &t->s->levels[0];
    bool held[PARTS_MOST] = {false};
    if (!t->s->parts.count) return;
    for (int row = 0; row < l->rows; ++row)
        for (int i = t->from[row]; i < t->to[row]; ++i) {
            const ptrdiff_t q = row_start(l, row) + i;
            if (!(t->inverse[q] > 0) || !wall_touches(t, q)) continue;
            const int j = row % l->n[1], k = row / l->n[1];
            for (int n = 0; n < (l->dim == 3 ? 8 : 4); ++n) {
                const int part = parts_at(&t->s->parts, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
                if (part >= 0) held[part] = true;
            }
        }
    parts_hold(&t->s->parts, held);
}

/* ---- closed regions ---- */

typedef struct filling {
    stokes *t;
    int32_t *stack, *parent; /* parent: of a region, its own number where it is the first of its kind */
    bool leaks;
} filling;

/* Goes on through a face; what lies beyond it, if it is no unknown, lets pressure go. */
static int32_t step_over(filling *w, ptrdiff_t face, ptrdiff_t beyond, int c, int32_t region, int32_t top) {
    const stokes *t = w->t;
    if (!(t->open[c][face] > 0) || t->s->levels[0].fixed[c][face]) return top;
    if (!(t->inverse[beyond] > 0)) w->leaks = true;
    else if (!t->region[beyond]) {
        t->region[beyond] = region;
        w->stack[top++] = (int32_t)beyond;
    }
    return top;
}

static bool fill_region(filling *w, ptrdiff_t from, int32_t region) {
    const viscous_level *l = &w->t->s->levels[0];
    int32_t top = 1;
    w->stack[0] = (int32_t)from;
    w->t->region[from] = region;
    w->leaks = false;
    while (top > 0) {
        const ptrdiff_t q = w->stack[--top];
        for (int c = 0; c < l->dim; ++c) {
            top = step_over(w, q, q - l->step[c], c, region, top);
            top = step_over(w, q + l->step[c], q + l->step[c], c, region, top);
        }
    }
    return w->leaks;
}

static int32_t root(const int32_t *parent, int32_t region) {
    while (parent[region] != region) region = parent[region];
    return region;
}

/* Region 0 is all that is not closed. */
static void join_bodies(const filling *w) {
    const stokes *t = w->t;
    for (int n = 0; n < t->s->bodies.count; ++n)
        for (int i = t->first[n] + 1; i < t->first[n + 1]; ++i) {
            const int32_t a = root(w->parent, t->region[t->row[i - 1].at]),
                          b = root(w->parent, t->region[t->row[i].at]);
            w->parent[a > b ? a : b] = a > b ? b : a;
        }
}

/* Numbers closed regions from 1 on. */
static void number_regions(const filling *w, int32_t found) {
    stokes *t = w->t;
    t->regions = 0;
    for (int32_t n = 1; n <= found; ++n) {
        const int32_t first = root(w->parent, n);
        w->stack[n] = first == n ? ++t->regions : first > 0 ? w->stack[first] : 0;
    }
    w->stack[0] = 0;
    for (size_t i = 0; i < t->s->levels[0].size; ++i) t->region[i] = w->stack[t->region[i]];
}

static int find_regions(stokes *t) {
    const viscous_level *l = &t->s->levels[0];
    buffer memory = {0};
    const size_t most = (size_t)t->cells + 2;
    if (buffer_hold(&memory, 2 * most * sizeof(int32_t))) return -1;
    filling w = {.t = t, .stack = memory.data, .parent = (int32_t *)memory.data + most};
    int32_t found = 0;
    memset(t->region, 0, l->size * sizeof *t->region);
    w.parent[0] = 0;
    for (int row = 0; row < l->rows; ++row)
        for (int i = t->from[row]; i < t->to[row]; ++i) {
            const ptrdiff_t q = row_start(l, row) + i;
            if (!(t->inverse[q] > 0) || t->region[q]) continue;
            ++found;
            w.parent[found] = fill_region(&w, q, found) ? 0 : found;
        }
    join_bodies(&w);
    number_regions(&w, found);
    buffer_drop(&memory);
    return buffer_hold(&t->sums, 2 * ((size_t)t->regions + 1) * sizeof(double));
}

/* Means over closed regions, of r or of x; returns the sums' sizes relative to those of all their cells. */
static double find_means(const stokes *t, bool of_r) {
    const viscous_level *l = &t->s->levels[0];
    double *sum = t->sums.data, *count = sum + t->regions + 1, all = 0, lost = 0;
    memset(sum, 0, 2 * ((size_t)t->regions + 1) * sizeof *sum);
    for (int row = 0; row < l->rows; ++row)
        for (ptrdiff_t q = row_start(l, row) + t->from[row]; q < row_start(l, row) + t->to[row]; ++q) {
            const double v = of_r ? (double)t->r[q] : t->x[q];
            sum[t->region[q]] += v;
            count[t->region[q]] += 1;
            if (t->region[q]) all += fabs(v);
        }
    for (int n = 1; n <= t->regions; ++n) {
        lost += fabs(sum[n]);
        sum[n] /= count[n];
    }
    return all > 0 ? lost / all : 0;
}

double stokes_cells_balance(const stokes *t) {
    const viscous_level *l = &t->s->levels[0];
    const double *mean = t->sums.data;
    if (!t->regions) return 0;
    const double lost = find_means(t, true);
    for (int row = 0; row < l->rows; ++row)
        for (ptrdiff_t q = row_start(l, row) + t->from[row]; q < row_start(l, row) + t->to[row]; ++q)
            if (t->region[q]) {
                t->rhs[q] += (float)mean[t->region[q]];
                t->r[q] -= (float)mean[t->region[q]];
            }
    return lost;
}

void stokes_cells_centre(const stokes *t) {
    const viscous_level *l = &t->s->levels[0];
    const double *mean = t->sums.data;
    if (!t->regions) return;
    find_means(t, false);
    for (int row = 0; row < l->rows; ++row)
        for (ptrdiff_t q = row_start(l, row) + t->from[row]; q < row_start(l, row) + t->to[row]; ++q)
            if (t->region[q]) t->x[q] -= mean[t->region[q]];
}

int stokes_cells_setup(stokes *t, const stokes_system *system) {
    job w = {t, system};
    const viscous_level *l = &t->s->levels[0];
    pool *p = workers(t->s);
    if (hold(t)) return -1;
    parallel_for(p, l->slabs, open_task, &w);
    close_bodies(t);
    t->cells = (int64_t)parallel_sum(p, l->slabs, cell_task, &w);
    if (load_bodies(t, system)) return -1;
    hold_parts(t);
    return find_regions(t) || stokes_inertia_setup(t) ? -1 : 0;
}
