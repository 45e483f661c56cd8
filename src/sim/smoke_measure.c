/* Statistics of smoke: sums over cells, weighted by their share outside solids (stage/smoke/cells.c).
 *
 *   volume    sum c dV, m3 of smoke of density 1          heat  rho cp sum (T - T_ambient) dV
 *   mass      that volume times rho + soot: the gas that carries the smoke, and what it carries
 *   kinetic   rho sum u^2 / 2 dV                          potential  - sum rho' g . x dV, from the air's */
#include <limits.h>
#include <math.h>
#include <string.h>
#include <rheo/material.h>
#include "grid/rows.h"
#include "sim/smoke.h"
#include "stage/walls/meet.h"

#define SEEN 0.01f /* density from which a cell counts as smoke */

/* What a block of rows adds; all in one pass over the fields. */
typedef struct {
    double volume, heat, kinetic, cells, potential, moment[3];
    float coldest, hottest, fastest; /* degrees C, m2/s2 */
    int lower[3], upper[3];          /* cells that hold smoke */
} tally;

typedef struct {
    const rheo_sim *s;
    tally *blocks;
    cell_range range;
    double weight, lift, gravity[3]; /* rho' = weight c - lift (T - T_ambient), kg/m3 */
} job;

/* The square of the velocity at a cell's centre, as a mean and as the mean of the faces' squares. */
static float speed_squared(float *energy, const rheo_sim *s, ptrdiff_t c) {
    float mean = 0;
    *energy = 0;
    for (int a = 0; a < s->g.box.dim; ++a) {
        const float low = s->vel.value[a][c], high = s->vel.value[a][c + s->g.box.step[a]];
        mean += 0.25f * (low + high) * (low + high);
        *energy += 0.5f * (low * low + high * high);
    }
    return mean;
}

static void count_cell(tally *t, const job *w, ptrdiff_t c, const int at[3]) {
    const rheo_sim *s = w->s;
    const float density = s->density[c], degrees = s->smoke->temperature[c];
    const double share = (double)s->smoke->share[c], smoke_here = share * (double)density,
                 warmth = share * ((double)degrees - s->def.ambient);
    float energy;
    const float fast = speed_squared(&energy, s, c);
    double height = 0;
    t->cells += share;
    t->volume += smoke_here;
    t->heat += warmth;
    t->kinetic += 0.5 * share * (double)energy;
    for (int a = 0; a < s->g.box.dim; ++a) {
        t->moment[a] += smoke_here * (at[a] + 0.5);
        height += w->gravity[a] * (at[a] + 0.5);
    }
    t->potential -= (w->weight * smoke_here - w->lift * warmth) * height;

    t->coldest = t->coldest < degrees ? t->coldest : degrees;
    t->hottest = t->hottest > degrees ? t->hottest : degrees;
    t->fastest = t->fastest > fast ? t->fastest : fast;
    if (density <= SEEN) return;
    for (int a = 0; a < 3; ++a) {
        t->lower[a] = t->lower[a] < at[a] ? t->lower[a] : at[a];
        t->upper[a] = t->upper[a] > at[a] + 1 ? t->upper[a] : at[a] + 1;
    }
}

static tally nothing(void) {
    return (tally){.coldest = INFINITY, .hottest = -INFINITY, .lower = {INT_MAX, INT_MAX, INT_MAX}};
}

static void count_task(void *context, int block) {
    const job *w = context;
    tally t = nothing();
    FOR_ROWS(&w->range, block, j, k) {
        const ptrdiff_t row = box_at(&w->s->g.box, 0, j, k);
        for (int i = 0; i < w->s->g.box.n[0]; ++i)
            if (w->s->smoke->share[row + i] > 0) count_cell(&t, w, row + i, (const int[3]){i, j, k});
    }
    w->blocks[block] = t;
}

