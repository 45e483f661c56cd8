/* Incompressible fluids of particles, without a grid (smoothed particle hydrodynamics).
 *
 *   rho dv/dt = - grad p + rho g,   density constant
 *
 * A particle's support is a cell, particles are half a cell apart. A step moves them by the velocity that the
 * last one made free of divergence, finds pairs and walls, and makes the velocity free of divergence again;
 * then it moves the particles by what is left of compression (stage/sph/pressure.c). Where surfaces are drawn
 * and volumes are measured the grid serves as for other particles (stage/surface/).
 *
 * Source: Mao 2006, ch. 3.
 *
 * Limits: solids thinner than a particle's spacing do not hold fluid; a domain has a list of its cells. */
#include "sim/sph.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "grid/wrap.h"
#include "particle/transfer.h"
#include "sim/bodies.h"
#include "sim/clock.h"
#include "sim/definition.h"
#include "sim/probe.h"
#include "sim/step_limit.h"
#include "solid/curve.h"
#include "solid/vector.h"
#include "stage/sph/colour.h"
#include "stage/sph/lattice.h"
#include "stage/sph/smooth.h"
#include "stage/sph/viscosity.h"

#define STEP_SHARE (0.2 / 3) /* of time.cfl: 0.4 of a spacing for the usual 3 */
#define CFL_MOST   3.0       /* of time.cfl: longer steps let rows of particles pair */
#define WAVE_STEP  0.3       /* of sqrt(dx / g) */
#define FULL                                                                                                 \
    0.9 /* density from which on the liquid is held from both sides: all but a surface's own layer           \
         */
#define FULL_DRAWN                                                                                           \
    0.5                      /* likewise with tension by curvature, which holds no drops together by itself  \
                              */
#define FULL_ELASTIC   0.3   /* with stress, whose surfaces pull inwards and outwards */
#define DENSITY_SHARE  0.6   /* of solver.sph.density_error: residual of the density; the rest is nonlinear */
#define RATE_SHARE     0.1   /* of the same: residual of dt D v */
#define NEAR_SIDE      1e-3f /* cells */
#define SOUND          10    /* times as fast as what falls as far as the fill is high */
#define SOUND_STEP     0.2   /* of dx: how far sound goes in a step */
#define CAPILLARY_STEP 0.2   /* of sqrt(rho d^3 / sigma): of the shortest ripples */
#define LEAST_VISCOUS  1e-5  /* viscosity dt / dx^2 below which it changes nothing that is seen */
#define VISCOUS_ERROR  1e-4
#define STRESS_ERROR   1e-4
#define CALM_MOST      0.4 /* share of a step: crowded pairs would swing on more */
enum { MOST_ITERATIONS = 400, MOST_VISCOUS = 400 };

/* ---- how long ---- */

/* Rows of particles that move against each other are held by pressure alone: dt sqrt(p / rho) must be less
 * than 0.35 dx, or they pair. Likewise what moves under its own weight. */
static double limit(double dx, double cfl, double speed, double acceleration) {
    const double wave = acceleration > 0 ? WAVE_STEP * sqrt(dx / acceleration) : INFINITY;
    return fmin(wave, step_limit(dx, STEP_SHARE * fmin(cfl, CFL_MOST), speed, acceleration));
}

static int is_state(const rheo_sim *s) {
    return s->def.sph.pressure == RHEO_SPH_STATE;
}

static double sph_dt_limit(const rheo_sim *s, double time) {
    const sph *e = sph_of(s);
    double g[3];
    sim_gravity(g, s, time);
    const double flow = fmax(e->speed, emitters_speed(s, time, curve_longest));
    const double fastest = fmax(flow + step_wall_speed(s, time), e->stiffness);
    if (is_state(s)) return SOUND_STEP * s->g.dx / (e->sound + fastest);
    if (s->def.sph.pressure == RHEO_SPH_SOURCE) /* shorter steps make what it corrects faster */
        return limit(s->g.dx, s->def.cfl, e->sound / SOUND, vec_length(g));
    const double ripple = CAPILLARY_STEP * sqrt(pow(SPH_SPACING * s->g.dx, 3) / fmax(e->tightest, 1e-30));
    return fmin(ripple, limit(s->g.dx, s->def.cfl, fastest, vec_length(g)));
}

static double sph_foretell(const rheo_scene *scene, double dx, double speed, double acceleration) {
    return limit(dx, scene->cfl, speed, acceleration);
}

/* ---- between the set and the step's arrays ---- */

typedef struct {
    sph *e;
    rheo_sim *s;
    double dt;
} job;

static void load_task(void *context, int block) {
    const job *t = context;
    const particles *p = &t->e->markers.parts;
    sph_fluid *f = &t->e->fluid;
    for (size_t i = (size_t)block * SPH_GRAIN; i < p->count && i < ((size_t)block + 1) * SPH_GRAIN; ++i) {
        for (int a = 0; a < p->dim; ++a) f->v[i][a] = p->v[a][i];
        f->lightness[i] = (float)(t->e->density / t->s->def.fluids[p->fluid[i]].density);
    }
}

