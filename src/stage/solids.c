/* Solids on the grid. Distances live at nodes so that the open share of a face follows from its own corners
 * (Batty et al. 2007; areas as in Wang 2017, 2.5) and is the same for both cells that share it.
 *
 * Distances are evaluated exactly only near a surface: a brick of 4^dim nodes whose centre is farther away
 * than its radius plus the band cannot hold a zero, because distances are 1-Lipschitz. */
#include "stage/solids.h"

#include <math.h>
#include "core/hot.h"
#include "geom/fractions.h"
#include "grid/rows.h"
#include "grid/sample.h"

enum { BRICK = 4, SIDE = 6 }; /* nodes of a brick, octants within 1.5 cells of a cell's centre, an axis */

typedef struct {
    int count;
    float offset[SIDE * SIDE * SIDE][3], weight[SIDE * SIDE * SIDE];
} octant_list;

typedef struct {
    const mac_grid *g;
    const obstacle *solids;
    int count;
    float *node_phi;
    const float *keep;
    const float *phi;
    openings *o;
    const openings *open;
    float *room;
    const octant_list *octants;
    mac_field *u;
    float *const *scratch;
    cell_range range;
    int bricks[3];
    int axis, no_slip;
} job;

static void place(double x[3], const mac_grid *g, double i, double j, double k) {
    x[0] = g->origin[0] + g->dx * i;
    x[1] = g->origin[1] + g->dx * j;
    x[2] = g->box.dim == 3 ? g->origin[2] + g->dx * k : g->origin[2] + 0.5 * g->dx;
}

static void brick_task(void *context, int brick) {
    const job *s = context;
    const box *b = &s->g->box;
    const double band = SOLID_BAND * s->g->dx;
    int lower[3], upper[3], rest = brick;
    for (int a = 0; a < 3; ++a) {
        lower[a] = s->range.lower[a] + rest % s->bricks[a] * BRICK;
        upper[a] = lower[a] + BRICK < s->range.upper[a] ? lower[a] + BRICK : s->range.upper[a];
        rest /= s->bricks[a];
    }
    double centre[3];
    place(centre, s->g, 0.5 * (lower[0] + upper[0] - 1), 0.5 * (lower[1] + upper[1] - 1),
          0.5 * (lower[2] + upper[2] - 1));
    const double radius = 0.5 * (BRICK - 1) * sqrt((double)b->dim) * s->g->dx;
    const double middle = obstacles_distance(s->solids, s->count, centre, NULL);
    const int far = fabs(middle) > radius + band;
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) {
                double x[3];
                place(x, s->g, i, j, k);
                double d = far ? middle : obstacles_distance(s->solids, s->count, x, NULL);
                d = fmax(-band, fmin(band, d));
                const ptrdiff_t n = box_at(b, i, j, k);
                s->node_phi[n] = s->keep ? fminf(s->keep[n], (float)d) : (float)d;
            }
}

void solids_distance(float *node_phi, const float *keep, const mac_grid *g, const obstacle *solids,
                     int count) {
    job s = {.g = g, .solids = solids, .count = count, .node_phi = node_phi, .keep = keep};
    s.range = range_grow(range_nodes(g), g, GHOST);
    for (int a = 0; a < g->box.dim; ++a) s.range.upper[a] -= 1; /* the layout's last node */
    int bricks = 1;
    for (int a = 0; a < 3; ++a) {
        s.bricks[a] = block_count(s.range.upper[a] - s.range.lower[a], BRICK);
        bricks *= s.bricks[a];
    }
    parallel_for(g->pool, bricks, brick_task, &s);
}

/* The corners of a face in the order that fraction_square wants; the two axes other than the face's own. */
static float open_share(const float *phi, const box *b, ptrdiff_t n, int axis) {
    const ptrdiff_t p = b->step[(axis + 1) % 3], q = b->step[(axis + 2) % 3];
    if (b->dim == 2) {
        const float v[2] = {phi[n], phi[n + b->step[1 - axis]]};
        if (v[0] > 0 && v[1] > 0) return 1;
        return (float)fraction_segment((double)v[0], (double)v[1]);
    }
    const double v[4] = {(double)phi[n], (double)phi[n + p], (double)phi[n + q], (double)phi[n + p + q]};
    if (v[0] > 0 && v[1] > 0 && v[2] > 0 && v[3] > 0) return 1;
    return (float)fraction_square(v);
}