/* In the order of blocks, so that the sums are the same for any number of threads. */
static tally add_up(const tally *blocks, int count) {
    tally sum = nothing();
    for (int i = 0; i < count; ++i) {
        const tally *t = &blocks[i];
        sum.volume += t->volume;
        sum.heat += t->heat;
        sum.kinetic += t->kinetic;
        sum.cells += t->cells;
        sum.potential += t->potential;
        sum.coldest = fminf(sum.coldest, t->coldest);
        sum.hottest = fmaxf(sum.hottest, t->hottest);
        sum.fastest = fmaxf(sum.fastest, t->fastest);
        for (int a = 0; a < 3; ++a) {
            sum.moment[a] += t->moment[a];
            sum.lower[a] = sum.lower[a] < t->lower[a] ? sum.lower[a] : t->lower[a];
            sum.upper[a] = sum.upper[a] > t->upper[a] ? sum.upper[a] : t->upper[a];
        }
    }
    return sum;
}

static double heat_capacity(const char *material) {
    const rheo_material *m = rheo_list_materials();
    while (m->name && (!material || strcmp(m->name, material))) ++m;
    return m->name ? m->heat_capacity : 1005;
}

static void measure_fluid(rheo_fluid_stats *f, const rheo_sim *s, const tally *t, double cell) {
    *f = (rheo_fluid_stats){.volume = t->volume * cell};
    f->mass = f->volume * (s->def.fluids[0].density + s->def.fluids[0].soot);
    if (!(t->volume > 0)) return;
    for (int a = 0; a < s->g.box.dim; ++a) {
        f->centroid[a] = s->g.origin[a] + s->g.dx * t->moment[a] / t->volume;
        if (t->upper[a] == 0) continue; /* too thin to be seen anywhere */
        f->lower[a] = s->g.origin[a] + s->g.dx * t->lower[a];
        f->upper[a] = s->g.origin[a] + s->g.dx * t->upper[a];
    }
}

void smoke_measure(rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    const rheo_fluid *gas = &s->def.fluids[0];
    const double cell = s->g.dx * s->g.dx * s->g.dx;
    job w = {.s = s, .blocks = s->smoke->tallies, .range = range_cells(&s->g)};
    w.weight = gas->soot;
    w.lift = gas->density * gas->expansion;
    rheo_evaluate_curve(w.gravity, &s->def.gravity, s->time);
    parallel_for(s->g.pool, range_blocks(&w.range), count_task, &w);
    const tally t = add_up(w.blocks, range_blocks(&w.range));
    f->particles = 0;
    f->liquid_cells = (int64_t)llround(t.cells);
    f->fluid_count = 1;
    measure_fluid(&f->fluids[0], s, &t, cell);
    f->volume = f->fluids[0].volume;
    f->volume_drift = s->volume_put_in > 0 ? f->volume / s->volume_put_in - 1 : 0;
    f->speed = sqrt((double)t.fastest);
    f->kinetic = t.kinetic * cell * gas->density;
    f->potential = t.potential * cell * s->g.dx;
    f->heat = t.heat * cell * gas->density * heat_capacity(gas->material);
    f->temperature[0] = (double)t.coldest;
    f->temperature[1] = (double)t.hottest;
}

size_t smoke_tallies(const mac_grid *g) {
    const cell_range r = range_cells(g);
    return (size_t)range_blocks(&r) * sizeof(tally);
}

size_t smoke_bytes(const rheo_sim *s) {
    const size_t field = s->g.box.size * sizeof(float), dim = (size_t)s->g.box.dim;
    size_t fields = 12 + 4 * dim;
    if (s->moving) fields += dim + 1;
    if (s->smoke->second) fields += 1;
    const size_t movers = s->moving ? dim * s->g.box.size * sizeof *s->open.mover[0] : 0;
    const size_t thin = thin_bytes(&s->thin, &s->g) + thin_bytes(&s->smoke->thin_then, &s->g) +
                        s->smoke->walled.capacity * sizeof(sighted);
    return fields * field + movers + solids_meet_bytes(&s->open) + thin + s->g.box.size + front_bytes(&s->g) +
           poisson_bytes(s->solver) + s->text.held;
}
