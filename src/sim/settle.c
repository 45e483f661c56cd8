/* Settling a fill before time begins.
 *
 * A fill of one particle an octant shows a surface that is uneven: by a tenth of a cell where walls cut it,
 * by less elsewhere (jitter). Released as it is, this becomes waves, and a scheme that keeps momentum well
 * carries them for many seconds. Now let a force field - grad d act, with d the distance to the fill's own
 * surface (stage/surface/fill.h): in it that surface is level and the filled shape, whatever it is, at rest;
 * only what is uneven moves. Each round finds the particles' surface, adds the field to what is left of the
 * last round's velocity, makes it free of divergence and moves the particles. For a wave of height h and wave
 * number k, h' - h = HELD (h - h_before) - k tanh(k depth) dt^2 h,   k dt^2 <= pi STEP^2 < 2 (1 + HELD), a
 * heavy ball (Polyak 1964) that keeps about sqrt(HELD) of a wave a round, and more of long ones: in shallow
 * water sixteen rounds leave two thirds of the longest, and beaches make it fast. So where water is to stand
 * still, rounds with more momentum follow. Particles move by fractions of a cell; their velocities, the time
 * and the volume stay.
 *
 * Limits: one field for all fills, so fills that touch settle as one, and a small drop over a pool gets as
 * many rounds as the pool; a thin sheet beside a pool is moved with it, and its surface then encloses some
 * percent less. A fill that is nowhere deep is left as it is. What a fill level does not touch, the few
 * particles that cut cells hold along walls, is settled only as far as their own density shows it. */
#include "sim/liquid.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "grid/rows.h"
#include "grid/wrap.h"
#include "particle/transfer.h"
#include "sim/drift.h"
#include "solid/curve.h"
#include "stage/surface/fill.h"
#include "stage/transport/forces.h"
#include "stage/surface/surface.h"

enum { BOUT = 16, BOUTS_MOST = 6, ITERATIONS = 50 };
#define HELD      0.6  /* of the velocity, from round to round, in the first bout */
#define HELD_LONG 0.85 /* and later, when only long waves are left */
#define STEP      0.6  /* of sqrt(dx / 1 m/s2), the field's strength */
#define AT_REST   1e-3 /* cells, in a round: with gravity a wave of 1e-3 m/s at 48 cells a metre */
#define FALLS     0.8  /* what the motion falls to in a bout, or no more of it is waves */
#define DEEP      2.5f /* cells */
#define ENOUGH    0.5f /* free share: with less a cell holds too few particles for its level to be told */
#define LEVEL     0.99 /* cosine of its angle to gravity */
#define TOLERANCE 1e-4 /* of the solve */

/* What a round works with. */
typedef struct settling {
    liquid *l;
    rheo_sim *s;
    float *level; /* m, distance to the surface that the fill asks for */
} settling;

/* The particles' surface; what they bring as a velocity goes nowhere. */
static void find_surface(settling *t) {
    liquid *l = t->l;
    rheo_sim *s = t->s;
    markers *m = &l->markers;
    const walls *w = &l->walls;
    const scratch_count mine = s->scratch.lent;
    mac_field *weight = scratch_faces(&s->scratch), *unused = scratch_faces(&s->scratch);
    particles_to_grid(unused, weight, &s->g, &m->parts, 0);
    surface_from_weights(m->density, m->phi, &s->g, weight, w->free_share, m->full);
    scratch_back(&s->scratch, mine);
    if (s->def.solid_count)
        surface_beside_walls(m->phi, &s->g, m->density, w->free_share, w->solid, &w->open);
    if (s->def.solid_count) surface_into_solids(m->phi, &l->walls.front, &s->g, w->free_share, NULL);
}

typedef struct wave_job {
    const liquid *l;
    const mac_grid *g;
    int axis;
    cell_range range;
} wave_job;

static double wave_task(void *context, int block) {
    const wave_job *w = context;
    const liquid *l = w->l;
    const ptrdiff_t step = w->g->box.step[w->axis];
    const float *u = l->vel.value[w->axis], *phi = l->markers.phi, *share = l->walls.free_share;
    float most = 0;
    FOR_ROWS(&w->range, block, j, k) {
        const ptrdiff_t row = box_at(&w->g->box, 0, j, k);
        for (ptrdiff_t c = row; c < row + w->range.upper[0]; ++c)
            if (phi[c] < 0 && phi[c - step] < 0 && share[c] > ENOUGH && share[c - step] > ENOUGH)
                most = fmaxf(most, fabsf(u[c]));
    }
    return (double)most;
}

/* The fastest that liquid moves, m/s. Beside walls particles are too few to come to rest altogether; waves
 * show away from them too. */
static double wave_speed(const liquid *l, const mac_grid *g) {
    wave_job w = {.l = l, .g = g};
    double most = 0;
    for (w.axis = 0; w.axis < g->box.dim; ++w.axis) {
        w.range = range_faces(g, w.axis);
        most = fmax(most, parallel_max(g->pool, range_blocks(&w.range), wave_task, &w));
    }
    return most;
}

