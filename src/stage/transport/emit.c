/* Liquid that is put in: seeding shapes with particles, one an octant (Sommer 2018: 8 a cell, jittered), and
 * emitters while they run.
 *
 *   new liquid = what enters the open part of the shape through its surface at v:  integral of v A dt
 *   div u = v . grad(share of the shape) where that is positive, 0 elsewhere
 *
 * To a pressure solve an emitter is the second line with its faces known: the share of a face that lies in
 * the shape is closed and moves at v. The net flow of those shares out of a cell is positive where liquid
 * enters, zero inside, and negative where it leaves, which is the liquid's own business.
 *
 * Where the liquid runs into a solid or a closed side it must turn aside. Driven up to there it could not:
 * what the last cells are given would leave them through whatever is open, however little (39 m/s of 3), or
 * not at all. So what lies less than a gap before such a wall, along v, is left to the pressure. The gap is
 * half the shortest side of the shape, or of the part of a union: in the plane what comes 2 r wide at v
 * leaves to both sides, r high, at v.
 *
 * Particles come in on a lattice of octants that moves with the liquid: a point is put in when it enters the
 * shape, once, as every place of the lattice is the way s(t) = integral of v dt from its start, exact for
 * keyed velocities and clipped to the time that the emitter runs (no state: s is a function of time). So what
 * was put in differs from v A t by less than a layer of octants, at any step.
 *
 * Limits: an emitter shorter than a cell along v is no source to the pressure; its particles are emitted all
 * the same; to it a round emitter's area is cut straight: 3 % short at 2.6 cells of radius, second order.
 * Within a step the way is straight. Solids thinner than a cell do not shorten what is driven. */
#include "stage/transport/emit.h"

#include <math.h>
#include "geom/fractions.h"
#include "grid/sample.h"
#include "particle/seed.h"
#include "solid/curve.h"

#define DOMAIN_EDGE 1e-3  /* cells from the domain's sides */
#define OFF_WALL    0.25  /* cells: ways begin no closer to walls, so that one along a wall is free */
#define AT_WALL     0.9   /* of the way out of a wall: how much a fill that ends there gains of depth */
#define OWED_COUNTS 0.1   /* of an octant's share: what cut fills have put in less than they hold so far */
#define LEFT_MIN    1e-3f /* of a face: less open than that beside an emitter is closed */

typedef struct {
    const shape *s;
    const mac_grid *g;
    const float *solid;
    double back[3]; /* m: the way of a candidate in this step */
    float owed;     /* share of octants cut by solids that is still to be filled */
    double vacancy; /* particles that still fit */
    int64_t rejected, refused;
} judge;

double emit_runs(const rheo_emitter *e, double time, double dt) {
    return fmax(0, fmin(time + dt, e->during[1]) - fmax(time, e->during[0]));
}

/* The way of an emitter's liquid since it began, m. */
static void way_until(double way[3], const rheo_emitter *e, double time) {
    const double began = e->during[0], now = fmin(time, e->during[1]);
    curve_mean(way, &e->velocity, began, now);
    for (int a = 0; a < 3; ++a) way[a] = now > began ? way[a] * (now - began) : 0;
}

/* One axis for all the emitter's time: the lattice must not change under it. */
static int main_axis(const rheo_curve *velocity) {
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < velocity->count; ++i)
        for (int a = 0; a < 3; ++a) sum[a] += fabs(velocity->values[3 * i + a]);
    return sum[0] >= sum[1] && sum[0] >= sum[2] ? 0 : sum[1] >= sum[2] ? 1 : 2;
}

emitter_step emit_step(const rheo_emitter *e, double time, double dt) {
    emitter_step step = {.runs = emit_runs(e, time, dt), .axis = main_axis(&e->velocity)};
    if (!(step.runs > 0)) return step;
    step.begins = time <= e->during[0];
    curve_mean(step.velocity, &e->velocity, fmax(time, e->during[0]), fmin(time + dt, e->during[1]));
    way_until(step.from, e, time);
    way_until(step.to, e, time + dt);
    return step;
}

