/* Faces to particles: PIC u_p = sum w u, FLIP v += sum w (u - before), APIC also C = sum u grad w.
 *
 * Zhu and Bridson 2005; Jiang et al. 2015, where for trilinear weights the affine matrix is the gradient of
 * the interpolated field. The blend f (v + mean(u - before)) + (1 - f) mean(u) is f v + mean(u - f before):
 * one mean a component. u - f before is formed for the faces around a run of cells of a row, in a window of
 * paired rows that stays in the first-level cache, and all particles of the run read from there. Limits:
 * particles where they were when sorted. What was appended since is read one by one; what was moved since
 * reads the faces of its old cell's row (never other memory). */
#include "particle/transfer.h"

#include <assert.h>
#include "grid/sample.h"
#include "particle/lanes.h"

enum {
    RUN = 64,      /* cells */
    ROW = RUN + 8, /* pairs a row of the window: cells before and behind the run, and the reach of a square */
    PLANE = 2 * ROW, /* the row before the run with the run's, and this with the one behind */
    ROWS_A_BLOCK = 4,
    EXTRAS = 9
};

typedef struct reading {
    particles *p;
    const mac_grid *g;
    const float *u[3], *before[3];
    float flip, kick[3], per_dx;
    int affine;
} reading;

/* Pair (x, y, z) of a window is the faces of cells corner + (x, y, z) and corner + (x, y + 1, z). */
typedef struct window {
    int corner[3];
    float width; /* cells of the run */
    float value[3][3 * PLANE * 2];
} window;

/* Columns of the particles in hand: the set's, or a copy for the last few of a run. */
typedef struct columns {
    const float *x[3];
    float *v[3], *extra[EXTRAS];
    const uint8_t *spray;
} columns;

INLINE void fill_window(window *w, const reading *t, int i, int j, int k, int cells, int dim, int flip) {
    const box *b = &t->g->box;
    w->corner[0] = i - 1;
    w->corner[1] = j - 1;
    w->corner[2] = k - 1;
    w->width = (float)cells;
    for (int axis = 0; axis < dim; ++axis)
        for (int z = dim == 3 ? axis == 2 : 1; z < (dim == 3 ? 3 : 2); ++z)
            for (int y = axis == 1; y < 2; ++y) {
                const ptrdiff_t at = box_at(b, i - 1, j - 1 + y, k - 1 + z), up = b->step[1];
                const float *restrict u = t->u[axis] + at, *restrict before =
                                                               flip ? t->before[axis] + at : NULL;
                float *restrict to = w->value[axis] + 2 * (y * ROW + z * PLANE);
                for (int x = 0; x < cells + 2; ++x) {
                    to[2 * x] = flip ? u[x] - t->flip * before[x] : u[x];
                    to[2 * x + 1] = flip ? u[x + up] - t->flip * before[x + up] : u[x + up];
                }
            }
}

INLINE void read_component(const reading *t, const window *w, const columns *c, size_t q, const spot *s,
                           int8 spray, int axis, int dim, int affine, int flip) {
    lookup found = look_paired(w->value[axis] + (dim == 3 ? 0 : 2 * PLANE), s, PLANE, dim, affine);
    vec8 old = vec8_load(c->v[axis] + q), moved = flip ? t->flip * old + found.value : found.value;
    vec8_store(c->v[axis] + q, vec8_select(spray, old + t->kick[axis], moved));
    for (int a = 0; a < dim && affine; ++a)
        vec8_store(c->extra[axis * dim + a] + q, vec8_select(spray, vec8_all(0), found.slope[a] * t->per_dx));
}

INLINE void read_lanes(const reading *t, const window *w, const columns *c, size_t q, int dim, int affine,
                       int flip) {
    const int step[3] = {1, ROW, PLANE};
    const int8 spray = mask_load(c->spray + q);
    places l; /* in the window */
    spot s[3];
    for (int a = 0; a < dim; ++a) {
        float end = (a == 0 ? 1 + w->width : 2) * 0x1.fffffep-1f; /* strictly inside */
        vec8 x = vec8_clamp(vec8_load(c->x[a] + q) - (float)w->corner[a], vec8_all(1), vec8_all(end));
        for (int own = 0; own < 2; ++own) {
            l.f[a][own] = vec8_split(&l.at[a][own], x - (own ? 0 : 0.5f));
            l.at[a][own] *= step[a];
        }
    }
    spot_of(&s[0], &l, 0, dim);
    spot_of(&s[1], &l, 1, dim);
    if (dim == 3) spot_of(&s[2], &l, 2, dim);
    read_component(t, w, c, q, &s[0], spray, 0, dim, affine, flip);
    read_component(t, w, c, q, &s[1], spray, 1, dim, affine, flip);
    if (dim == 3) read_component(t, w, c, q, &s[2], spray, 2, dim, affine, flip);
}

/* The last few particles of a run: whole lanes would reach into the next run, which another thread may have.
 */
INLINE void read_rest(const reading *t, const window *w, const columns *c, size_t begin, size_t count,
                      int dim, int affine, int flip) {
    float x[3][LANES], v[3][LANES], extra[EXTRAS][LANES];
    uint8_t spray[LANES] = {0};
    columns copy = {.spray = spray};
    for (int a = 0; a < dim; ++a) {
        for (size_t q = 0; q < LANES; ++q) {
            x[a][q] = q < count ? c->x[a][begin + q] : (float)(w->corner[a] + 1);
            v[a][q] = q < count ? c->v[a][begin + q] : 0;
        }
        copy.x[a] = x[a];
        copy.v[a] = v[a];
    }
    for (int e = 0; e < EXTRAS; ++e) copy.extra[e] = extra[e];
    memcpy(spray, c->spray + begin, count);
    read_lanes(t, w, &copy, 0, dim, affine, flip);
    for (int a = 0; a < dim; ++a) memcpy(c->v[a] + begin, v[a], count * sizeof(float));
    for (int e = 0; e < dim * dim && affine; ++e)
        memcpy(c->extra[e] + begin, extra[e], count * sizeof(float));
}

