/* Surfaces to look at, from sorted particles.
 *
 * Union of spheres: phi(x) = min over particles of |x - x_p| - r. Average (Zhu and Bridson 2005): phi(x) = |x
 * - X| - r with X the mean of the particles within R = 2 r, weighted by (1 - |x - x_p|^2 / R^2)^3; smoother,
 * with the known flaw of concave corners, where X leaves the liquid. Iso-density: the poly6 kernel's sum, and
 * colour: sqrt(sum (1 - r)^2) (Mao 2006, 3-48 to 3-51), both within a cell and where they are half of what a
 * full neighbourhood would leave. All are made at the cells near particles and turned into distances by
 * redistancing. Pressure (Sommer 2018): where q, divided by its mean slope below the surface, says how deep a
 * cell lies; above, where there is no pressure, the liquid's own distance.
 *
 * At solids: liquid is carried on into them and cut off there by drawn = max(phi, -(solid + BURIED dx)), so
 * that the bevel which sampling makes of every edge lies inside the solid; then vertices in the solid go back
 * onto its face, x -= solid grad(solid). The free surface, its normals included, meets the face as a straight
 * edge. In a solid thinner than that the cut stays in front of its middle, and edges keep
 * a part of their bevel. In cracks between solids with no
 * open cell beside them there is no liquid, though phi goes on into them.
 *
 * On the domain's sides: phi is carried on along the straight line through the last two cells, half a cell
 * from the last centre, where both are near enough to the surface to know their distance; else it is the last
 * cell's. Limit: a film thinner than half a cell between a wall and the last centre is drawn as no film. */
#include "stage/surface/surface.h"

#include <math.h>
#include "grid/levelset.h"
#include "grid/rows.h"
#include "grid/sample.h"

enum { BAND = 4, DRAWN_GRAIN = 4096, BACK_ROUNDS = 3 };
/* Half of the integrals of (1 - r^2)^3 and (1 - r)^2 over the unit ball and disc, for 8 and 4 particles a
 * cell. */
#define HALF_KERNEL      2.5531f
#define HALF_KERNEL_FLAT 1.5708f
#define HALF_COLOUR      1.6755f
#define HALF_COLOUR_FLAT 1.0472f
#define FREE_LITTLE      0.1f  /* of a cell */
#define RIDGE            0.3f  /* slopes of a solid's distance in its middle */
#define BURIED           0.75f /* cells: how far into solids the drawn liquid goes at most */

typedef struct {
    const mac_grid *g;
    const particles *p;
    float *phi;
    float reach; /* cells: how far a particle counts; twice the radius of spheres */
    surface_rule rule;
    cell_range range;
} job;

/* What is known of the particles around a cell's centre. */
typedef struct {
    float nearest, weight, mean[3], colour; /* squared; of (1 - r2)^3; its sum of places; of (1 - r)^2 */
} sums;

static void look_around(sums *to, const job *s, const int at[3], const float x[3], int r) {
    const box *b = &s->g->box;
    const particles *p = s->p;
    const int deep = b->dim == 3 ? r : 0;
    for (int kk = at[2] - deep; kk <= at[2] + deep; ++kk)
        for (int jj = at[1] - r; jj <= at[1] + r; ++jj) {
            if (jj < 0 || jj >= b->n[1] || kk < 0 || kk >= b->n[2]) continue;
            const int low = at[0] - r > 0 ? at[0] - r : 0,
                      high = at[0] + r < b->n[0] - 1 ? at[0] + r : b->n[0] - 1;
            const uint32_t from = p->cell_start[box_dense(b, low, jj, kk)],
                           end = p->cell_start[box_dense(b, high, jj, kk) + 1];
            for (uint32_t q = from; q < end; ++q) {
                float d2 = 0;
                for (int a = 0; a < b->dim; ++a) d2 += (p->x[a][q] - x[a]) * (p->x[a][q] - x[a]);
                to->nearest = lesser(to->nearest, d2);
                const float t = greater(0, 1 - d2 / (s->reach * s->reach)), w = t * t * t;
                const float near = greater(0, 1 - sqrtf(d2) / s->reach);
                to->weight += w;
                to->colour += near * near;
                for (int a = 0; a < b->dim; ++a) to->mean[a] += w * p->x[a][q];
            }
        }
}

/* The value at cell (i, j, k), in cells; its sign and where it changes are what counts. */
static float value_at(const job *s, int i, int j, int k) {
    const int at[3] = {i, j, k}, dim = s->g->box.dim;
    const float x[3] = {(float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f};
    sums o = {.nearest = s->reach * s->reach};
    look_around(&o, s, at, x, (int)ceilf(s->reach));
    if (s->rule == SURFACE_KERNEL) return 1 - o.weight / (dim == 3 ? HALF_KERNEL : HALF_KERNEL_FLAT);
    if (s->rule == SURFACE_COLOUR) return 1 - sqrtf(o.colour / (dim == 3 ? HALF_COLOUR : HALF_COLOUR_FLAT));
    const float radius = 0.5f * s->reach;
    if (s->rule == SURFACE_SPHERES || !(o.weight > 0)) return sqrtf(o.nearest) - radius;
    float d2 = 0;
    for (int a = 0; a < dim; ++a) d2 += (o.mean[a] / o.weight - x[a]) * (o.mean[a] / o.weight - x[a]);
    return sqrtf(d2) - radius;
}

static void value_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i)
            s->phi[box_at(&s->g->box, i, j, k)] = value_at(s, i, j, k) * (float)s->g->dx;
    }
}