static int is_in_domain(const judge *j, const double x[3]) {
    for (int a = 0; a < j->g->box.dim; ++a) {
        const double cells = (x[a] - j->g->origin[a]) / j->g->dx;
        if (cells < DOMAIN_EDGE || cells > j->g->box.n[a] - DOMAIN_EDGE) return 0;
    }
    return 1;
}

/* The middle of the octant that a place lies in. A fill is judged there: with the jitter, a level near the
 * middles of a layer would take about half of its octants at random. */
static void middle_of_octant(double x[3], const mac_grid *g, const double place[3]) {
    const double octant = 0.5 * g->dx;
    for (int a = 0; a < 3; ++a)
        x[a] = a < g->box.dim ? g->origin[a] + octant * (floor((place[a] - g->origin[a]) / octant) + 0.5)
                              : place[a];
}

static float solid_distance(const judge *j, const double x[3]) {
    float cells[3];
    for (int a = 0; a < 3; ++a) cells[a] = (float)((x[a] - j->g->origin[a]) / j->g->dx);
    return sample_nodes(j->solid, j->g, cells);
}

/* The direction away from the solid; returns its length, 0 where there is none. */
static double way_from_solid(double n[3], const judge *j, const double x[3]) {
    const double step = OFF_WALL * j->g->dx;
    double size = 0;
    n[0] = n[1] = n[2] = 0;
    for (int a = 0; a < j->g->box.dim; ++a) {
        double high[3] = {x[0], x[1], x[2]}, low[3] = {x[0], x[1], x[2]};
        high[a] += step;
        low[a] -= step;
        n[a] = (double)(solid_distance(j, high) - solid_distance(j, low));
        size += n[a] * n[a];
    }
    return sqrt(size);
}

/* Whether the way out of the solid along its distance leads into the open: not between two solids that touch,
 * where liquid has no place. */
static int has_way_out(const judge *j, const double place[3]) {
    enum { AIM_TRIES = 3 };
    const double step = OFF_WALL * j->g->dx;
    double n[3], x[3] = {place[0], place[1], place[2]};
    for (int t = 0; t < AIM_TRIES; ++t) {
        const double depth = -(double)solid_distance(j, x);
        if (depth < 0) return 1;
        const double size = way_from_solid(n, j, x);
        for (int a = 0; a < j->g->box.dim && size > 0; ++a) x[a] += (depth + 0.5 * step) * n[a] / size;
    }
    return solid_distance(j, x) > 0;
}

/* Whether a fill ends at the wall that x lies in, and so reaches as far as the wall lets it: out of the wall
 * its distance falls as the wall's grows. One that ends on its own near a wall does not do that. */
static int ends_at_wall(const judge *j, const double x[3], double outside) {
    const double depth = -(double)solid_distance(j, x), step = OFF_WALL * j->g->dx;
    double n[3], out[3];
    if (!(depth > 0) || outside > depth + step) return 0;
    const double size = way_from_solid(n, j, x), way = depth + step;
    for (int a = 0; a < 3; ++a) out[a] = x[a] + (size > 0 ? way * n[a] / size : 0);
    const double inside = -shape_distance(j->s, out);
    return inside > 0 && outside + inside > AT_WALL * way;
}

/* Of an octant cut by a wall only a share is open. Filling it whole or not at all would raise or lower the
 * liquid along the wall and start waves: as many octants are filled as the shares add up to. A particle that
 * lands in the wall is moved out by the next step. */