static void open_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int a = s->axis;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(b, i, j, k);
            const int at = a == 0 ? i : a == 1 ? j : k;
            float open = open_share(s->phi, b, n, a);
            if ((at == 0 && !s->o->open_wall[2 * a]) || (at == b->n[a] && !s->o->open_wall[2 * a + 1]))
                open = 0;
            s->o->open.value[a][n] = open < OPEN_MIN ? 0 : open;
        }
    }
}

void solids_open_faces(openings *o, const mac_grid *g, const float *node_phi) {
    job s = {.g = g, .phi = node_phi, .o = o};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), open_task, &s);
    }
}

/* Velocity of the nearest solid at a place in cells; 0 for static ones and where none is near. */
static void wall_velocity(double u[3], const job *s, double i, double j, double k) {
    double x[3];
    int nearest = 0;
    u[0] = u[1] = u[2] = 0;
    place(x, s->g, i, j, k);
    if (obstacles_distance(s->solids, s->count, x, &nearest) < s->g->dx &&
        s->solids[nearest].def->motion != RHEO_STATIC)
        placement_velocity(u, &s->solids[nearest].now, x);
}

static void velocity_task(void *context, int block) {
    const job *s = context;
    const int a = s->axis;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            double u[3] = {0, 0, 0};
            if (s->o->open.value[a][n] < 1)
                wall_velocity(u, s, i + (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
            s->o->wall.value[a][n] = (float)u[a];
        }
    }
}

/* The domain's own walls stand still whatever solid is near. */
static void still_walls(openings *o, const mac_grid *g, int axis) {
    cell_range r = range_faces(g, axis);
    for (int side = 0; side < 2; ++side) {
        if (o->open_wall[2 * axis + side]) continue;
        r.lower[axis] = side ? g->box.n[axis] : 0;
        r.upper[axis] = r.lower[axis] + 1;
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i)
                    o->wall.value[axis][box_at(&g->box, i, j, k)] = 0;
    }
}

void solids_wall_velocity(openings *o, const mac_grid *g, const obstacle *solids, int count) {
    job s = {.g = g, .solids = solids, .count = count, .o = o};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), velocity_task, &s);
        still_walls(o, g, s.axis);
    }
}

/* Half-cells (octants) around a cell as particles fill them, one each, and how far one reaches the mean of
 * the cell's faces: trilinear weights 1/4 3/4 3/4 1/4 across an axis from a face, averaged over the faces of
 * a cell. */
INLINE float octant_open(const mac_grid *g, const float *node_phi, const uint8_t closed[6],
                         const float x[3]) {
    for (int a = 0; a < g->box.dim; ++a)
        if ((x[a] < 0 && closed[2 * a]) || (x[a] > (float)g->box.n[a] && closed[2 * a + 1])) return 0;
    const float d = sample_nodes(node_phi, g, x) / (float)(0.5 * g->dx); /* in widths of an octant */
    return d > 0.5f ? 1 : d < -0.5f ? 0 : d + 0.5f;
}

static float reach(const float d[3], int dim) {
    float sum = 0;
    for (int face = 0; face < 2 * dim; ++face) {
        float w = 1;
        for (int a = 0; a < dim; ++a) {
            const float shift = a == face / 2 ? (face % 2 ? 0.5f : -0.5f) : 0;
            const float t = 1 - fabsf(d[a] - shift);
            w *= t > 0 ? t : 0;
        }
        sum += w;
    }
    return sum;
}

/* The octants within reach of a cell's density: where they are from its centre, and their weights, which add
 * up to 1. */
static void list_octants(octant_list *list, int dim) {
    float all = 0;
    list->count = 0;
    for (int o = 0; o < (dim == 3 ? SIDE * SIDE * SIDE : SIDE * SIDE); ++o) {
        const int at[3] = {o % SIDE, o / SIDE % SIDE, o / (SIDE * SIDE)};
        float d[3] = {0, 0, 0};
        for (int a = 0; a < dim; ++a) d[a] = 0.5f * (float)at[a] - 1.25f;
        const float w = reach(d, dim);
        if (w <= 0) continue;
        for (int a = 0; a < 3; ++a) list->offset[list->count][a] = d[a];
        list->weight[list->count++] = w;
        all += w;
    }
    for (int o = 0; o < list->count; ++o) list->weight[o] /= all;
}