int surface_by_rule(float *phi, const mac_grid *g, const particles *p, surface_rule rule) {
    const int spheres = rule == SURFACE_SPHERES || rule == SURFACE_AVERAGE;
    const float reach = spheres ? sqrtf((float)g->box.dim) : 1; /* of a cell's diagonal: no holes between */
    job s = {g, p, phi, reach, rule, range_grow(range_cells(g), g, 1)};
    parallel_for(g->pool, range_blocks(&s.range), value_task, &s);
    return levelset_redistance(phi, g, BAND);
}

/* The slope is that of all surface cells together: their q over their depths. */
void surface_pressure(float *phi, const mac_grid *g, const float *q, const float *phi_liquid) {
    const box *b = &g->box;
    double sum = 0, depth = 0;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                if (phi_liquid[c] >= 0 || phi_liquid[c] < (float)(-0.9 * g->dx)) continue;
                sum += fmax(0, (double)q[c]);
                depth -= (double)phi_liquid[c];
            }
    const float slope = depth > 0 && sum > 0 ? (float)(sum / depth) : 1; /* q a metre of depth */
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                const float depth_here = q[c] / slope;
                phi[c] = q[c] > 0 ? -fminf(depth_here, (float)g->dx) : fmaxf(phi_liquid[c], 0);
            }
}

/* ---- solids ---- */

typedef struct {
    const mac_grid *g;
    const float *phi, *solid, *free_share; /* on cells, on nodes, on cells */
    float *drawn;
    rheo_mesh *mesh;
    cell_range range;
} cut_job;

/* The least of the nodes of a cell and the cells around it, and the mean of its own. */
static void solid_around(float *least, float *mean, const cut_job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int at[3] = {i, j, k};
    int low[3] = {i, j, k}, high[3] = {i, j, k};
    for (int a = 0; a < b->dim; ++a) {
        low[a] = at[a] > 0 ? at[a] - 1 : 0;
        high[a] = at[a] + 2 < b->n[a] ? at[a] + 2 : b->n[a];
    }
    const float *corner = s->solid + box_at(b, i, j, k);
    float sum = 0;
    for (int c = 0; c < 1 << b->dim; ++c)
        sum += corner[(c & 1) + (c >> 1 & 1) * b->step[1] + (c >> 2) * b->step[2]];
    *mean = *least = sum / (float)(1 << b->dim);
    if (fabsf(*mean) > 2 * (float)s->g->dx) return; /* the cut is not near */
    for (int kk = low[2]; kk <= high[2]; ++kk)
        for (int jj = low[1]; jj <= high[1]; ++jj)
            for (int ii = low[0]; ii <= high[0]; ++ii)
                *least = fminf(*least, s->solid[box_at(b, ii, jj, kk)]);
}

/* Whether a cell and all around it have as good as no free share. */
static int sealed(const cut_job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int at[3] = {i, j, k};
    int low[3] = {i, j, k}, high[3] = {i, j, k};
    for (int a = 0; a < b->dim; ++a) {
        low[a] = at[a] > 0 ? at[a] - 1 : 0;
        high[a] = at[a] + 1 < b->n[a] ? at[a] + 1 : at[a];
    }
    for (int kk = low[2]; kk <= high[2]; ++kk)
        for (int jj = low[1]; jj <= high[1]; ++jj)
            for (int ii = low[0]; ii <= high[0]; ++ii)
                if (s->free_share[box_at(b, ii, jj, kk)] >= FREE_LITTLE) return 0;
    return 1;
}

static void cut_task(void *context, int block) {
    const cut_job *s = context;
    const float dx = (float)s->g->dx;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            float least, mean;
            solid_around(&least, &mean, s, i, j, k);
            const float deepest = fmaxf(fminf(-0.5f * least, -least - 0.5f * dx), 0),
                        buried = fminf(BURIED * dx, deepest);
            s->drawn[c] = fmaxf(s->phi[c], -mean - buried);
            if (s->drawn[c] < 0 && s->free_share[c] < FREE_LITTLE && sealed(s, i, j, k))
                s->drawn[c] = 0.5f * dx;
        }
    }
}

void surface_drawn(float *drawn, const mac_grid *g, const float *phi, const float *node_solid,
                   const float *free_share) {
    cut_job s = {.g = g, .phi = phi, .solid = node_solid, .free_share = free_share, .drawn = drawn};
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), cut_task, &s);
}

/* One round towards the face of the solid around x [cells]; along the domain's sides where x lies on one. In
 * a wall of two or three cells slopes are small beside its middle and the step is too long: what comes out
 * in front of the face goes back to it in the next round. */