static rheo_status settle_round(settling *t, double held, rheo_report *report) {
    liquid *l = t->l;
    rheo_sim *s = t->s;
    const mac_grid *g = &s->g;
    const scratch_count mine = s->scratch.lent;
    const double dt = STEP * sqrt(g->dx);
    const int layers = liquid_near_layers(s);
    projection *p = &l->projection;
    rheo_status status;
    TRY(markers_sort(&l->markers, s, report));
    find_surface(t);
    forces_add_field(&l->vel, g, t->level, held, dt);
    wrap_faces(&l->vel, g);
    projecting on = {
        .work = projection_borrow(p, s), .faces = &l->walls.open, .phi = l->markers.phi, .dt = dt};
    if (projection_assemble(&on.work, p, &l->walls, s, on.phi))
        TRY(report_no_memory(report, "the pressure solve"));
    pressure_project(&l->vel, p->q, p->solver, &on.work, g, on.faces, on.phi, TOLERANCE, ITERATIONS);
    drift_correct(&l->carry, &l->vel, &on, p, &l->markers, s);
    scratch_back(&s->scratch, mine);
    walls_extend(&l->vel, layers, &l->carry, layers, &l->walls, s, l->markers.phi, &(quiet_limits){0, 0}, 0);
    particles_remember(&l->markers.parts, g->pool);
    particles_advect(&l->markers.parts, g, &l->carry, (const double[3]){0, 0, 0}, dt);
    TRY(markers_boundary(&l->markers, &l->walls, s, report));
out:
    scratch_back(&s->scratch, mine);
    return status;
}

/* Whether some cell lies well below the level: drops and sheets of a few cells have no inside to settle on.
 */
static int is_deep(const float *level, const mac_grid *g) {
    float deepest = 0;
    for (size_t c = 0; c < g->box.size; ++c) deepest = fminf(deepest, level[c]);
    return deepest < -DEEP * (float)g->dx;
}

/* Keyed solids stand still until time begins; the first placing lets them go. */
static void stop_solids(walls *w, rheo_sim *s) {
    for (int i = 0; i < s->def.solid_count; ++i)
        for (int a = 0; a < 3; ++a) s->solids[i].now.velocity[a] = s->solids[i].now.spin[a] = 0;
    if (s->moving) solids_wall_velocity(&w->open, &s->g, s->solids, s->wall_count);
}

/* Whether a fill's surface is level in gravity, all but a tenth of it (near walls the level is approximate):
 * then it is meant to stay. */
static int is_still_water(const float *level, const float *share, const rheo_sim *s) {
    const box *b = &s->g.box;
    double g[3], pull = 0;
    int64_t level_cells = 0, others = 0;
    sim_gravity(g, s, s->clock.time);
    for (int a = 0; a < b->dim; ++a) pull += g[a] * g[a];
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                double down = 0, square = 0;
                if (!(fabsf(level[c]) < (float)s->g.dx) || share[c] < ENOUGH) continue;
                for (int a = 0; a < b->dim; ++a) {
                    const double slope = (double)(level[c + b->step[a]] - level[c - b->step[a]]);
                    down -= slope * g[a];
                    square += slope * slope;
                }
                if (down > LEVEL * sqrt(square * pull)) ++level_cells;
                else ++others;
            }
    return level_cells > 9 * others;
}

/* A first bout evens out what is short. Water that is to stand still, and may do so for long, gets more of
 * them: until nothing moves, or no less than in the bout before. */
static rheo_status settle(settling *t, rheo_report *report) {
    const mac_grid *g = &t->s->g;
    const int rounds = is_still_water(t->level, t->l->walls.free_share, t->s) ? BOUT * BOUTS_MOST : BOUT;
    double before = INFINITY, most = 0;
    for (int round = 0; round < rounds; ++round) {
        const int first = round < BOUT, ends = round % BOUT == BOUT - 1;
        const rheo_status status = settle_round(t, first ? HELD : HELD_LONG, report);
        if (status) return status;
        const double moved = wave_speed(t->l, g) * STEP / sqrt(g->dx);
        most = fmax(most, moved);
        if ((!first || ends) && moved < AT_REST) break;
        if (!ends) continue;
        if (most > FALLS * before) break;
        before = most;
        most = 0;
    }
    return RHEO_OK;
}

rheo_status liquid_settle(liquid *l, rheo_sim *s, rheo_report *report) {
    const mac_grid *g = &s->g;
    const scratch_count mine = s->scratch.lent;
    settling t = {.l = l, .s = s, .level = mem_alloc(g->box.size * sizeof *t.level)};
    rheo_status status = RHEO_OK;
    if (l->walls.thin.count || l->markers.parts.count == 0) goto out; /* a fill knows no thin walls */
    if (!t.level) TRY(report_no_memory(report, "the fill"));
    fill_level(t.level, scratch_marks(&s->scratch), g, &l->walls.open, walls_distance(&l->walls, s), s->fill,
               s->fill_count);
    scratch_back(&s->scratch, mine);
    stop_solids(&l->walls, s);
    if (is_deep(t.level, g)) TRY(settle(&t, report));
    memset(l->projection.q, 0, g->box.size * sizeof *l->projection.q);
out:
    mem_free(t.level);
    return status;
}
