/* Solids on the grid. Distances live at nodes so that the open share of a face follows from its own corners
 * (Batty et al. 2007; areas as in Wang 2017, 2.5) and is the same for both cells that share it.
 *
 * Distances are evaluated exactly only near a surface: a brick of 4^dim nodes whose centre is farther away
 * than its radius plus the band cannot hold a zero, because distances are 1-Lipschitz. What static solids do
 * to a field is kept; moving ones are added to a copy of it, each only as far as it reaches. */
#include "stage/solids.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"
#include "geom/fractions.h"
#include "grid/room.h"
#include "grid/rows.h"
#include "grid/sample.h"
#include "grid/wrap.h"

enum { BRICK = 4 }; /* nodes along an axis */

struct mover_faces;

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
    const room_weights *weights;
    mac_field *u;
    float *const *scratch;
    cell_range range;
    int bricks[3];
    int axis, no_slip;
    void (*on_row)(const struct mover_faces *m, int j, int k);
} job;

static void place(double x[3], const mac_grid *g, double i, double j, double k) {
    x[0] = g->origin[0] + g->dx * i;
    x[1] = g->origin[1] + g->dx * j;
    x[2] = g->box.dim == 3 ? g->origin[2] + g->dx * k : g->origin[2] + 0.5 * g->dx;
}

/* A ball around a solid, in cells; infinite where it has no end. */
typedef struct {
    double middle[3], radius;
} ball;

static ball ball_around(const mac_grid *g, const obstacle *o) {
    ball all = {.radius = INFINITY};
    const double *middle = o->now.position;
    if (o->def->inside_fluid) return all;
    if (o->body) {
        middle = o->body->now->position;
        all.radius = o->body->radius;
    } else {
        double centre[3], lower[3], upper[3], square = 0;
        shape_bounds(lower, upper, o->shape);
        shape_centre(centre, o->shape);
        for (int a = 0; a < g->box.dim; ++a) {
            const double side = fmax(upper[a] - centre[a], centre[a] - lower[a]);
            square += side * side;
        }
        all.radius = sqrt(square);
    }
    all.radius = isfinite(all.radius) ? all.radius / g->dx : INFINITY;
    for (int a = 0; a < g->box.dim; ++a) all.middle[a] = (middle[a] - g->origin[a]) / g->dx;
    return all;
}

/* The part of a range (cells, faces or nodes) that lies within `beyond` cells of a ball around a solid. */
static cell_range within_reach(cell_range r, const mac_grid *g, const obstacle *o, double beyond) {
    const ball all = ball_around(g, o);
    if (!isfinite(all.radius)) return r;
    for (int a = 0; a < g->box.dim; ++a) {
        const double low = floor(all.middle[a] - all.radius - beyond) - 1,
                     high = ceil(all.middle[a] + all.radius + beyond) + 1;
        if (low > r.lower[a]) r.lower[a] = low < r.upper[a] ? (int)low : r.upper[a];
        if (high < r.upper[a]) r.upper[a] = high > r.lower[a] ? (int)high : r.lower[a];
    }
    return r;
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
    const double middle = obstacles_thick_distance(s->solids, s->count, centre);
    const int far = fabs(middle) > radius + band;
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) {
                double x[3];
                place(x, s->g, i, j, k);
                double d = far ? middle : obstacles_thick_distance(s->solids, s->count, x);
                d = fmax(-band, fmin(band, d));
                const ptrdiff_t n = box_at(b, i, j, k);
                s->node_phi[n] = s->keep ? fminf(s->node_phi[n], (float)d) : (float)d;
            }
}

static void distance_in(job *s) {
    int bricks = 1;
    for (int a = 0; a < 3; ++a) {
        s->bricks[a] = block_count(s->range.upper[a] - s->range.lower[a], BRICK);
        bricks *= s->bricks[a];
    }
    if (bricks > 0) parallel_for(s->g->pool, bricks, brick_task, s);
}