static double store_task(void *context, int block) {
    const job *t = context;
    particles *p = &t->e->markers.parts;
    const sph_fluid *f = &t->e->fluid;
    double most = 0;
    for (size_t i = (size_t)block * SPH_GRAIN; i < p->count && i < ((size_t)block + 1) * SPH_GRAIN; ++i) {
        double v2 = 0;
        p->extra[SPH_DENSITY][i] = f->density[i];
        for (int a = 0; a < p->dim; ++a) {
            p->v[a][i] = f->v[i][a];
            v2 += (double)f->v[i][a] * (double)f->v[i][a];
        }
        if (!(v2 <= most)) most = v2;
    }
    return most;
}

/* How much of a step particles move before the forces act; the rest is for after them. */
static double early_share(const rheo_sim *s) {
    return is_state(s) && s->def.sph.integrator == RHEO_SPH_LEAP_FROG ? 0.5 : 1;
}

/* Whether what pressure does to velocities moves particles in the same step (B 3-46, 4-8). */
static int relaxes(const rheo_sim *s) {
    return s->def.sph.pressure == RHEO_SPH_SOURCE ||
           (is_state(s) && s->def.sph.integrator == RHEO_SPH_PREDICTION_RELAXATION);
}

/* Inside periodic sides; what has left others is looked after by markers_boundary(). */
static void move_task(void *context, int block) {
    const job *t = context;
    particles *p = &t->e->markers.parts;
    const float scale = (float)(t->dt / t->s->g.dx);
    for (int a = 0; a < p->dim; ++a) {
        const int around = t->s->g.box.periodic[a], n = t->s->g.box.n[a];
        for (size_t i = (size_t)block * SPH_GRAIN; i < p->count && i < ((size_t)block + 1) * SPH_GRAIN; ++i) {
            const float x = p->x[a][i] + scale * p->v[a][i];
            p->x[a][i] = around ? wrap_place(x, n) : x;
        }
    }
}

/* Places lose `scale` times what is in a, and stay within the sides. */
static void spread_task(void *context, int block) {
    const job *t = context;
    particles *p = &t->e->markers.parts;
    const sph_fluid *f = &t->e->fluid;
    const float scale = (float)t->dt;
    for (int a = 0; a < p->dim; ++a) {
        const int around = t->s->g.box.periodic[a], n = t->s->g.box.n[a];
        const float high = (float)n - NEAR_SIDE;
        for (size_t i = (size_t)block * SPH_GRAIN; i < p->count && i < ((size_t)block + 1) * SPH_GRAIN; ++i) {
            const float x = p->x[a][i] - scale * f->a[i][a];
            p->x[a][i] = around ? wrap_place(x, n) : greater(lesser(x, high), NEAR_SIDE);
        }
    }
}

static int blocks_of(const sph *e) {
    return block_count((long)e->markers.parts.count, SPH_GRAIN);
}

/* ---- the stages ---- */

static rheo_status find_pairs(sph *e, rheo_sim *s, rheo_report *report) {
    const particles *p = &e->markers.parts;
    job t = {.e = e, .s = s};
    if (sph_fluid_reserve(&e->fluid, p->count)) return report_no_memory(report, "particles");
    e->fluid.count = p->count;
    const int bad = sph_pairs_find(&e->fluid.pairs, e->fluid.x, e->fluid.density, &s->g, p, &e->fluid.kernel);
    if (bad == SPH_CROWDED)
        return report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                           "particles have clumped at t = %g s", s->clock.time);
    if (bad) return report_no_memory(report, "neighbours of particles");
    parallel_for(s->g.pool, blocks_of(e), load_task, &t);
    return RHEO_OK;
}

static rheo_status find_walls(sph *e, rheo_sim *s, rheo_report *report) {
    return sph_find_walls(&e->fluid, e->walls.open.open_wall, s->solids, s->wall_count, e->walls.solid,
                          e->walls.thin.count ? e->walls.thin.distance : NULL)
               ? report_no_memory(report, "walls beside particles")
               : RHEO_OK;
}

static void pull(sph *e, const double kick[3]) {
    sph_fluid *f = &e->fluid;
    for (size_t i = 0; i < f->count; ++i)
        for (int a = 0; a < f->dim; ++a) f->v[i][a] += (float)kick[a];
}

/* What single particles have of motion that pressure does not see: in a tank of 24 cells at rest the fastest
 * has 10 mm/s after 2 s, without 60. Viscosity of that size does the same. */
static void calm_down(sph *e, const rheo_sim *s, const double gravity[3], double dt) {
    const double spacing = SPH_SPACING * s->g.dx;
    const double pull = vec_length(gravity) + e->tightest / (spacing * spacing);
    const double rate = s->def.sph.calm * sqrt(pull / spacing);
    if (rate > 4 * e->thinnest / (spacing * spacing))
        sph_smooth(e->fluid.v, &e->fluid, fmin(1 - exp(-rate * dt), CALM_MOST));
}