static int accept_fill(void *context, const double place[3]) {
    judge *j = context;
    double x[3];
    middle_of_octant(x, j->g, place);
    const double outside = shape_distance(j->s, x);
    if (!is_in_domain(j, x)) return 0;
    if (outside >= 0 && !(j->solid && ends_at_wall(j, x, outside))) return 0;
    if (!j->solid) return 1;
    const float share = 0.5f + solid_distance(j, x) / (float)(0.5 * j->g->dx);
    if (share >= 1) return 1;
    if (share > 0 && !has_way_out(j, x)) {
        ++j->rejected;
        return 0;
    }
    j->owed += share > 0 ? share : 0;
    if (share > 0 && j->owed >= 0.5f) {
        j->owed -= 1;
        return 1;
    }
    ++j->rejected;
    return 0;
}

/* Where a fill cuts octants by volume: of an octant's points these lie in it. Returns their share, and their
 * middle. */
static double share_of_octant(double middle[3], const judge *j, const double x[3]) {
    enum { POINTS = 4 }; /* along an axis */
    const double octant = 0.5 * j->g->dx, step = octant / POINTS, far = octant * sqrt(j->g->box.dim) / 2;
    const int deep = j->g->box.dim == 3 ? POINTS : 1, all = POINTS * POINTS * deep;
    const double d = shape_distance(j->s, x);
    double sum[3] = {0, 0, 0};
    int inside = 0;
    for (int a = 0; a < 3; ++a) middle[a] = x[a];
    if (fabs(d) > far) return d < 0;
    for (int n = 0; n < all; ++n) {
        const int place[3] = {n % POINTS, n / POINTS % POINTS, n / (POINTS * POINTS)};
        double at[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < j->g->box.dim; ++a) at[a] += step * (place[a] + 0.5 - 0.5 * POINTS);
        if (shape_distance(j->s, at) >= 0) continue;
        ++inside;
        for (int a = 0; a < 3; ++a) sum[a] += at[a];
    }
    for (int a = 0; a < 3 && inside; ++a) middle[a] = sum[a] / inside;
    return (double)inside / all;
}

/* The share at which the octant around x is filled: evenly spread over neighbours in any direction (three
 * powers of the root of t^4 = t + 1). */
