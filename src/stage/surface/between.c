/* Where one fluid ends and others begin, so that each has a mesh of its own and meshes that touch meet.
 *
 *   c = (w_own - w_other) / (w_own + w_other),   psi = - (2/3) dx (c - (1/8) D c)
 *
 * w are the particles' quadratic B-splines at a cell, w_other that of the strongest other fluid, D the second
 * differences: the spline has a variance of a quarter of a cell squared along each axis, which would shrink a
 * ball as heat conduction of that much does; the first term of it is taken back. Between two fluids psi of
 * one is minus psi of the other, to the bit, so their zero sets are the same and so are the vertices on it.
 * 2/3 makes the slope of psi 1 at a plane.
 *
 * Limits: a ball with a radius of 3.6 cells is drawn 7 % too small (11 % without that term); where three
 * fluids meet the meshes leave a gap of a part of a cell; a sheet of fluid that is thinner than a cell
 * between others is lost to them. */
#include "stage/surface/surface.h"

#include <math.h>
#include "grid/rows.h"

#define NOTHING 2.0f /* in place of a share */

typedef struct {
    float *drawn, *share;
    const mac_grid *g;
    const particles *p;
    int fluid;
    cell_range range;
} job;

/* The quadratic B-spline at a distance in cells. */
static float spline(float d) {
    const float t = fabsf(d), far = 1.5f - t;
    if (t < 0.5f) return 0.75f - t * t;
    return far > 0 ? 0.5f * far * far : 0;
}

/* Adds what the particles of a cell weigh at x, which is moved by whole periods to be near them; notes the
 * highest fluid that is there. */
static void add_cell(float weight[RHEO_FLUIDS_MAX], int *highest, const job *s, const int at[3],
                     const float x[3]) {
    const particles *p = s->p;
    const size_t cell = box_dense(&s->g->box, at[0], at[1], at[2]);
    for (uint32_t q = p->cell_start[cell]; q < p->cell_start[cell + 1]; ++q) {
        float w = 1;
        const int fluid = p->fluid[q];
        for (int a = 0; a < p->dim; ++a) w *= spline(p->x[a][q] - x[a]);
        for (; *highest < fluid; weight[++*highest] = 0) {
        }
        weight[fluid] += w;
    }
}

/* Looks around a cell; -1 where no particle is near. */
static int weigh_around(float weight[RHEO_FLUIDS_MAX], const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int deep = b->dim == 3, middle[3] = {i, j, k};
    int highest = -1;
    for (int n = 0; n < (deep ? 27 : 9); ++n) {
        const int off[3] = {n % 3 - 1, n / 3 % 3 - 1, deep ? n / 9 - 1 : 0};
        int at[3], outside = 0;
        float x[3];
        for (int a = 0; a < 3; ++a) {
            at[a] = middle[a] + off[a];
            x[a] = (float)middle[a] + 0.5f;
            if (at[a] >= 0 && at[a] < b->n[a]) continue;
            outside |= !b->periodic[a];
            const int turn = at[a] < 0 ? b->n[a] : -b->n[a];
            at[a] += turn;
            x[a] += (float)turn;
        }
        if (!outside) add_cell(weight, &highest, s, at, x);
    }
    return highest;
}

/* -1 to 1; above: no particle is near. */
static float share_at(const job *s, int i, int j, int k) {
    float weight[RHEO_FLUIDS_MAX], other = 0;
    const int highest = weigh_around(weight, s, i, j, k);
    const float own = s->fluid <= highest ? weight[s->fluid] : 0;
    for (int f = 0; f <= highest; ++f)
        if (f != s->fluid) other = greater(other, weight[f]);
    return own + other > 0 ? (own - other) / (own + other) : NOTHING;
}

HOT static void share_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            s->share[c] = s->drawn[c] < (float)s->g->dx ? share_at(s, i, j, k) : NOTHING;
        }
    }
}

/* What neighbours differ by from it, where they are known. */
static float bend(const job *s, const int at[3], ptrdiff_t c) {
    const box *b = &s->g->box;
    float sum = 0;
    for (int a = 0; a < b->dim; ++a) {
        if (at[a] == 0 || at[a] == b->n[a] - 1) continue;
        const float low = s->share[c - b->step[a]], high = s->share[c + b->step[a]];
        if (low < NOTHING && high < NOTHING) sum += low + high - 2 * s->share[c];
    }
    return sum;
}

HOT static void cut_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            if (!(s->share[c] < NOTHING)) continue;
            const float sharp = s->share[c] - 0.125f * bend(s, (const int[3]){i, j, k}, c);
            s->drawn[c] = greater(s->drawn[c], (float)(-2.0 / 3 * s->g->dx) * sharp);
        }
    }
}

void surface_of_fluid(float *drawn, float *share, const mac_grid *g, const particles *p, int fluid) {
    job s = {drawn, share, g, p, fluid, range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), share_task, &s);
    parallel_for(g->pool, range_blocks(&s.range), cut_task, &s);
}