static void contract(sph *e, const rheo_sim *s, double dt) {
    const uint8_t *fluid = e->markers.parts.fluid;
    if (!e->tensions.count) return;
    if (s->def.sph.tension == RHEO_SPH_COHESION)
        sph_cohere(e->fluid.v, &e->fluid, fluid, &e->tensions, e->wets, e->density, dt);
    else sph_curve(e->fluid.v, &e->fluid, fluid, &e->tensions, e->density, dt);
}

/* The last pressure as one of a step of dt. */
static void hold_pressure(sph *e, double dt) {
    const particles *p = &e->markers.parts;
    float *q = p->extra[SPH_PRESSURE];
    if (e->q_dt > 0 && e->q_dt != dt)
        for (size_t i = 0; i < p->count; ++i) q[i] *= (float)(dt / e->q_dt);
    e->q_dt = dt;
}

static void weigh_bodies(sph *e, const rheo_sim *s) {
    const double mass = e->density * e->markers.particle_volume;
    for (int i = 0; i < e->bodies.count; ++i) {
        const body *b = s->solids[i].body;
        sph_body *to = &e->bodies.body[i];
        *to = (sph_body){0};
        if (!b || world_is_gone(s->world, b)) continue;
        to->lightness = mass / b->mass;
        body_inverse_inertia(to->inverse, b);
        for (int c = 0; c < 9; ++c) to->inverse[c] *= mass;
    }
}

/* sqrt(p / rho) of the mean pressure as pressures weigh it, which is 2/3 of the largest in water at rest. */
static void find_stiffness(sph *e, const rheo_sim *s, double dt) {
    const particles *p = &e->markers.parts;
    const float *q = p->extra[SPH_PRESSURE];
    double sum = 0, squares = 0;
    for (size_t i = 0; i < p->count; ++i) {
        sum += (double)(q[i] > 0 ? q[i] * e->fluid.lightness[i] : 0);
        squares += (double)(q[i] > 0 ? q[i] * q[i] * e->fluid.lightness[i] * e->fluid.lightness[i] : 0);
    }
    e->stiffness = sum > 0 ? sqrt(1.5 * squares / sum * s->g.dx / dt) : 0;
}

static void keep_worst(rheo_solve_stats *stats, const sph_solve *r, size_t unknowns) {
    stats->unknowns = (int64_t)unknowns;
    if (r->iterations > stats->iterations) stats->iterations = r->iterations;
    stats->residual = fmax(stats->residual, r->residual);
    stats->converged = stats->converged && r->converged;
}

static void move_bodies(sph *e, const rheo_sim *s) {
    for (int i = 0; i < e->bodies.count; ++i)
        if (e->bodies.body[i].lightness > 0)
            body_add_motion(s->solids[i].body->now, e->bodies.body[i].gain, 1);
}

/* Viscosity of a fluid at the end of the step, Pa s. */
static double viscosity_of(const rheo_sim *s, int fluid, double dt) {
    const rheo_fluid *f = &s->def.fluids[fluid];
    return rheo_evaluate_viscosity(f, f->temperature, s->clock.time + dt);
}

static int remembers(const sph *e, int fluid) {
    return e->laws && e->laws[fluid].modulus > 0;
}

/* Viscosity, where it does more than rounding would; that of fluids with a memory goes with their stress. */
static void resist(sph *e, rheo_sim *s, double dt) {
    sph_fluid *f = &e->fluid;
    const particles *p = &e->markers.parts;
    const sph_sticking sticking = {definition_slip(&s->def, NULL) / s->g.dx, e->slips};
    float *nu = f->scalar[0], mu[RHEO_FLUIDS_MAX];
    if (!(e->thickest * dt / (s->g.dx * s->g.dx) > LEAST_VISCOUS)) return;
    for (int i = 0; i < s->def.fluid_count; ++i)
        mu[i] = remembers(e, i) ? 0 : (float)(viscosity_of(s, i, dt) / e->density);
    for (size_t i = 0; i < p->count; ++i) nu[i] = mu[p->fluid[i]];
    if (e->bodies.count) weigh_bodies(e, s);
    const sph_solve r = sph_viscosity(f->v, (float(*const[3])[4]){f->work[0], f->work[1], f->a}, nu, f,
                                      &sticking, &e->bodies, dt, VISCOUS_ERROR, MOST_VISCOUS);
    keep_worst(&s->stats.viscosity, &r, f->count);
    move_bodies(e, s);
    if (e->bodies.count) bodies_follow(s);
}