static double share_wanted(const judge *j, const double x[3]) {
    static const double turn[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    double sum = 0.5;
    for (int a = 0; a < j->g->box.dim; ++a) sum += turn[a] * floor(2 * (x[a] - j->g->origin[a]) / j->g->dx);
    return sum - floor(sum);
}

/* A fill cut by volume: as many octants are filled along its surface as their shares add up to, and what is
 * owed so far decides too, so that they do add up. */
static int accept_cut(void *context, const double place[3]) {
    judge *j = context;
    double x[3], middle[3];
    middle_of_octant(x, j->g, place);
    if (!is_in_domain(j, x)) return 0;
    const double outside = shape_distance(j->s, x);
    double share = share_of_octant(middle, j, x);
    if (j->solid) {
        const double room = 0.5 + (double)solid_distance(j, x) / (0.5 * j->g->dx);
        if (outside >= 0 && ends_at_wall(j, x, outside)) share = 1;
        if (share > 0 && room < 1 && !(room > 0 && has_way_out(j, x))) {
            ++j->rejected;
            return 0;
        }
        share *= fmin(room, 1);
    }
    const int filled =
        share >= 1 || (share > 0 && share + OWED_COUNTS * (double)j->owed > share_wanted(j, x));
    j->owed += (float)(share - filled);
    return filled;
}

/* Particles of octants that a fill cuts move to the middle of what lies in it. */
static void move_into_cut(particles *p, size_t from, const judge *j) {
    for (size_t q = from; q < p->count; ++q) {
        double place[3] = {0, 0, j->g->origin[2]}, x[3], middle[3];
        for (int a = 0; a < p->dim; ++a) place[a] = j->g->origin[a] + j->g->dx * (double)p->x[a][q];
        middle_of_octant(x, j->g, place);
        const double share = share_of_octant(middle, j, x);
        if (share <= 0 || share >= 1) continue;
        for (int a = 0; a < p->dim; ++a) p->x[a][q] = (float)((middle[a] - j->g->origin[a]) / j->g->dx);
    }
}

static int is_open(const judge *j, const double x[3]) {
    return is_in_domain(j, x) && !(j->solid && solid_distance(j, x) < 0);
}

/* In the part of the shape that liquid can fill: an emitter may begin inside a nozzle or beyond a side. */
static int is_in_open_part(const judge *j, const double x[3]) {
    return shape_distance(j->s, x) < 0 && is_open(j, x);
}

/* Whether the way back through this step leads into the shape's open part, and through nothing else that is
 * not open: steps of the distance, within which the shape is not. */
static int comes_from_open_part(const judge *j, const double x[3]) {
    const double least = 0.02 * j->g->dx, *v = j->back;
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (double gone = 0; gone <= length;) {
        const double share = gone / length;
        const double at[3] = {x[0] - share * v[0], x[1] - share * v[1], x[2] - share * v[2]};
        const double d = shape_distance(j->s, at);
        if (gone + d > length || !is_open(j, at)) return 0;
        if (d < 0) return 1;
        gone += fmax(d, least);
    }
    return 0;
}

/* In the shape now or since the step began, but not when it began. What comes through a short shape within
 * the step is as far beyond it as it has gone. */
static int accept_inflow(void *context, const double x[3]) {
    judge *j = context;
    const double before[3] = {x[0] - j->back[0], x[1] - j->back[1], x[2] - j->back[2]};
    if (!comes_from_open_part(j, x) || is_in_open_part(j, before)) return 0;
    j->refused += j->vacancy < 1;
    return (j->vacancy -= 1) >= 0;
}

void emit_touched_cells(int lower[3], int upper[3], const mac_grid *g, const shape *s) {
    double low[3], high[3];
    shape_bounds(low, high, s);
    for (int a = 0; a < 3; ++a) {
        const double from = floor((low[a] - g->origin[a]) / g->dx),
                     to = ceil((high[a] - g->origin[a]) / g->dx);
        lower[a] = from > 0 ? (int)fmin(from, g->box.n[a]) : 0;
        upper[a] = to < g->box.n[a] ? (int)fmax(to, 0) : g->box.n[a];
    }
    if (g->box.dim == 2) {
        lower[2] = 0;
        upper[2] = 1;
    }
}

emitter_reach emit_reach(const shape *s, const double velocity[3], const mac_grid *g, const openings *o,
                         const float *node_solid) {
    const double *v = velocity, speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    emitter_reach r = {.inlet = s, .solid = node_solid, .open_side = o->open_wall};
    for (int a = 0; a < g->box.dim; ++a) r.ahead[a] = speed > 0 ? v[a] / speed : 0;
    return r;
}

/* m, of the nozzle that a place is in: a union may be several. */
static double standoff_at(const emitter_reach *r, const mac_grid *g, const double x[3]) {
    double low[3], high[3], standoff = INFINITY;
    shape_part_bounds(low, high, r->inlet, x);
    for (int a = 0; a < g->box.dim; ++a)
        standoff = fmin(standoff, 0.5 * fmin(high[a] - low[a], g->dx * g->box.n[a]));
    return standoff;
}

/* How far it is along the liquid's way to a closed side of the domain, but no more than `most`. */
static double way_to_side(const emitter_reach *r, const mac_grid *g, const double x[3], double most) {
    double way = most;
    for (int a = 0; a < g->box.dim; ++a) {
        const int up = r->ahead[a] > 0;
        if (r->ahead[a] == 0 || g->box.periodic[a] || r->open_side[2 * a + up]) continue;
        const double low = x[a] - g->origin[a], left = up ? g->dx * g->box.n[a] - low : low;
        way = fmin(way, fmax(left, OFF_WALL * g->dx) / fabs(r->ahead[a]));
    }
    return way;
}

/* Moves a place that is in a solid, or beside one, a little out of it. */
static void step_off(double x[3], const judge *j) {
    const double step = OFF_WALL * j->g->dx, d = (double)solid_distance(j, x);
    double n[3];
    if (d >= step) return;
    const double size = way_from_solid(n, j, x);
    for (int a = 0; a < 3 && size > 0; ++a) x[a] += (step - d) * n[a] / size;
}

/* The same to a solid: steps of the distance, within which there is none. */
static double way_to_solid(const emitter_reach *r, const mac_grid *g, const double x[3], double most) {
    const judge j = {.g = g, .solid = r->solid};
    const double least = OFF_WALL * g->dx;
    double from[3] = {x[0], x[1], x[2]}, step = 0, before = g->dx;
    step_off(from, &j);
    for (double gone = 0; gone < most; gone += step) {
        const double at[3] = {from[0] + gone * r->ahead[0], from[1] + gone * r->ahead[1],
                              from[2] + gone * r->ahead[2]};
        const double d = (double)solid_distance(&j, at);
        if (d <= 0) return gone - step * d / (d - before); /* where the line between the two is zero */
        before = d;
        step = fmax(d, least);
    }
    return most;
}

/* Negative where an emitter drives the liquid: in its shape, but not in the gap before a wall. */
static double driven_distance(const emitter_reach *r, const mac_grid *g, const double x[3]) {
    const double d = shape_distance(r->inlet, x);
    if (d >= 0 || !r->open_side) return d;
    const double standoff = standoff_at(r, g, x), most = standoff + g->dx, way = way_to_side(r, g, x, most);
    return fmax(d, standoff - (r->solid ? way_to_solid(r, g, x, way) : way));
}

/* Particles that are driven take the velocity; with `moved` they also move by it for a time, once. */
static void push_inside(particles *p, const mac_grid *g, const emitter_reach *r, const double velocity[3],
                        uint8_t *moved, double time) {
    int lower[3], upper[3];
    emit_touched_cells(lower, upper, g, r->inlet);
    if (lower[0] >= upper[0]) return;
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j) {
            const uint32_t from = p->cell_start[box_dense(&g->box, lower[0], j, k)];
            const uint32_t to = p->cell_start[box_dense(&g->box, upper[0] - 1, j, k) + 1];
            for (uint32_t q = from; q < to; ++q) {
                double x[3] = {0, 0, g->origin[2] + 0.5 * g->dx};
                for (int a = 0; a < p->dim; ++a) x[a] = g->origin[a] + g->dx * (double)p->x[a][q];
                if ((moved && moved[q]) || driven_distance(r, g, x) >= 0) continue;
                if (moved) moved[q] = 1;
                for (int a = 0; a < p->dim; ++a) {
                    p->v[a][q] = (float)velocity[a];
                    p->x[a][q] += moved ? (float)(velocity[a] * time / g->dx) : 0;
                }
            }
        }
}

