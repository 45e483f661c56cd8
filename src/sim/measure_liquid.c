/* What a liquid says of itself once a frame: sums over its particles and cells, and its largest speed.
 *
 * Particles are passed over once for all sums, eight at a time: what is wanted is little beside what must be
 * read. They are cut into parts whose number never changes, and parts are added in order, so threads change
 * nothing.
 *
 * The speed is the largest |u| at the middles of the faces that the projection set: the face's own component
 * and the others' means over the faces around it, so it is no less than any single component and no more than
 * the three largest together. Only faces of cells with particles count: what goes through a sliver that none
 * is in, under a body that lies flat, moves no liquid. The length of steps, and whether a run has diverged,
 * are judged by all faces (sim/liquid.c). Particles outside the surface (spray) fly on their own and do not
 * count. */
#include "sim/markers.h"

#include <math.h>
#include <string.h>
#include "core/lanes.h"
#include "grid/rows.h"
#include "solid/vector.h"
#include "stage/pressure/pressure.h"
#include "stage/surface/enclosed.h"

/* ---- particles ---- */

enum { PARTS = 64 };

/* Of the particles of one fluid: v2 sums |v|^2, x positions in cells. */
typedef struct tally {
    double count, v2, x[3];
    float lower[3], upper[3];
} tally;

typedef struct {
    const particles *p;
    int fluid;
    tally *parts;
} tally_job;

typedef double double4 __attribute__((vector_size(32)));

/* Sums of eight lanes. */
typedef struct lane_sums {
    double4 v2[2], x[3][2];
    vec8 lower[3], upper[3];
} lane_sums;

INLINE void widen(double4 to[2], const float *from) {
    to[0] = __builtin_convertvector(vec4_load(from), double4);
    to[1] = __builtin_convertvector(vec4_load(from + 4), double4);
}

/* Eight particles, all of the fluid. */
INLINE void add_eight(lane_sums *s, const particles *p, size_t q, int dim) {
    for (int a = 0; a < dim; ++a) {
        const vec8 at = vec8_load(p->x[a] + q);
        double4 x[2], v[2];
        widen(x, p->x[a] + q);
        widen(v, p->v[a] + q);
        for (int h = 0; h < 2; ++h) {
            s->x[a][h] += x[h];
            s->v2[h] += v[h] * v[h];
        }
        s->lower[a] = vec8_select(at < s->lower[a], at, s->lower[a]);
        s->upper[a] = vec8_select(at > s->upper[a], at, s->upper[a]);
    }
}

INLINE void add_one(tally *t, const particles *p, size_t q, int dim) {
    t->count += 1;
    for (int a = 0; a < dim; ++a) {
        const float x = p->x[a][q];
        t->x[a] += (double)x;
        t->v2 += (double)p->v[a][q] * (double)p->v[a][q];
        t->lower[a] = lesser(x, t->lower[a]);
        t->upper[a] = greater(x, t->upper[a]);
    }
}

INLINE double total(const double4 v[2]) {
    const double4 four = v[0] + v[1];
    return (four[0] + four[1]) + (four[2] + four[3]);
}

INLINE void add_lanes(tally *t, const lane_sums *s, int dim) {
    t->v2 += total(s->v2);
    for (int a = 0; a < dim; ++a) {
        t->x[a] += total(s->x[a]);
        for (int i = 0; i < LANES; ++i) {
            t->lower[a] = lesser(s->lower[a][i], t->lower[a]);
            t->upper[a] = greater(s->upper[a][i], t->upper[a]);
        }
    }
}

