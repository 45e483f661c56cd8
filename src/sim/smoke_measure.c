/* Statistics of smoke: sums over cells, weighted by their share outside solids.
 *
 *   volume    sum c dV, m3 of smoke of density 1          heat  rho cp sum (T - T_ambient) dV
 *   kinetic   rho sum u^2 / 2 dV                          potential  - sum rho' g . x dV, from the air's */
#include <math.h>
#include <string.h>
#include <rheo/material.h>
#include "grid/rows.h"
#include "sim/measure.h"
#include "sim/smoke.h"

#define SEEN 0.01f /* density from which a cell counts as smoke */

typedef struct {
    const rheo_sim *s;
    cell_range range;
    enum { VOLUME, HEAT, KINETIC, MOMENT, COLDEST, HOTTEST, FARTHEST, NEAREST, COUNT } what;
    int axis;
} tally;

/* The square of the velocity at a cell's centre, from its faces. */
static double speed_squared(const rheo_sim *s, ptrdiff_t c) {
    double sum = 0;
    for (int a = 0; a < s->g.box.dim; ++a) {
        const double low = (double)s->vel.value[a][c], high = (double)s->vel.value[a][c + s->g.box.step[a]];
        sum += 0.5 * (low * low + high * high);
    }
    return sum;
}

static double term(const tally *t, ptrdiff_t c, const int at[3]) {
    const rheo_sim *s = t->s;
    switch (t->what) {
    case VOLUME: return (double)s->density[c];
    case HEAT: return (double)s->smoke->temperature[c] - s->def.ambient;
    case KINETIC: return 0.5 * speed_squared(s, c);
    case MOMENT: return (double)s->density[c] * (at[t->axis] + 0.5);
    default: return 1; /* COUNT */
    }
}

static double sum_task(void *context, int block) {
    const tally *t = context;
    double sum = 0;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&t->s->g.box, 0, j, k);
        for (int i = 0; i < t->s->g.box.n[0]; ++i) {
            const float share = t->s->smoke->share[row + i];
            if (share > 0) sum += (double)share * term(t, row + i, (const int[3]){i, j, k});
        }
    }
    return sum;
}

/* Extremes as distances above a floor that nothing lies below: parallel_max starts at 0. */
static double extreme_task(void *context, int block) {
    const tally *t = context;
    const rheo_sim *s = t->s;
    double most = 0;
    FOR_ROWS(&t->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g.box, 0, j, k);
        for (int i = 0; i < s->g.box.n[0]; ++i) {
            const int at[3] = {i, j, k};
            const double degrees = (double)s->smoke->temperature[row + i];
            if (s->smoke->share[row + i] < SMOKE_HIDDEN) continue;
            double value = 0;
            if (t->what == COLDEST) value = 1e6 - degrees;
            else if (t->what == HOTTEST) value = 1e6 + degrees;
            else if (s->density[row + i] > SEEN)
                value = t->what == FARTHEST ? at[t->axis] + 1 : s->g.box.n[t->axis] - at[t->axis];
            most = most > value ? most : value;
        }
    }
    return most;
}

static double total(const rheo_sim *s, int what, int axis) {
    tally t = {.s = s, .range = range_cells(&s->g), .axis = axis};
    t.what = what;
    return parallel_sum(s->g.pool, range_blocks(&t.range), sum_task, &t);
}

static double extreme(const rheo_sim *s, int what, int axis) {
    tally t = {.s = s, .range = range_cells(&s->g), .axis = axis};
    t.what = what;
    return parallel_max(s->g.pool, range_blocks(&t.range), extreme_task, &t);
}

static double heat_capacity(const char *material) {
    const rheo_material *m = rheo_list_materials();
    while (m->name && (!material || strcmp(m->name, material))) ++m;
    return m->name ? m->heat_capacity : 1005;
}

static void measure_fluid(rheo_fluid_stats *f, const rheo_sim *s, double cell) {
    *f = (rheo_fluid_stats){.volume = total(s, VOLUME, 0) * cell};
    f->mass = f->volume * s->def.fluids[0].soot;
    if (!(f->volume > 0)) return;
    for (int a = 0; a < s->g.box.dim; ++a) {
        const double dx = s->g.dx, far = extreme(s, FARTHEST, a), near = extreme(s, NEAREST, a);
        f->centroid[a] = s->g.origin[a] + dx * total(s, MOMENT, a) * cell / f->volume;
        f->upper[a] = s->g.origin[a] + dx * far;
        f->lower[a] = far > 0 ? s->g.origin[a] + dx * (s->g.box.n[a] - near) : s->g.origin[a];
    }
}

/* - sum rho' g . x dV */
static double potential(const rheo_sim *s, double cell) {
    const rheo_fluid *gas = &s->def.fluids[0];
    double gravity[3], sum = 0;
    rheo_evaluate_curve(gravity, &s->def.gravity, s->time);
    for (int k = 0; k < s->g.box.n[2]; ++k)
        for (int j = 0; j < s->g.box.n[1]; ++j)
            for (int i = 0; i < s->g.box.n[0]; ++i) {
                const ptrdiff_t c = box_at(&s->g.box, i, j, k);
                const double excess =
                    gas->soot * (double)s->density[c] -
                    gas->density * gas->expansion * ((double)s->smoke->temperature[c] - s->def.ambient);
                const double height = gravity[0] * (i + 0.5) + gravity[1] * (j + 0.5) +
                                      (s->g.box.dim == 3 ? gravity[2] * (k + 0.5) : 0);
                sum -= excess * height * (double)s->smoke->share[c];
            }
    return sum * cell * s->g.dx;
}

void smoke_measure(rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    const rheo_fluid *gas = &s->def.fluids[0];
    const double cell = s->g.dx * s->g.dx * s->g.dx;
    f->particles = 0;
    f->liquid_cells = (int64_t)llround(total(s, COUNT, 0));
    f->fluid_count = 1;
    measure_fluid(&f->fluids[0], s, cell);
    f->volume = f->fluids[0].volume;
    f->volume_drift = s->volume_put_in > 0 ? f->volume / s->volume_put_in - 1 : 0;
    f->kinetic = total(s, KINETIC, 0) * cell * gas->density;
    f->potential = potential(s, cell);
    f->heat = total(s, HEAT, 0) * cell * gas->density * heat_capacity(gas->material);
    f->speed = measure_speed(s);
    f->temperature[0] = 1e6 - extreme(s, COLDEST, 0);
    f->temperature[1] = extreme(s, HOTTEST, 0) - 1e6;
}

size_t smoke_bytes(const rheo_sim *s) {
    const size_t field = s->g.box.size * sizeof(float), dim = (size_t)s->g.box.dim;
    size_t fields = 12 + 4 * dim;
    if (s->moving) fields += dim + 1;
    if (s->smoke->second) fields += 1;
    return fields * field + s->g.box.size + front_bytes(&s->g) + poisson_bytes(s->solver) + s->text.held;
}