void solids_distance(float *node_phi, const float *keep, const mac_grid *g, const obstacle *solids,
                     int count) {
    job s = {.g = g, .solids = solids, .count = count, .node_phi = node_phi, .keep = keep};
    cell_range all = range_grow(range_nodes(g), g, GHOST);
    for (int a = 0; a < g->box.dim; ++a) all.upper[a] -= 1; /* the layout's last node */
    s.range = all;
    if (!keep) {
        distance_in(&s);
        wrap_field(node_phi, g);
        return;
    }
    if (keep != node_phi) memcpy(node_phi, keep, g->box.size * sizeof *node_phi);
    for (int i = 0; i < count; ++i) {
        s.solids = &solids[i];
        s.count = 1;
        s.range = within_reach(all, g, &solids[i], SOLID_BAND);
        distance_in(&s);
    }
    wrap_field(node_phi, g);
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

/* Whether a face lies on a closed side of the domain, which stands still whatever solid is near. */
INLINE int is_on_side(const job *s, int axis, int at) {
    return (at == 0 && !s->o->open_wall[2 * axis]) ||
           (at == s->g->box.n[axis] && !s->o->open_wall[2 * axis + 1]);
}

/* The faces of one axis that a moving solid may close: those whose centres are within a cell of it. */
typedef struct mover_faces {
    const job *s;
    const obstacle *solid;
    int mover, axis;
    cell_range range;
    ball around;
} mover_faces;

static void mover_row(int from_to[2], const mover_faces *m, int j, int k) {
    row_in_ball(from_to, &m->range, m->s->g->box.dim, m->axis, j, k, m->around.middle, m->around.radius + 1);
}

/* It is the nearest, and within a cell. */
static void mover_on_row(const mover_faces *m, int j, int k) {
    const job *s = m->s;
    const int a = m->axis;
    int span[2];
    mover_row(span, m, j, k);
    for (int i = span[0]; i < span[1]; ++i) {
        const ptrdiff_t n = box_at(&s->g->box, i, j, k);
        if (s->o->open.value[a][n] >= 1 || is_on_side(s, a, a == 0 ? i : a == 1 ? j : k)) continue;
        double x[3];
        place(x, s->g, i + (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
        const double d = obstacle_distance(m->solid, x);
        if (d < s->g->dx && obstacle_is_nearest(s->solids, s->count, m->mover, x, d))
            s->o->mover[a][n] = (uint16_t)(1 + m->mover);
    }
}

/* The velocity of a rigid motion is linear along a row. */
static void velocity_on_row(const mover_faces *m, int j, int k) {
    const job *s = m->s;
    const int a = m->axis;
    const placement *now = &m->solid->now;
    double x[3];
    int span[2];
    mover_row(span, m, j, k);
    place(x, s->g, (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
    const int p = (a + 1) % 3, q = (a + 2) % 3;
    const double base = now->velocity[a] + now->spin[p] * (x[q] - now->position[q]) -
                        now->spin[q] * (x[p] - now->position[p]);
    const double slope = s->g->dx * (q == 0 ? now->spin[p] : p == 0 ? -now->spin[q] : 0);
    const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
    const uint16_t *mover = s->o->mover[a] + row, me = (uint16_t)(1 + m->mover);
    float *wall = s->o->wall.value[a] + row;
    for (int i = span[0]; i < span[1]; ++i)
        if (mover[i] == me) wall[i] = (float)(base + slope * i);
}

/* A task is a part of the rows of one solid across one axis. */
enum { MOVER_PARTS = 4 };

static void mover_task(void *context, int task) {
    const job *s = context;
    const int mover = task / (MOVER_PARTS * s->g->box.dim), part = task % MOVER_PARTS;
    mover_faces m = {.s = s, .solid = &s->solids[mover], .mover = mover};
    if (m.solid->def->motion == RHEO_STATIC) return;
    m.axis = task / MOVER_PARTS % s->g->box.dim;
    m.around = ball_around(s->g, m.solid);
    m.range = within_reach(range_faces(s->g, m.axis), s->g, m.solid, 1);
    const int rows = range_rows(&m.range), high = m.range.upper[1] - m.range.lower[1];
    for (int row = rows * part / MOVER_PARTS; row < rows * (part + 1) / MOVER_PARTS; ++row)
        s->on_row(&m, m.range.lower[1] + row % high, m.range.lower[2] + row / high);
}

/* Over the faces within reach of each moving solid; a face is at most one's. */
static void each_mover(job *s, void (*on_row)(const mover_faces *m, int j, int k)) {
    s->on_row = on_row;
    parallel_for(s->g->pool, s->count * s->g->box.dim * MOVER_PARTS, mover_task, s);
}

void solids_movers(openings *o, const mac_grid *g, const obstacle *solids, int count) {
    job s = {.g = g, .solids = solids, .count = count, .o = o};
    for (int a = 0; a < g->box.dim; ++a) {
        memset(o->wall.value[a], 0, g->box.size * sizeof(float));
        memset(o->mover[a], 0, g->box.size * sizeof *o->mover[a]);
    }
    each_mover(&s, mover_on_row);
}

void solids_wall_velocity(openings *o, const mac_grid *g, const obstacle *solids, int count) {
    job s = {.g = g, .solids = solids, .count = count, .o = o};
    each_mover(&s, velocity_on_row);
}

int openings_make_movers(openings *o, const mac_grid *g) {
    if (mac_field_make(&o->wall, g)) return -1;
    o->mover[0] = mem_alloc((size_t)g->box.dim * g->box.size * sizeof *o->mover[0]);
    for (int a = 1; a < g->box.dim && o->mover[0]; ++a) o->mover[a] = o->mover[0] + (size_t)a * g->box.size;
    return o->mover[0] ? 0 : -1;
}

void openings_free_movers(openings *o) {
    mac_field_free(&o->wall);
    mem_free(o->mover[0]);
    for (int a = 0; a < 3; ++a) o->mover[a] = NULL;
}

/* Whether closed sides of the domain are within reach of a cell. */
INLINE int is_beside_wall(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    for (int a = 0; a < b->dim; ++a)
        if ((c[a] < 1 && !s->open->open_wall[2 * a]) ||
            (c[a] >= b->n[a] - 1 && !s->open->open_wall[2 * a + 1]))
            return 1;
    return 0;
}

/* The room of a cell that solids cannot share: its octants are within 1.64 cells of its centre and open or
 * closed beyond a quarter; its corners are 0.87 away, and distances are 1-Lipschitz. -1 for one that they
 * can. */
INLINE float room_at_once(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    const float *corner = s->phi + box_at(b, c[0], c[1], c[2]), enough = 2.77f * (float)s->g->dx;
    float least = corner[0], most = corner[0];
    for (int n = 1; n < 1 << b->dim; ++n) {
        const float phi = corner[(n & 1) + (n >> 1 & 1) * b->step[1] + (n >> 2) * b->step[2]];
        least = lesser(phi, least);
        most = greater(phi, most);
    }
    return least < -enough ? 0 : most > enough ? 1 : -1;
}

/* What no moving solid can share is as still ones left it: in `room` already, where that was found. */
static void room_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const int c[3] = {i, j, k};
            float *room = s->room + box_at(&s->g->box, i, j, k);
            const float at_once = room_at_once(s, c);
            if (at_once <= 0) *room = at_once < 0 ? room_of_cell(s->weights, s->g, s->phi, s->open, c) : 0;
            else if (!s->keep)
                *room = is_beside_wall(s, c) ? room_of_cell(s->weights, s->g, s->phi, s->open, c) : 1;
        }
    }
}

void solids_room(float *room, const float *keep, const mac_grid *g, const float *node_phi, const openings *o,
                 const obstacle *solids, int count) {
    room_weights weights;
    room_list_weights(&weights, g->box.dim);
    job s = {.g = g, .phi = node_phi, .open = o, .room = room, .weights = &weights, .range = range_cells(g)};
    if (!keep) {
        parallel_for(g->pool, range_blocks(&s.range), room_task, &s);
        return;
    }
    memcpy(room, keep, g->box.size * sizeof *room);
    s.keep = keep;
    for (int i = 0; i < count; ++i) {
        s.range = within_reach(range_cells(g), g, &solids[i], SOLID_BAND);
        parallel_for(g->pool, range_blocks(&s.range), room_task, &s);
    }
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
    double wall[3] = {0, 0, 0}, at[3];
    const int mover = s->open->mover[a] ? s->open->mover[a][n] : 0;
    place(at, g, (double)x[0], (double)x[1], (double)x[2]);
    if (mover) placement_velocity(wall, &s->solids[mover - 1].now, at);
    float into = 0;
    for (int d = 0; d < dim; ++d) into += (u[d] - (float)wall[d]) * normal[d];
    return u[a] - (into < 0 ? into * normal[a] / size : 0);
}

/* A face inside a solid, but within reach of particles outside of it. */
INLINE int is_buried(const job *s, ptrdiff_t n) {
    return (s->open->open.value[s->axis][n] <= 0) & (s->phi[n] > -(float)((GHOST - 1) * s->g->dx));
}

/* Most rows have none. */
HOT static int is_buried_row(const job *s, int j, int k) {
    const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
    int any = 0;
    for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) any |= is_buried(s, row + i);
    return any;
}

static void slide_task(void *context, int block) {
    const job *s = context;
    const int a = s->axis;
    FOR_ROWS(&s->range, block, j, k) {
        if (!is_buried_row(s, j, k)) continue;
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
        if (!is_buried_row(s, j, k)) continue;
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