void emit_carry(particles *p, uint8_t *moved, const mac_grid *g, const emitter_reach *r,
                const double velocity[3], double dt) {
    push_inside(p, g, r, velocity, moved, dt);
}

emission emit_fill(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                   const double velocity[3], int fluid, unsigned seed, const float *node_solid, int cut) {
    const size_t before = p->count;
    judge j = {.s = s, .g = g, .solid = node_solid};
    particles_seeding seeding = {
        .accept = cut ? accept_cut : accept_fill,
        .context = &j,
        .velocity = {velocity[0], velocity[1], velocity[2]},
        .fluid = (uint8_t)fluid,
        .seed = seed,
        .only_empty = p->count > 0,
    };
    emit_touched_cells(seeding.lower, seeding.upper, g, s);
    const long added = particles_seed(p, g, &seeding, next_id);
    if (cut) move_into_cut(p, before, &j);
    return (emission){.added = added, .rejected = j.rejected};
}

emission emit_begin(particles *p, uint32_t *next_id, const mac_grid *g, const shape *s,
                    const emitter_step *step, int fluid, unsigned seed, const float *node_solid) {
    const judge j = {.s = s, .g = g, .solid = node_solid};
    const size_t before = p->count;
    const emission e = emit_fill(p, next_id, g, s, step->velocity, fluid, seed, node_solid, 0);
    for (size_t q = before; q < p->count; ++q) {
        double x[3] = {0, 0, g->origin[2]};
        for (int a = 0; a < p->dim; ++a) x[a] = g->origin[a] + g->dx * (double)p->x[a][q] + step->to[a];
        if (!is_open(&j, x)) continue; /* what it runs into is the pressure's business */
        for (int a = 0; a < p->dim; ++a) p->x[a][q] += (float)(step->to[a] / g->dx);
    }
    return e;
}