static int step_back(const cut_job *s, float x[3], const float normal[3], const int on_side[3], int out) {
    const box *b = &s->g->box;
    const float depth = -sample_nodes(s->solid, s->g, x) / (float)s->g->dx;
    float n[3] = {0, 0, 0}, size2 = 0;
    if (!(depth > 0) && !out) return 0;
    for (int a = 0; a < b->dim; ++a) {
        float low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
        if (on_side[a]) continue;
        low[a] = fmaxf(x[a] - 0.5f, 0);
        high[a] = fminf(x[a] + 0.5f, (float)b->n[a]);
        n[a] = (sample_nodes(s->solid, s->g, high) - sample_nodes(s->solid, s->g, low)) / (high[a] - low[a]);
        size2 += n[a] * n[a];
    }
    float slope = sqrtf(size2) / (float)s->g->dx;
    if (slope < RIDGE) { /* no side is nearer: to where the liquid is */
        for (int a = 0; a < b->dim; ++a) n[a] = on_side[a] ? 0 : -normal[a] * (float)s->g->dx;
        slope = 1;
    }
    for (int a = 0; a < b->dim; ++a) {
        x[a] += fmaxf(fminf(depth, 1), -1) * n[a] / ((float)s->g->dx * slope * slope);
        x[a] = fminf(fmaxf(x[a], 0), (float)b->n[a]);
    }
    return 1;
}

static void back_task(void *context, int block) {
    const cut_job *s = context;
    const size_t from = (size_t)block * DRAWN_GRAIN, count = s->mesh->vertex_count;
    for (size_t v = from; v < from + DRAWN_GRAIN && v < count; ++v) {
        float *p = s->mesh->position + 3 * v, x[3] = {0, 0, 0};
        int on_side[3] = {1, 1, 1}, moved = 0;
        for (int a = 0; a < s->g->box.dim; ++a) {
            x[a] = (float)(((double)p[a] - s->g->origin[a]) / s->g->dx);
            on_side[a] = x[a] < 1e-3f || x[a] > (float)s->g->box.n[a] - 1e-3f;
        }
        for (int round = 0; round < BACK_ROUNDS; ++round)
            moved |= step_back(s, x, s->mesh->normal + 3 * v, on_side, moved);
        for (int a = 0; moved && a < s->g->box.dim; ++a)
            if (!on_side[a]) p[a] = (float)(s->g->origin[a] + s->g->dx * (double)x[a]);
    }
}

void surface_onto_solids(rheo_mesh *mesh, const mac_grid *g, const float *node_solid) {
    cut_job s = {.g = g, .solid = node_solid, .mesh = mesh};
    parallel_for(g->pool, block_count((long)mesh->vertex_count, DRAWN_GRAIN), back_task, &s);
}

/* ---- sides of the domain ---- */

/* The value half a cell beyond c, whose next cell inwards is at c - out. The line may say otherwise than the
 * cell only where the surface is seen to pass beside it: deep inside distances are noise, and the noise would
 * draw bubbles on the wall. */
static float beyond(const float *f, const box *b, const cell_range *r, const int at[3], int axis,
                    ptrdiff_t out, float dx) {
    const ptrdiff_t c = box_at(b, at[0], at[1], at[2]);
    const float one = f[c], two = f[c - out], line = 1.5f * one - 0.5f * two;
    if (fabsf(one) >= dx || fabsf(two) >= dx) return one;
    if ((line < 0) == (one < 0)) return line;
    for (int d = 0; d < 2 * b->dim; ++d) {
        const int a = d / 2, next = at[a] + (d % 2 ? 1 : -1);
        if (a == axis || next < r->lower[a] || next >= r->upper[a]) continue;
        if ((f[c + (d % 2 ? b->step[a] : -b->step[a])] < 0) == (line < 0)) return line;
    }
    return one;
}

/* Along one axis, over what is known along the axes before it: edges and corners follow in turn. */
static void to_sides(float *f, const mac_grid *g, const cell_range *r, int axis) {
    const box *b = &g->box;
    const int last = b->n[axis] - 1;
    const ptrdiff_t step = b->step[axis];
    cell_range face = *r;
    face.lower[axis] = 0;
    face.upper[axis] = 1;
    for (int k = face.lower[2]; k < face.upper[2]; ++k)
        for (int j = face.lower[1]; j < face.upper[1]; ++j)
            for (int i = face.lower[0]; i < face.upper[0]; ++i) {
                int at[3] = {i, j, k};
                const ptrdiff_t low = box_at(b, i, j, k), high = low + last * step;
                if (b->periodic[axis] || last == 0) {
                    f[low - step] = f[high + step] = 0.5f * (f[low] + f[high]);
                    continue;
                }
                const float before = beyond(f, b, r, at, axis, -step, (float)g->dx);
                at[axis] = last;
                f[high + step] = beyond(f, b, r, at, axis, step, (float)g->dx);
                f[low - step] = before;
            }
}

void surface_to_sides(float *drawn, const mac_grid *g) {
    cell_range r = range_cells(g);
    for (int a = 0; a < g->box.dim; ++a) {
        to_sides(drawn, g, &r, a);
        r.lower[a] -= 1;
        r.upper[a] += 1;
    }
}