INLINE void read_run_dim(const reading *t, const window *w, size_t begin, size_t end, int dim, int affine,
                         int flip) {
    const particles *p = t->p;
    columns c = {.spray = p->spray};
    for (int a = 0; a < dim; ++a) {
        c.x[a] = p->x[a];
        c.v[a] = p->v[a];
    }
    for (int e = 0; e < dim * dim && affine; ++e) c.extra[e] = p->extra[e];
    size_t q = begin;
    for (; q + LANES <= end; q += LANES) read_lanes(t, w, &c, q, dim, affine, flip);
    if (q < end) read_rest(t, w, &c, q, end - q, dim, affine, flip);
}

/* Particles [begin, end) that lie in cells [i, i + cells) of row (j, k). */
HOT static void read_run(const reading *t, size_t begin, size_t end, int i, int j, int k, int cells) {
    window w;
    int flip = t->before[0] != NULL;
    if (t->g->box.dim == 3) {
        if (flip) fill_window(&w, t, i, j, k, cells, 3, 1);
        else fill_window(&w, t, i, j, k, cells, 3, 0);
        if (t->affine) read_run_dim(t, &w, begin, end, 3, 1, 0);
        else if (flip) read_run_dim(t, &w, begin, end, 3, 0, 1);
        else read_run_dim(t, &w, begin, end, 3, 0, 0);
    } else {
        if (flip) fill_window(&w, t, i, j, k, cells, 2, 1);
        else fill_window(&w, t, i, j, k, cells, 2, 0);
        if (t->affine) read_run_dim(t, &w, begin, end, 2, 1, 0);
        else if (flip) read_run_dim(t, &w, begin, end, 2, 0, 1);
        else read_run_dim(t, &w, begin, end, 2, 0, 0);
    }
}

/* Runs begin at a filled cell and end at the last filled one within reach. */
static void read_row(const reading *t, int j, int k) {
    const box *b = &t->g->box;
    const uint32_t *start = t->p->cell_start + box_dense(b, 0, j, k);
    uint32_t end = start[b->n[0]];
    for (int i = 0; start[i] < end;) {
        if (start[i] == start[i + 1]) {
            ++i;
            continue;
        }
        int stop = i + RUN < b->n[0] ? i + RUN : b->n[0];
        while (start[stop - 1] == start[stop]) --stop;
        read_run(t, start[i], start[stop], i, j, k, stop - i);
        i = stop;
    }
}

static void read_block(void *context, int block) {
    const reading *t = context;
    const box *b = &t->g->box;
    int rows = b->n[1] * b->n[2], first = block * ROWS_A_BLOCK;
    for (int row = first; row < first + ROWS_A_BLOCK && row < rows; ++row)
        read_row(t, row % b->n[1], row / b->n[1]);
}

static int cell_along(const particles *p, const box *b, size_t i, int axis) {
    if (axis >= b->dim) return 0;
    float x = p->x[axis][i], last = (float)(b->n[axis] - 1);
    return x > 0 ? (int)(x < last ? x : last) : 0;
}

void particles_from_grid(particles *p, const mac_grid *g, const mac_field *u, const mac_field *before,
                         double flip, int affine, const double kick[3]) {
    const box *b = &g->box;
    assert(!affine || p->extra_count >= b->dim * b->dim);
    reading t = {.p = p,
                 .g = g,
                 .flip = (float)flip,
                 .per_dx = (float)((affine ? flip : 1) / g->dx),
                 .affine = affine};
    for (int axis = 0; axis < b->dim; ++axis) {
        t.u[axis] = u->value[axis];
        t.before[axis] = before && flip > 0 && !affine ? before->value[axis] : NULL;
        t.kick[axis] = kick ? (float)kick[axis] : 0;
    }
    parallel_for(g->pool, block_count((long)b->n[1] * b->n[2], ROWS_A_BLOCK), read_block, &t);
    for (size_t i = p->cell_start[p->cells]; i < p->count; ++i)
        read_run(&t, i, i + 1, cell_along(p, b, i, 0), cell_along(p, b, i, 1), cell_along(p, b, i, 2), 1);
}

/* ---- noise ---- */

enum { CALM_GRAIN = 4096 };

typedef struct calm_job {
    particles *p;
    const mac_grid *g;
    const mac_field *u;
    const double *by_fluid;
    const float *by_particle;
} calm_job;

static void calm_task(void *context, int block) {
    const calm_job *t = context;
    const particles *p = t->p;
    const size_t from = (size_t)block * CALM_GRAIN;
    for (size_t i = from; i < from + CALM_GRAIN && i < p->count; ++i) {
        float x[3] = {0, 0, 0}, u[3];
        if (p->spray[i]) continue;
        for (int a = 0; a < p->dim; ++a) x[a] = p->x[a][i];
        sample_faces(u, t->u, t->g, x);
        const float kept = t->by_particle ? t->by_particle[i] : (float)t->by_fluid[p->fluid[i]];
        for (int a = 0; a < p->dim; ++a) p->v[a][i] = u[a] + kept * (p->v[a][i] - u[a]);
    }
}

void particles_calm(particles *p, const mac_grid *g, const mac_field *u, const double *by_fluid,
                    const float *by_particle) {
    calm_job t = {p, g, u, by_fluid, by_particle};
    parallel_for(g->pool, block_count((long)p->count, CALM_GRAIN), calm_task, &t);
}