/* What fluids with a memory pull back. */
static sph_memory memory_of(const sph *e, const rheo_sim *s) {
    const particles *p = &e->markers.parts;
    sph_memory m = {.fluid = p->fluid, .law = e->laws, .fluids = s->def.fluid_count, .density = e->density};
    m.apart = m.fluids > 1;
    for (int c = 0, n = 0; c < SYM; ++c)
        if (p->dim == 3 || (c != 2 && c < 4)) m.s[c] = p->extra[SPH_STRESS + n++];
    return m;
}

static rheo_status strain(sph *e, rheo_sim *s, double dt, rheo_report *report) {
    const sph_sticking sticking = {definition_slip(&s->def, NULL) / s->g.dx, e->slips};
    if (!e->laws) return RHEO_OK;
    const sph_memory m = memory_of(e, s);
    if (sph_stress_reserve(&e->stress, &e->fluid, m.apart))
        return report_no_memory(report, "stress of particles");
    for (int i = 0; i < s->def.fluid_count; ++i) e->laws[i].solvent = viscosity_of(s, i, dt);
    hold_pressure(e, dt);
    if (e->bodies.count) weigh_bodies(e, s);
    const sph_solve r = sph_stress_step(e->fluid.v, e->markers.parts.extra[SPH_PRESSURE], &m, &e->stress,
                                        &e->fluid, &sticking, &e->bodies, dt, STRESS_ERROR, MOST_VISCOUS);
    keep_worst(&s->stats.stress, &r, e->fluid.count);
    if (s->def.sph.pressure == RHEO_SPH_PROJECTION) sph_find_evening(e->stress.delta, &e->fluid);
    move_bodies(e, s);
    if (e->bodies.count) bodies_follow(s);
    return RHEO_OK;
}

static void note_compression(const sph *e, rheo_sim *s) {
    const sph_fluid *f = &e->fluid;
    double sum = 0, most = 0;
    for (size_t i = 0; i < f->count; ++i) {
        const double more = fmax(0, (double)f->density[i] - 1);
        sum += more;
        most = fmax(most, more);
    }
    s->stats.compression[0] = fmax(s->stats.compression[0], f->count ? sum / (double)f->count : 0);
    s->stats.compression[1] = fmax(s->stats.compression[1], most);
}

static int is_drawn(const rheo_sim *s, const sph *e) {
    return e->tensions.count && s->def.sph.tension == RHEO_SPH_CURVATURE;
}

/* The density from which on the liquid is held from both sides. */
static double full_from(const rheo_sim *s, const sph *e) {
    if (e->laws) return FULL_ELASTIC;
    return is_drawn(s, e) ? FULL_DRAWN : FULL;
}

/* The velocity that ends the step, and what bodies gain. */
static void solve_pressure(sph *e, rheo_sim *s, double dt) {
    sph_fluid *f = &e->fluid;
    particles *p = &e->markers.parts;
    float *q = p->extra[SPH_PRESSURE];
    hold_pressure(e, dt);
    if (e->bodies.count) {
        sph_drive_walls(f, s->solids);
        weigh_bodies(e, s);
    }
    if (is_state(s)) {
        sph_press(f->v, q, f, &e->bodies, dt, e->sound);
    } else if (s->def.sph.pressure == RHEO_SPH_SOURCE) {
        const sph_solve r =
            sph_source(q, f, dt, FULL, RATE_SHARE * s->def.sph.density_error, MOST_ITERATIONS);
        keep_worst(&s->stats.pressure, &r, f->count);
        sph_apply(f->v, q, f, &e->bodies);
    } else {
        const sph_solve r =
            sph_project(f->v, q, f->rate, f, &e->bodies, dt, full_from(s, e), s->def.separation,
                        RATE_SHARE * s->def.sph.density_error, MOST_ITERATIONS);
        keep_worst(&s->stats.pressure, &r, f->count);
    }
    move_bodies(e, s);
    find_stiffness(e, s, dt);
}

/* a loses half of what velocities have changed by, as a way. */
static void fall_task(void *context, int block) {
    const job *t = context;
    const particles *p = &t->e->markers.parts;
    const sph_fluid *f = &t->e->fluid;
    const float half = (float)(0.5 * t->dt / t->s->g.dx);
    for (size_t i = (size_t)block * SPH_GRAIN; i < p->count && i < ((size_t)block + 1) * SPH_GRAIN; ++i)
        for (int a = 0; a < p->dim; ++a) f->a[i][a] -= half * (f->v[i][a] - p->v[a][i]);
}

static void move_by(sph *e, rheo_sim *s, double scale) {
    job t = {.e = e, .s = s, .dt = scale};
    parallel_for(s->g.pool, blocks_of(e), spread_task, &t);
}

/* The second half of a leap: a is what it moves particles by, as a velocity back. */
static void leap(sph *e, rheo_sim *s, double dt) {
    sph_fluid *f = &e->fluid;
    for (size_t i = 0; i < f->count; ++i)
        for (int a = 0; a < f->dim; ++a) f->a[i][a] = -f->v[i][a];
    move_by(e, s, dt / s->g.dx);
}