static tally no_tally(void) {
    return (tally){.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
}

INLINE tally tally_range(const tally_job *s, size_t from, size_t to, int dim) {
    const particles *p = s->p;
    const uint64_t mine = (uint64_t)s->fluid * 0x0101010101010101u;
    tally t = no_tally();
    lane_sums lanes = {0};
    for (int a = 0; a < dim; ++a) {
        lanes.lower[a] = vec8_all(INFINITY);
        lanes.upper[a] = vec8_all(-INFINITY);
    }
    size_t q = from;
    for (; q + LANES <= to; q += LANES) {
        uint64_t fluids;
        memcpy(&fluids, p->fluid + q, sizeof fluids);
        if (fluids == mine) {
            t.count += LANES;
            add_eight(&lanes, p, q, dim);
            continue;
        }
        for (size_t i = q; i < q + LANES; ++i)
            if (p->fluid[i] == s->fluid) add_one(&t, p, i, dim);
    }
    for (; q < to; ++q)
        if (p->fluid[q] == s->fluid) add_one(&t, p, q, dim);
    add_lanes(&t, &lanes, dim);
    return t;
}

/* The particles of one of the parts. */
static void part_range(size_t from_to[2], size_t count, int part) {
    const size_t each = (count + PARTS - 1) / PARTS, from = each * (size_t)part;
    from_to[0] = from < count ? from : count;
    from_to[1] = from + each < count ? from + each : count;
}

HOT static void tally_task(void *context, int part) {
    const tally_job *s = context;
    size_t r[2];
    part_range(r, s->p->count, part);
    s->parts[part] = s->p->dim == 3 ? tally_range(s, r[0], r[1], 3) : tally_range(s, r[0], r[1], 2);
}

static tally tally_fluid(const particles *p, pool *threads, int fluid) {
    tally parts[PARTS], sum = no_tally();
    tally_job w = {.p = p, .fluid = fluid, .parts = parts};
    parallel_for(threads, PARTS, tally_task, &w);
    for (const tally *t = parts; t < parts + PARTS; ++t) {
        sum.count += t->count;
        sum.v2 += t->v2;
        for (int a = 0; a < 3; ++a) {
            sum.x[a] += t->x[a];
            sum.lower[a] = lesser(t->lower[a], sum.lower[a]);
            sum.upper[a] = greater(t->upper[a], sum.upper[a]);
        }
    }
    return sum;
}

static void measure_fluid(rheo_fluid_stats *f, double *kinetic, const markers *m, const rheo_sim *s,
                          int fluid) {
    const tally t = tally_fluid(&m->parts, s->g.pool, fluid);
    *f = (rheo_fluid_stats){.particles = (int64_t)t.count};
    f->volume = t.count * m->particle_volume;
    f->mass = f->volume * sim_density(s);
    *kinetic = 0.5 * t.v2 * m->particle_volume * sim_density(s);
    for (int a = 0; a < s->g.box.dim && f->particles; ++a) {
        f->centroid[a] = s->g.origin[a] + s->g.dx * t.x[a] / t.count;
        f->lower[a] = s->g.origin[a] + s->g.dx * (double)t.lower[a];
        f->upper[a] = s->g.origin[a] + s->g.dx * (double)t.upper[a];
    }
}

HOT static double spray_task(void *context, int part) {
    const particles *p = context;
    size_t r[2];
    int64_t sum = 0;
    part_range(r, p->count, part);
    for (size_t q = r[0]; q < r[1]; ++q) sum += p->spray[q];
    return (double)sum;
}

/* ---- cells and faces ---- */

typedef struct {
    const mac_grid *g;
    const float *phi, *solid; /* solid: NULL, there are none */
    const mac_field *vel;
    const uint32_t *start; /* of the particles in each cell */
    uint8_t *layer;        /* of faces: 0 where the projection set the velocity */
    cell_range range;      /* cells, or the faces of the axis */
    int axis;
} grid_job;

/* Whether some corner of a cell is outside solids; phi: at its first. */
INLINE int is_outside(const float *phi, ptrdiff_t p, ptrdiff_t q, float on) {
    return (phi[0] > on) | (phi[1] > on) | (phi[p] > on) | (phi[p + 1] > on) | (phi[q] > on) |
           (phi[q + 1] > on) | (phi[p + q] > on) | (phi[p + q + 1] > on);
}

/* The liquid's phi goes on into solids; cells wholly inside of them are not liquid. */
HOT static double liquid_task(void *context, int block) {
    const grid_job *t = context;
    const box *b = &t->g->box;
    const ptrdiff_t p = b->step[1], q = b->dim == 3 ? b->step[2] : 0;
    const float on = ON_SURFACE * (float)t->g->dx;
    int count = 0;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const float *phi = t->phi + row, *solid = t->solid ? t->solid + row : NULL;
        for (int i = 0; i < b->n[0]; ++i) count += phi[i] < 0 && (!solid || is_outside(solid + i, p, q, on));
    }
    return count;
}

/* A component at a row of faces across another axis: the mean of the four faces around, two of the cells on
 * either side. At the domain's sides both sides are the cells within. */
typedef struct beside_row {
    const float *low, *high; /* of the cells below and above; both go on by `on` */
    ptrdiff_t on;
} beside_row;

static beside_row row_beside(const grid_job *t, int axis, int j, int k) {
    const box *b = &t->g->box;
    const float *row = t->vel->value[axis] + box_at(b, 0, j, k);
    const int at = t->axis == 1 ? j : k;
    beside_row r = {.low = row - b->step[t->axis], .high = row, .on = b->step[axis]};
    if (t->axis > 0 && at == 0) r.low = r.high;
    if (t->axis > 0 && at == b->n[t->axis]) r.high = r.low;
    return r;
}

INLINE float mean_beside(const beside_row *r, ptrdiff_t low, ptrdiff_t high) {
    return 0.25f * ((r->low[low] + r->high[high]) + (r->low[low + r->on] + r->high[high + r->on]));
}

/* The largest square of the speed in a row of faces. */
INLINE float speed_of_row(const grid_job *t, int j, int k, int dim) {
    const box *b = &t->g->box;
    const ptrdiff_t row = box_at(b, 0, j, k);
    const uint8_t *layer = t->layer + row;
    const float *own = t->vel->value[t->axis] + row;
    const int from = t->axis == 0, to = b->n[0]; /* the sides across x have cells on one side only */
    beside_row beside[2] = {row_beside(t, (t->axis + 1) % dim, j, k)};
    float most = 0;
    beside[1] = dim == 3 ? row_beside(t, (t->axis + 2) % dim, j, k) : beside[0];
    for (int i = from; i < to; ++i) {
        const float v = mean_beside(&beside[0], i, i), w = dim == 3 ? mean_beside(&beside[1], i, i) : 0;
        const float square = layer[i] == 0 ? own[i] * own[i] + (v * v + w * w) : 0;
        most = greater(square, most);
    }
    for (int side = 0; side < 2 && t->axis == 0; ++side) {
        const ptrdiff_t i = side ? to : 0, low = side ? i : i + 1, high = side ? i - 1 : i;
        if (layer[i] != 0) continue;
        const float v = mean_beside(&beside[0], low, high);
        const float w = dim == 3 ? mean_beside(&beside[1], low, high) : 0;
        most = greater(own[i] * own[i] + (v * v + w * w), most);
    }
    return most;
}