emission emit_inflow(particles *p, uint32_t *next_id, const mac_grid *g, const emitter_reach *r,
                     const emitter_step *step, int fluid, unsigned seed, double vacancy) {
    judge j = {.s = r->inlet, .g = g, .solid = r->solid, .vacancy = vacancy};
    const double *velocity = step->velocity;
    moving_lattice lattice = {.axis = step->axis};
    particles_seeding seeding = {
        .accept = accept_inflow,
        .context = &j,
        .velocity = {velocity[0], velocity[1], velocity[2]},
        .fluid = (uint8_t)fluid,
        .seed = seed,
    };
    emit_touched_cells(seeding.lower, seeding.upper, g, r->inlet);
    if (vacancy > 0) push_inside(p, g, r, velocity, NULL, 0);
    for (int a = 0; a < p->dim; ++a) {
        lattice.moved[a] = step->to[a] / g->dx;
        j.back[a] = step->to[a] - step->from[a];
        const int way = (int)ceil(fmin(fabs(j.back[a]) / g->dx, g->box.n[a]));
        const int below = j.back[a] < 0 ? way : 0, above = j.back[a] > 0 ? way : 0;
        seeding.lower[a] = seeding.lower[a] > below ? seeding.lower[a] - below : 0;
        seeding.upper[a] = g->box.n[a] - seeding.upper[a] > above ? seeding.upper[a] + above : g->box.n[a];
    }
    if (j.back[0] == 0 && j.back[1] == 0 && j.back[2] == 0) return (emission){0};
    const long added = particles_seed_moving(p, g, &seeding, &lattice, next_id);
    return (emission){.added = added, .refused = j.refused};
}

void emit_velocity(mac_field *u, uint8_t *held, const mac_grid *g, const emitter_reach *r,
                   const double velocity[3]) {
    int lower[3], upper[3];
    emit_touched_cells(lower, upper, g, r->inlet);
    for (int axis = 0; axis < g->box.dim; ++axis)
        for (int k = lower[2]; k < upper[2]; ++k)
            for (int j = lower[1]; j < upper[1]; ++j)
                for (int i = lower[0]; i < upper[0]; ++i) {
                    const double at[3] = {i + 0.5 * (axis != 0), j + 0.5 * (axis != 1),
                                          k + 0.5 * (axis != 2)};
                    double x[3];
                    for (int a = 0; a < 3; ++a) x[a] = g->origin[a] + g->dx * at[a];
                    const ptrdiff_t face = box_at(&g->box, i, j, k);
                    if (driven_distance(r, g, x) >= 0) continue;
                    u->value[axis][face] = (float)velocity[axis];
                    if (held) held[face] |= (uint8_t)(1 << axis);
                }
}

/* The share of a face that is driven, from distances at the nodes. */
static double share_inside(const float *node, const box *b, int axis, ptrdiff_t n) {
    const ptrdiff_t one = b->step[(axis + 1) % b->dim], two = b->dim == 3 ? b->step[(axis + 2) % 3] : 0;
    const double corner[4] = {-(double)node[n], -(double)node[n + one], -(double)node[n + two],
                              -(double)node[n + one + two]};
    return b->dim == 3 ? fraction_square(corner) : fraction_segment(corner[0], corner[1]);
}