/* Moves particles by what is left of compression; with an equation of state, as the integrator has it. What
 * is pulled goes by half of what velocities have changed as well: then it falls as far as it should, where it
 * would gain g v dt / 2. Without a pull it does not, which keeps angular momentum. */
static void spread(sph *e, rheo_sim *s, const double gravity[3], double dt) {
    sph_fluid *f = &e->fluid;
    job t = {.e = e, .s = s, .dt = dt};
    float *push = e->markers.parts.extra[SPH_PUSH];
    if (relaxes(s)) move_by(e, s, dt / s->g.dx);
    if (early_share(s) < 1) leap(e, s, (1 - early_share(s)) * dt);
    if (s->def.sph.pressure != RHEO_SPH_PROJECTION) return;
    const float(*skin)[4] = e->laws ? (const float(*)[4])e->stress.delta : NULL;
    const sph_solve r = sph_spread(push, f->rate, f, skin, clock_ahead(s), FULL,
                                   DENSITY_SHARE * s->def.sph.density_error, MOST_ITERATIONS);
    keep_worst(&s->stats.density, &r, f->count);
    if (f->contacts == 0) sph_keep_turning(f->v, push, f); /* it costs a little viscosity */
    if (vec_length(gravity) > 0) parallel_for(s->g.pool, blocks_of(e), fall_task, &t);
    move_by(e, s, 1);
    if (!e->laws) return;
    memcpy(f->a, e->stress.delta, f->count * sizeof *f->a);
    move_by(e, s, 1);
}

/* The particles' own velocity; the fastest decides how long the next step is. */
static void store(sph *e, rheo_sim *s) {
    job t = {.e = e, .s = s};
    e->speed = sqrt(parallel_max(s->g.pool, blocks_of(e), store_task, &t));
}

static rheo_status project(sph *e, rheo_sim *s, const double gravity[3], double dt, rheo_report *report) {
    solve_pressure(e, s, dt);
    if (world_count(s->world)) {
        const rheo_status status = bodies_constrain(s, dt, report);
        if (status) return status;
        bodies_follow(s);
    }
    spread(e, s, gravity, dt);
    store(e, s);
    return e->speed < INFINITY ? RHEO_OK
                               : report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                                             "velocity is not finite at t = %g s", s->clock.time);
}

/* What is drawn and measured, from the set as it is: sorts it. */
static rheo_status find_surface(sph *e, rheo_sim *s, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    const rheo_status status = markers_sort(&e->markers, s, report);
    if (status) return status;
    mac_field *weight = scratch_faces(&s->scratch);
    particles_to_grid(&e->vel, weight, &s->g, &e->markers.parts, 0);
    markers_surface(&e->markers, weight, &e->walls, s);
    walls_extend(&e->vel, 3, NULL, 0, &e->walls, s, e->markers.phi, &(quiet_limits){0, 0}, 0);
    scratch_back(&s->scratch, mine);
    return RHEO_OK;
}

/* ---- the step ---- */

rheo_status sph_step(rheo_sim *s, double dt, rheo_report *report) {
    sph *e = sph_of(s);
    job t = {.e = e, .s = s, .dt = early_share(s) * dt};
    rheo_status status;
    double gravity[3];
    sim_gravity(gravity, s, s->clock.time + 0.5 * dt);
    const double kick[3] = {gravity[0] * dt, gravity[1] * dt, gravity[2] * dt};

    timer_stage(&s->timer, "advect");
    TRY(markers_sort(&e->markers, s, report));
    emitters_find_vacancy(&e->emitters, &e->markers, &e->walls, s, dt);
    TRY(markers_remember(&e->markers, &e->walls, s, report));
    parallel_for(s->g.pool, blocks_of(e), move_task, &t);

    timer_stage(&s->timer, "solids");
    TRY(bodies_move(s, dt, report));
    bodies_follow(s);
    TRY(walls_move(&e->walls, s, s->clock.step_end, report));
    TRY(markers_boundary(&e->markers, &e->walls, s, report));

    timer_stage(&s->timer, "sort");
    TRY(markers_sort(&e->markers, s, report));
    TRY(markers_appear(&e->markers, &e->walls, s, report));
    TRY(emitters_emit(&e->markers, &e->emitters, &e->walls, s, dt, report));

    timer_stage(&s->timer, "pairs");
    TRY(find_pairs(e, s, report));

    timer_stage(&s->timer, "walls");
    TRY(find_walls(e, s, report));
    note_compression(e, s);

    timer_stage(&s->timer, "forces");
    calm_down(e, s, gravity, dt);
    pull(e, kick);
    contract(e, s, dt);
    TRY(bodies_pull(&e->walls, s, gravity, dt, e->q_dt, report));

    timer_stage(&s->timer, "viscosity");
    resist(e, s, dt);

    timer_stage(&s->timer, "stress");
    TRY(strain(e, s, dt, report));

    timer_stage(&s->timer, "pressure");
    TRY(project(e, s, gravity, dt, report));

    timer_stage(&s->timer, "surface");
    if (s->clock.closing_step) TRY(find_surface(e, s, report));
out:
    timer_stage(&s->timer, NULL);
    return status;
}