static float room_of_cell(const job *s, const int c[3]) {
    uint8_t closed[6];
    float open = 0;
    for (int w = 0; w < 6; ++w) closed[w] = !s->open->open_wall[w];
    for (int o = 0; o < s->octants->count; ++o) {
        float x[3] = {0, 0, 0};
        for (int a = 0; a < s->g->box.dim; ++a) x[a] = (float)c[a] + 0.5f + s->octants->offset[o][a];
        open += s->octants->weight[o] * octant_open(s->g, s->phi, closed, x);
    }
    return open;
}

/* Whether solids or closed walls are within reach of a cell. */
static int is_confined(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    for (int a = 0; a < b->dim; ++a)
        if ((c[a] < 1 && !s->open->open_wall[2 * a]) ||
            (c[a] >= b->n[a] - 1 && !s->open->open_wall[2 * a + 1]))
            return 1;
    return (double)s->phi[box_at(b, c[0], c[1], c[2])] <
           3.2 * s->g->dx; /* the low corner: 1.5 sqrt(3) and a corner's half */
}

static void room_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const int c[3] = {i, j, k};
            s->room[box_at(&s->g->box, i, j, k)] = is_confined(s, c) ? room_of_cell(s, c) : 1;
        }
    }
}

void solids_room(float *room, const mac_grid *g, const float *node_phi, const openings *o) {
    octant_list octants;
    list_octants(&octants, g->box.dim);
    job s = {.g = g, .phi = node_phi, .open = o, .room = room, .octants = &octants, .range = range_cells(g)};
    parallel_for(g->pool, range_blocks(&s.range), room_task, &s);
}

/* u - ((u - w) . n) n at a face inside a solid, n the solid's outward normal; one component of it. */
static float slide(const job *s, int i, int j, int k, ptrdiff_t n) {
    const mac_grid *g = s->g;
    const int dim = g->box.dim, a = s->axis;
    const float x[3] = {(float)i + (a != 0) * 0.5f, (float)j + (a != 1) * 0.5f, (float)k + (a != 2) * 0.5f};
    float normal[3], u[3], size = 0;
    for (int d = 0; d < dim; ++d) {
        float p[3] = {x[0], x[1], x[2]}, m[3] = {x[0], x[1], x[2]};
        p[d] += 0.5f;
        m[d] -= 0.5f;
        normal[d] = sample_nodes(s->phi, g, p) - sample_nodes(s->phi, g, m);
        size += normal[d] * normal[d];
    }
    if (!(size > 0)) return s->u->value[a][n];
    sample_faces(u, s->u, g, x);
    double wall[3];
    wall_velocity(wall, s, x[0], x[1], x[2]);
    float into = 0;
    for (int d = 0; d < dim; ++d) into += (u[d] - (float)wall[d]) * normal[d];
    return u[a] - (into < 0 ? into * normal[a] / size : 0);
}

/* A face inside a solid, but within reach of particles outside of it. */
INLINE int is_buried(const job *s, ptrdiff_t n) {
    return s->open->open.value[s->axis][n] <= 0 && s->phi[n] > -(float)((GHOST - 1) * s->g->dx);
}

static void slide_task(void *context, int block) {
    const job *s = context;
    const int a = s->axis;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (!is_buried(s, n)) continue;
            if (s->no_slip) s->scratch[a][n] = s->open->wall.value[a] ? s->open->wall.value[a][n] : 0;
            else s->scratch[a][n] = slide(s, i, j, k, n);
        }
    }
}

static void copy_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (is_buried(s, n)) s->u->value[s->axis][n] = s->scratch[s->axis][n];
        }
    }
}

void solids_constrain(mac_field *u, float *const scratch[3], const mac_grid *g, const openings *o,
                      const float *node_phi, const obstacle *solids, int count, int no_slip) {
    job s = {.g = g, .phi = node_phi, .open = o, .u = u, .scratch = scratch, .no_slip = no_slip};
    s.solids = solids;
    s.count = count;
    for (int round = 0; round < 2; ++round) /* all components are read before one is written */
        for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
            s.range = range_faces(g, s.axis);
            s.range.lower[s.axis] += 1; /* the domain's own sides keep what the projection gave them */
            s.range.upper[s.axis] -= 1;
            parallel_for(g->pool, range_blocks(&s.range), round ? copy_task : slide_task, &s);
        }
}