static void node_distances(float *node, const mac_grid *g, const emitter_reach *r, const int lower[3],
                           const int upper[3]) {
    const int last = upper[2] - (g->box.dim == 2);
    for (int k = lower[2]; k <= last; ++k)
        for (int j = lower[1]; j <= upper[1]; ++j)
            for (int i = lower[0]; i <= upper[0]; ++i) {
                const double x[3] = {g->origin[0] + g->dx * i, g->origin[1] + g->dx * j,
                                     g->origin[2] + g->dx * k};
                node[box_at(&g->box, i, j, k)] = (float)driven_distance(r, g, x);
            }
}

/* What the emitter takes of a face's open share: nothing beside a moving solid, which pushes for itself, and
 * no less than what shows in the share that is left. */
static float share_taken(const float *node, const openings *o, const box *b, int axis, ptrdiff_t n) {
    const float open = o->open.value[axis][n];
    if (!(open > 0) || (o->mover[axis] && o->mover[axis][n])) return 0;
    const float taken = fminf((float)share_inside(node, b, axis, n), open);
    return open - taken < open ? taken : 0;
}

static void add_source(float *source, const float *node, const box *b, const openings *o, ptrdiff_t c,
                       const double velocity[3]) {
    double sum = 0;
    for (int a = 0; a < b->dim; ++a)
        sum += velocity[a] *
               (double)(share_taken(node, o, b, a, c + b->step[a]) - share_taken(node, o, b, a, c));
    if (sum > 0) source[c] += (float)sum;
}

static void close_face(openings *driven, const openings *o, const float *node, const box *b, int axis,
                       ptrdiff_t n, double velocity) {
    const float taken = share_taken(node, o, b, axis, n);
    float *open = &driven->open.value[axis][n], *wall = &driven->wall.value[axis][n];
    const float left = *open - taken > LEFT_MIN ? *open - taken : 0;
    if (!(taken > 0 && left < *open)) return; /* another emitter may have closed it */
    *wall = ((1 - *open) * *wall + (*open - left) * (float)velocity) / (1 - left);
    *open = left;
}

/* The first and the last faces of a periodic axis are the same ones: as closed as the more closed of the two.
 */
static void match_sides(openings *driven, const mac_grid *g, int axis, const int lower[3],
                        const int upper[3]) {
    const box *b = &g->box;
    int from[3] = {lower[0], lower[1], lower[2]}, to[3] = {upper[0], upper[1], upper[2]};
    from[axis] = 0;
    to[axis] = 1;
    for (int k = from[2]; k < to[2]; ++k)
        for (int j = from[1]; j < to[1]; ++j)
            for (int i = from[0]; i < to[0]; ++i) {
                const ptrdiff_t first = box_at(b, i, j, k), last = first + b->n[axis] * b->step[axis];
                float *open = driven->open.value[axis], *wall = driven->wall.value[axis];
                const ptrdiff_t given = open[first] < open[last] ? first : last;
                open[first] = open[last] = open[given];
                wall[first] = wall[last] = wall[given];
            }
}

void emit_drive(openings *driven, float *source, float *scratch, const mac_grid *g, const openings *o,
                const emitter_reach *r, const double velocity[3]) {
    const box *b = &g->box;
    int lower[3], upper[3];
    emit_touched_cells(lower, upper, g, r->inlet);
    node_distances(scratch, g, r, lower, upper);
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                add_source(source, scratch, b, o, c, velocity);
                for (int a = 0; a < b->dim; ++a) {
                    const int last = (a == 0 ? i : a == 1 ? j : k) == upper[a] - 1;
                    close_face(driven, o, scratch, b, a, c, velocity[a]);
                    if (last) close_face(driven, o, scratch, b, a, c + b->step[a], velocity[a]);
                }
            }
    for (int a = 0; a < b->dim; ++a)
        if (b->periodic[a]) match_sides(driven, g, a, lower, upper);
}