/* ---- the start ---- */

static void sph_list(rheo_sim *s) {
    sph *e = sph_of(s);
    markers_list(&e->markers, s);
    field_held(&s->fields, FIELD_FACES, &e->vel);
    field_kept_reals(&s->fields, "q_dt", &e->q_dt, 1);
    field_kept_reals(&s->fields, "fastest", &e->speed, 1);
    field_kept_reals(&s->fields, "stiffness", &e->stiffness, 1);
    field_kept_reals(&s->fields, "sound", &e->sound, 1);
    field_kept_reals(&s->fields, "compression", s->stats.compression, 2);
    walls_list(&e->walls, s, 1);
    emitters_list(&e->emitters, s);
    s->fields.borrowed = (scratch_count){.faces = 2, .cells = 3, .marks = 2};
}

/* What fluids and solids are to each other. */
static rheo_status find_traits(sph *e, rheo_sim *s, rheo_report *report) {
    sph_tensions *t = &e->tensions;
    int wets = 0;
    e->thinnest = INFINITY;
    for (int i = 0; i < s->def.fluid_count; ++i) {
        const rheo_fluid *f = &s->def.fluids[i];
        e->thickest = fmax(e->thickest, definition_thickest(f) / f->density);
        e->thinnest = fmin(e->thinnest, f->viscosity / f->density);
        if (f->surface_tension > 0) t->count = s->def.fluid_count;
        e->tightest = fmax(e->tightest, f->surface_tension / f->density);
        for (int k = 0; k < s->def.fluid_count; ++k) {
            const double other = s->def.fluids[k].surface_tension;
            t->sigma[i][k] = i == k ? other : fabs(f->surface_tension - other); /* Antonow's rule */
        }
    }
    for (int i = 0; i < s->def.interface_count; ++i) {
        const rheo_interface *f = &s->def.interfaces[i];
        if (f->tension == RHEO_TENSION_AUTO) continue;
        t->sigma[f->between[0]][f->between[1]] = t->sigma[f->between[1]][f->between[0]] = f->tension;
        if (f->tension > 0) t->count = s->def.fluid_count;
        e->tightest = fmax(e->tightest, f->tension / fmin(s->def.fluids[f->between[0]].density,
                                                          s->def.fluids[f->between[1]].density));
    }
    e->slips = arena_alloc(&s->text, ((size_t)s->wall_count + 1) * sizeof *e->slips);
    e->wets = arena_alloc(&s->text, ((size_t)s->wall_count + 1) * sizeof *e->wets);
    if (!e->slips || !e->wets) return report_no_memory(report, "solids");
    for (int i = 0; i < s->wall_count; ++i) {
        e->slips[i] = definition_slip(&s->def, s->solids[i].def) / s->g.dx;
        e->wets[i] = s->solids[i].def->adhesion;
        wets |= e->wets[i] > 0;
    }
    if (!wets) e->wets = NULL;
    return RHEO_OK;
}

static rheo_status fill(sph *e, rheo_sim *s, rheo_report *report) {
    sph_filling f = {
        .shapes = s->fill, .solids = s->solids, .solid_count = s->wall_count, .seed = s->def.seed};
    f.jitter = s->def.sph.jitter;
    for (int i = 0; i < s->def.fluid_count; ++i) {
        long rejected;
        f.count = 0;
        for (int k = 0; k < s->fill_count; ++k) f.count += s->fill_fluid[k] == i;
        f.fluid = (uint8_t)i;
        memcpy(f.velocity, s->def.fluids[i].velocity, sizeof f.velocity);
        const long added = sph_fill(&e->markers.parts, &rejected, &e->markers.next_id, &s->g, &f);
        if (added < 0) return report_no_memory(report, "particles");
        s->stats.counts.rejected += rejected;
        s->balance.put_in += (double)added * e->markers.particle_volume;
        f.before += f.count;
    }
    return RHEO_OK;
}

static rheo_status begin(sph *e, rheo_sim *s, rheo_report *report) {
    const particles *p = &e->markers.parts;
    e->speed = 0;
    for (size_t i = 0; i < p->count; ++i) {
        double v2 = 0;
        for (int a = 0; a < p->dim; ++a) v2 += (double)p->v[a][i] * (double)p->v[a][i];
        e->speed = fmax(e->speed, sqrt(v2));
    }
    rheo_status status;
    double gravity[3], low = 0, high = 0; /* as if all were full of the first fluid */
    sim_gravity(gravity, s, s->clock.time);
    for (size_t i = 0; i < p->count; ++i) {
        double height = 0;
        for (int a = 0; a < p->dim; ++a) height += (double)p->x[a][i] * gravity[a] * s->g.dx;
        low = i ? fmin(low, height) : height;
        high = i ? fmax(high, height) : height;
    }
    e->stiffness = sqrt(high - low);
    e->sound = SOUND * fmax(fmax(e->speed, sqrt(2 * (high - low))), emitters_speed(s, 0, curve_longest));
    if (!(e->sound > 0)) e->sound = 1;
    TRY(walls_place(&e->walls, s, s->clock.time, report));
    clock_start(s);
    if (s->keyed) TRY(walls_place(&e->walls, s, s->clock.time, report)); /* as fast as in it */
    TRY(find_surface(e, s, report));
out:
    return status;
}