/* Takes the mark off faces of a row between two cells without particles; outside the domain there are none.
 */
static void forget_empty(const grid_job *t, int j, int k) {
    const box *b = &t->g->box;
    const uint32_t *start = t->start;
    uint8_t *layer = t->layer + box_at(b, 0, j, k);
    const int at[3] = {0, j, k}, across = t->axis; /* the second cell lies on the face's low side */
    const int has[2] = {across == 0 || at[across] < b->n[across], across == 0 || at[across] > 0};
    const size_t row[2] = {has[0] ? box_dense(b, 0, j, k) : 0,
                           has[1] ? box_dense(b, 0, j - (across == 1), k - (across == 2)) : 0};
    for (int i = 0; i < b->n[0] + (across == 0); ++i) {
        int held = 0;
        for (int side = 0; side < 2; ++side) {
            const int c = i - (side && across == 0);
            if (has[side] && c >= 0 && c < b->n[0])
                held |= start[row[side] + (size_t)c] != start[row[side] + (size_t)c + 1];
        }
        if (!held) layer[i] = 1;
    }
}

HOT static double speed_task(void *context, int block) {
    const grid_job *t = context;
    const size_t n = (size_t)(t->range.upper[0] - t->range.lower[0]);
    float most = 0;
    FOR_ROWS(&t->range, block, j, k) {
        if (!memchr(t->layer + box_at(&t->g->box, 0, j, k), 0, n)) continue; /* air: most rows */
        forget_empty(t, j, k);
        const float row = t->g->box.dim == 3 ? speed_of_row(t, j, k, 3) : speed_of_row(t, j, k, 2);
        most = greater(row, most);
    }
    return (double)most;
}

/* The largest |u| at one place, m/s. */
static double largest_speed(grid_job *t, const openings *open, const float *known) {
    double most = 0;
    for (t->axis = 0; t->axis < t->g->box.dim; ++t->axis) {
        pressure_known_faces(t->layer, t->g, open, known, t->axis);
        t->range = range_faces(t->g, t->axis);
        most = fmax(most, parallel_max(t->g->pool, range_blocks(&t->range), speed_task, t));
    }
    return sqrt(most);
}

static double volume_of(const markers *m, const walls *w, rheo_sim *s) {
    const scratch_count mine = s->scratch.lent;
    float *filled = scratch_cells(&s->scratch);
    float *const fields[2] = {scratch_cells(&s->scratch), scratch_cells(&s->scratch)};
    uint8_t *const marks[2] = {scratch_marks(&s->scratch), scratch_marks(&s->scratch)};
    if (w->thin.count) thin_filled(filled, &w->thin, &s->g, m->phi, w->solid);
    const double volume = enclosed_volume(&s->g, m->phi, w->solid, w->thin.distance, filled, &m->parts,
                                          m->particle_volume, fields, marks);
    scratch_back(&s->scratch, mine);
    return volume;
}

void markers_measure(markers *m, walls *w, const mac_field *vel, const float *known, rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    const scratch_count mine = s->scratch.lent;
    double gravity[3];
    grid_job t = {.g = &s->g, .phi = m->phi, .solid = walls_distance(w, s), .vel = vel};
    t.range = range_cells(&s->g);
    t.start = m->parts.cell_start;
    t.layer = scratch_marks(&s->scratch);
    sim_gravity(gravity, s, s->clock.time);
    f->particles = (int64_t)m->parts.count;
    f->liquid_cells = (int64_t)parallel_sum(s->g.pool, range_blocks(&t.range), liquid_task, &t);
    f->fluid_count = s->def.fluid_count;
    f->kinetic = f->potential = 0;
    for (int i = 0; i < f->fluid_count; ++i) {
        double kinetic;
        measure_fluid(&f->fluids[i], &kinetic, m, s, i);
        f->kinetic += kinetic;
        for (int a = 0; a < s->g.box.dim; ++a)
            f->potential -= f->fluids[i].mass * gravity[a] * f->fluids[i].centroid[a];
    }
    f->counts.spray = (int64_t)parallel_sum(s->g.pool, PARTS, spray_task, &m->parts);
    f->speed = largest_speed(&t, &w->open, known);
    scratch_back(&s->scratch, mine);
    f->volume = volume_of(m, w, s);
    f->volume_drift = s->balance.put_in > 0 ? f->volume / s->balance.put_in - 1 : 0;
    f->temperature[0] = f->temperature[1] = s->def.ambient;
}