/* What fluids remember; none: no laws. */
static rheo_status find_laws(sph *e, rheo_sim *s, rheo_report *report) {
    static const sph_law_kind kinds[] = {SPH_COROTATIONAL, SPH_CONVECTED, SPH_FIXED_AXES};
    int any = 0;
    for (int i = 0; i < s->def.fluid_count; ++i) any |= s->def.fluids[i].elasticity > 0;
    if (!any || s->def.sph.stress == RHEO_SPH_NEWTONIAN) return RHEO_OK;
    e->laws = arena_alloc(&s->text, (size_t)s->def.fluid_count * sizeof *e->laws);
    if (!e->laws) return report_no_memory(report, "fluids");
    for (int i = 0; i < s->def.fluid_count; ++i) {
        const rheo_fluid *f = &s->def.fluids[i];
        e->laws[i] = (sph_law){
            .kind = kinds[s->def.sph.stress],
            .dim = s->g.box.dim,
            .modulus = f->elasticity,
            .relaxation = f->relaxation_time < RHEO_NEVER ? f->relaxation_time : INFINITY,
            .yield = f->yield_stress < RHEO_NEVER ? f->yield_stress : INFINITY,
            .mobility = f->mobility,
        };
    }
    return RHEO_OK;
}

static rheo_status sph_start(rheo_sim *s, const rheo_scene *scene, rheo_report *report) {
    static const char *const columns[SPH_COLUMNS] = {"pressure", "push",     "packing",
                                                     "stress_0", "stress_1", "stress_2",
                                                     "stress_3", "stress_4", "stress_5"};
    sph *e = sph_of(s);
    rheo_status status;
    (void)scene; /* all that it starts from has been compiled */
    e->density = sim_density(s);
    e->fluid.g = &s->g;
    e->fluid.dim = s->g.box.dim;
    e->fluid.kernel = sph_kernel_make((sph_kernel_kind)s->def.sph.kernel, s->g.box.dim);
    TRY(find_laws(e, s, report));
    const int stresses = e->laws ? (e->fluid.dim == 3 ? SYM : 3) : 0;
    TRY(markers_make_with(&e->markers, s, columns, SPH_STRESS + stresses, report));
    e->markers.dense = SPH_DENSITY;
    if (world_count(s->world) && s->def.coupling != RHEO_SOLID_TO_FLUID) {
        e->bodies.count = s->wall_count;
        e->bodies.body = arena_alloc(&s->text, (size_t)s->wall_count * sizeof *e->bodies.body);
        if (!e->bodies.body) TRY(report_no_memory(report, "bodies"));
    }
    TRY(find_traits(e, s, report));
    TRY(emitters_make(&e->emitters, s, report));
    TRY(walls_make(&e->walls, s, report));
    TRY(walls_check_thin(&e->walls, s, report));
    TRY(walls_place(&e->walls, s, 0, report));
    TRY(fill(e, s, report));
    TRY(begin(e, s, report));
out:
    return status;
}

static rheo_status sph_restored(rheo_sim *s, rheo_report *report) {
    sph *e = sph_of(s);
    const rheo_status status = walls_place(&e->walls, s, s->clock.time, report);
    return status ? status : find_surface(e, s, report);
}

static void sph_finish(rheo_sim *s) {
    sph *e = sph_of(s);
    markers_free(&e->markers);
    walls_free(&e->walls);
    emitters_free(&e->emitters);
    sph_fluid_free(&e->fluid);
    sph_stress_free(&e->stress);
}

static size_t sph_bytes(const rheo_sim *s) {
    const sph *e = sph_of(s);
    return markers_bytes(&e->markers) + walls_bytes(&e->walls, s) + emitters_bytes(&e->emitters, s) +
           sph_fluid_bytes(&e->fluid) + sph_stress_bytes(&e->stress);
}

/* ---- what is asked between steps ---- */

/* Of fluids, each with its own density. */
static void weigh_fluids(const sph *e, rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    const particles *p = &e->markers.parts;
    double v2[RHEO_FLUIDS_MAX] = {0}, gravity[3];
    sim_gravity(gravity, s, s->clock.time);
    for (size_t i = 0; i < p->count; ++i)
        for (int a = 0; a < p->dim; ++a) v2[p->fluid[i]] += (double)p->v[a][i] * (double)p->v[a][i];
    f->kinetic = f->potential = 0;
    for (int i = 0; i < f->fluid_count; ++i) {
        rheo_fluid_stats *fluid = &f->fluids[i];
        fluid->mass = fluid->volume * s->def.fluids[i].density;
        f->kinetic += 0.5 * v2[i] * e->markers.particle_volume * s->def.fluids[i].density;
        for (int a = 0; a < p->dim; ++a) f->potential -= fluid->mass * gravity[a] * fluid->centroid[a];
    }
}

static void measure_momentum(const sph *e, rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    const particles *p = &e->markers.parts;
    memset(f->momentum, 0, sizeof f->momentum);
    memset(f->angular_momentum, 0, sizeof f->angular_momentum);
    for (size_t i = 0; i < p->count; ++i) {
        const double mass = s->def.fluids[p->fluid[i]].density * e->markers.particle_volume;
        double x[3] = {0, 0, 0}, mv[3] = {0, 0, 0};
        for (int a = 0; a < p->dim; ++a) {
            x[a] = s->g.origin[a] + s->g.dx * (double)p->x[a][i];
            f->momentum[a] += mv[a] = mass * (double)p->v[a][i];
        }
        for (int a = 0; a < 3; ++a)
            f->angular_momentum[a] += x[(a + 1) % 3] * mv[(a + 2) % 3] - x[(a + 2) % 3] * mv[(a + 1) % 3];
    }
}

static void sph_measure(rheo_sim *s) {
    sph *e = sph_of(s);
    markers_measure(&e->markers, &e->walls, &e->vel, e->markers.phi, s);
    weigh_fluids(e, s);
    measure_momentum(e, s);
    if (e->laws) {
        const sph_memory m = memory_of(e, s);
        s->stats.elastic = sph_elastic_energy(&m, e->markers.parts.count, e->markers.particle_volume);
    }
    s->stats.speed = e->speed;
}

static void sph_view(rheo_particle_view *view, const rheo_sim *s) {
    markers_view(view, &sph_of(s)->markers);
}

static rheo_status sph_mesh(rheo_mesh *mesh, rheo_sim *s, int fluid, rheo_report *report) {
    sph *e = sph_of(s);
    return markers_mesh(mesh, &e->markers, fluid, &e->walls, &e->vel, NULL, s, report);
}

/* Of the particles around: the mean by their kernel. */
static double pressure_at(const sph *e, const rheo_sim *s, const float x[3]) {
    const particles *p = &e->markers.parts;
    const box *b = &s->g.box;
    int cell[3] = {0, 0, 0};
    double sum = 0, weight = 0;
    for (int a = 0; a < b->dim; ++a) cell[a] = (int)fminf(fmaxf(x[a], 0), (float)b->n[a] - 0.5f);
    for (int k = cell[2] - (b->dim == 3); k <= cell[2] + (b->dim == 3); ++k)
        for (int j = cell[1] - 1; j <= cell[1] + 1; ++j)
            for (int i = cell[0] - 1; i <= cell[0] + 1; ++i) {
                if (i < 0 || j < 0 || k < 0 || i >= b->n[0] || j >= b->n[1] || k >= b->n[2]) continue;
                const size_t c = box_dense(b, i, j, k);
                for (size_t q = p->cell_start[c]; q < p->cell_start[c + 1]; ++q) {
                    double r2 = 0;
                    for (int a = 0; a < b->dim; ++a) {
                        const double d = (double)(p->x[a][q] - x[a]);
                        r2 += d * d;
                    }
                    const double w = r2 < 1 ? sph_kernel_value(&e->fluid.kernel, sqrt(r2)) : 0;
                    weight += w;
                    sum += w * (double)p->extra[SPH_PRESSURE][q];
                }
            }
    return weight > 0 && e->q_dt > 0
               ? sum / weight * (double)e->fluid.kernel.moment * e->density * s->g.dx / e->q_dt
               : 0;
}

static void sph_probe(double *values, const rheo_sim *s, unsigned of, const float x[3]) {
    const sph *e = sph_of(s);
    if (of == RHEO_OF_PRESSURE) *values = pressure_at(e, s, x);
    else markers_probe(values, &e->markers, &e->vel, NULL, 0, e->markers.phi, s, of, x);
}

static rheo_status sph_place(rheo_sim *s, const sim_particles *from, rheo_report *report) {
    sph *e = sph_of(s);
    const rheo_status status = markers_place(&e->markers, s, from, report);
    return status ? status : begin(e, s, report);
}

const sim_engine sph_engine = {
    .size = sizeof(sph),
    .list = sph_list,
    .start = sph_start,
    .dt_limit = sph_dt_limit,
    .step = sph_step,
    .restored = sph_restored,
    .finish = sph_finish,
    .bytes = sph_bytes,
    .foretell_step = sph_foretell,
    .measure = sph_measure,
    .view_particles = sph_view,
    .mesh = sph_mesh,
    .probe = sph_probe,
    .place = sph_place,
};
