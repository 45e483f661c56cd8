/* Solids and bodies in the step of a liquid: where they are and what of the grid they close, how bodies move
 * and are held, and the projection that moves liquid and bodies together (Batty et al. 2007; Carlson 2004 for
 * bodies as liquid held rigid). The order in which these are called is sim/liquid.c's, sim/mac.c's and
 * sim/smoke.c's. */
#include "sim/liquid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/report.h"
#include "grid/wrap.h"
#include "sim/step_limit.h"
#include "solid/vector.h"
#include "stage/walls/meet.h"

enum { ROUNDS_MOST = 2 }; /* of further solves in a step */
#define SQUEEZED 1e-3     /* of the flow: more than rounding */
/* Cells a step, times the square of a body's density beside the liquid's: no limit from a thirtieth on. 0.3
 * are enough from a hundredth down, where all that is moved is liquid. */
#define LIGHT_WAY   3000
#define LIGHT_LEAST 0.3

void liquid_place_still_solids(rheo_sim *s) {
    int still = 0;
    if (!s->moving) return;
    while (still < s->def.solid_count && s->solids[still].def->motion == RHEO_STATIC) ++still;
    solids_distance(s->solid_still, NULL, &s->g, s->solids, still);
    if (s->room) solids_free_share(s->room_still, NULL, &s->g, s->solid_still, &s->open, NULL, 0);
}

rheo_status liquid_check_thin(const rheo_sim *s, rheo_report *report) {
    char path[64];
    int i = 0;
    if (!is_periodic(&s->g) || s->thin.count == 0) return RHEO_OK;
    while (!s->solids[i].thin) ++i;
    snprintf(path, sizeof path, "solids[%d].shape", (int)(s->solids[i].def - s->def.solids));
    /* paths are looked at, and these go around */
    report_fail(report, RHEO_INVALID, "solids thicker than a cell or two, more cells, or closed sides",
                "the solid is thinner than a cell or two, which does not go with periodic sides yet");
    report_place(report, NULL, 0, 0, path);
    return RHEO_INVALID;
}

/* Body by body, where their states have them and as fast. */
static void follow_bodies(rheo_sim *s) {
    for (int i = 0; i < s->def.solid_count; ++i) {
        obstacle *o = &s->solids[i];
        if (!o->body) continue;
        const placement now = body_placement(o->body);
        o->changed = memcmp(&now, &o->now, sizeof now) != 0;
        o->now = now;
    }
}

/* Whether water may be between faces that lie on each other: bodies that particles' liquid moves. */
static int has_films(const rheo_sim *s) {
    return s->coupling.count > 0 && s->def.method != RHEO_MAC && s->def.method != RHEO_SMOKE;
}

rheo_status liquid_place_solids(rheo_sim *s, double time, rheo_report *report) {
    int still = 0;
    for (int i = 0; i < s->def.solid_count; ++i) {
        obstacle *o = &s->solids[i];
        o->now = o->body ? body_placement(o->body) : placement_of_solid(o->def, o->shape, time, s->next_dt);
        still += s->solids[i].def->motion == RHEO_STATIC; /* static ones come first */
    }
    const int from = s->moving ? still : 0; /* the others are in solid_still */
    thin_around around = {.node_phi = s->solid, .density = s->fluid_density};
    rheo_evaluate_curve(around.gravity, &s->def.gravity, time);
    solids_distance(s->solid, s->solid_still, &s->g, s->solids + from, s->walls - from);
    solids_open_faces(&s->open, &s->g, s->solid);
    if (s->moving &&
        solids_meet(&s->open, &s->g, s->solid_still, s->solid, s->solids, s->walls, has_films(s)))
        return report_no_memory(report, "moving solids");
    if (s->thin.count &&
        thin_place(&s->thin, &s->open, &s->g, s->solids, s->walls, has_films(s) ? &around : NULL))
        return report_no_memory(report, "thin solids");
    if (s->domain) /* no walls, yet particles stay outside */
        solids_distance(s->solid, s->solid, &s->g, s->solids + s->walls, s->def.solid_count - s->walls);
    if (s->moving) {
        if (solids_movers(&s->open, &s->g, s->solids, s->walls))
            return report_no_memory(report, "moving solids");
        if (s->thin.count) thin_movers(&s->open, &s->thin, &s->g, s->solids, s->walls, &around);
        solids_wall_velocity(&s->open, &s->g, s->solids, s->walls);
    }
    if (!s->moving && s->thin.count == 0 && slivers_list(&s->slivers, &s->g, &s->open))
        return report_no_memory(report, "solids");
    if (s->room)
        solids_free_share(s->room, s->room_still, &s->g, s->solid, &s->open, s->solids + still,
                          s->def.solid_count - still);
    if (s->room && s->thin.count) thin_free_share(s->room, &s->thin, &s->g, s->solid, &s->open);
    return RHEO_OK;
}

int liquid_make_couplings(rheo_sim *s) {
    const int bodies = world_count(s->world), apart = s->def.solid_count - s->walls;
    int bad = coupling_make(&s->coupling, s->def.coupling == RHEO_MONOLITHIC ? bodies : 0);
    bad |= rigid_fluid_make(&s->rigid, apart);
    if (!apart || s->def.coupling != RHEO_RIGID_FLUID) return bad;
    s->domain = mem_alloc(s->g.box.size * sizeof *s->domain);
    return bad | (s->domain ? 0 : -1);
}

/* What world_step(), world_warm_start() and world_constrain() return. All that bodies allocate in a step is
 * for what touches what. */
static rheo_status judge_bodies(int bad, double time, rheo_report *report) {
    if (bad == WORLD_LOST)
        return report_fail(report, RHEO_DIVERGED, "a smaller time.cfl or time.dt_max",
                           "a body's velocity is not finite, or faster than any can be, at t = %g s", time);
    return bad ? report_no_memory(report, "contacts") : RHEO_OK;
}

rheo_status liquid_move_bodies(rheo_sim *s, double dt, rheo_report *report) {
    return judge_bodies(world_step(s->world, s->time, dt), s->time + dt, report);
}

rheo_status liquid_pull_bodies(rheo_sim *s, const double gravity[3], double dt, rheo_report *report) {
    if (!world_count(s->world)) return RHEO_OK;
    world_accelerate(s->world, gravity, dt);
    /* in s->domain contacts act after pressure, as on the liquid around */
    if (!s->domain) {
        const int bad = world_warm_start(s->world, s->time + dt, dt, s->q_dt, s->next_dt);
        if (bad) return judge_bodies(bad, s->time + dt, report);
    }
    follow_bodies(s);
    solids_wall_velocity(&s->open, &s->g, s->solids, s->walls);
    return RHEO_OK;
}

rheo_status liquid_hold_bodies(rheo_sim *s, double dt, rheo_report *report) {
    const int bad = world_constrain(s->world, s->time + dt, dt, s->next_dt);
    if (bad) return judge_bodies(bad, s->time + dt, report);
    coupling_cap_energy(&s->coupling, dt);
    if (s->domain) rigid_fluid_impose(&s->vel, &s->rigid);
    return RHEO_OK;
}

double liquid_wall_speed(const rheo_sim *s, double time) {
    double most = world_speed(s->world);
    for (int i = 0; i < s->def.solid_count; ++i) {
        const obstacle *o = &s->solids[i];
        if (o->def->motion != RHEO_KEYED) continue;
        /* keys between frames count too */
        most = fmax(most, placement_fastest(o->def, o->shape, time, time + 1 / s->def.fps));
    }
    return most;
}

double liquid_rigid_limit(const rheo_sim *s) {
    return s->domain ? s->g.dx / world_speed(s->world) : INFINITY;
}

/* The momentum of a body much lighter than the liquid is that of the liquid around it, which every step finds
 * anew: the lighter, the fewer cells it may go in one. It gains at most what its buoyancy gives it against
 * the added mass of a sphere. */
double step_limit_light(double dx, double cfl, double share, double speed, double gravity) {
    const double cells = fmax(LIGHT_WAY * share * share, LIGHT_LEAST);
    if (cells >= cfl) return INFINITY;
    const double reach = cells * dx, gain = gravity * fabs(1 - share) / (share + 0.5);
    return reach / (speed + sqrt(reach * gain));
}

double liquid_light_body_limit(const rheo_sim *s, double gravity) {
    double dt = INFINITY;
    for (int i = 0; i < s->def.solid_count; ++i) {
        const body *b = s->solids[i].body;
        if (!b || s->def.coupling == RHEO_SOLID_TO_FLUID || world_is_gone(s->world, b)) continue;
        dt = fmin(dt, step_limit_light(s->g.dx, s->def.cfl, s->solids[i].def->density / s->fluid_density,
                                       vec_length(b->now->velocity), gravity));
    }
    return dt;
}

/* Bodies that are not in the solve itself, before and after it. */
static int rigid_before(rheo_sim *s, const float **phi, const double pull[3]) {
    if (rigid_fluid_find(&s->rigid, &s->g, s->solids + s->walls, *phi)) return -1;
    if (s->domain) {
        if (s->def.method == RHEO_SMOKE) rigid_fluid_lift(&s->rigid, &s->g, pull, s->fluid_density);
        rigid_fluid_join(s->domain, &s->vel, &s->rigid, &s->g, *phi);
        *phi = s->domain;
    }
    rigid_fluid_note(&s->rigid, &s->g, &s->vel);
    return 0;
}

static void keep_separation(rheo_solve_stats *stats, const lcp_result *r) {
    liquid_keep_worst(stats, &r->solve);
    stats->converged = stats->converged && r->settled;
    if (r->rounds > stats->rounds) stats->rounds = r->rounds;
    stats->separated = r->active;
    stats->violation = fmax(stats->violation, fmax(-r->least_rest, r->product));
}

/* Walls as fast as their bodies are now. */
static void walls_follow(rheo_sim *s, const openings *open, double dt) {
    follow_bodies(s);
    solids_changed_wall_velocity(&s->open, &s->g, s->solids, s->walls);
    coupling_walls(&s->open, &s->coupling, s->g.pool);
    solids_meet_velocity(&s->open, &s->g, s->solids);
    if (open != &s->open) liquid_close_emitters(s, dt);
}

/* What is handed the whole system: with separation none, as the solve sets up what is left of it. */
static poisson *whole_solver(const rheo_sim *s) {
    return s->separation ? NULL : s->solver;
}

static rheo_status solve_pressure(lcp_result *r, rheo_sim *s, const openings *open, const float *phi,
                                  rheo_report *report) {
    if (!s->separation) {
        r->solve = pressure_solve(s->q, s->solver, &s->work, &s->g, open, phi, &s->vel, s->def.tolerance,
                                  s->def.max_iterations);
        return RHEO_OK;
    }
    const poisson_term term = {s->coupling.rows, s->coupling.first, s->coupling.terms};
    if (pressure_separate(r, s->q, s->separation, s->bounded, s->solver, &s->work, &s->g, open, phi, &s->vel,
                          &term, s->def.tolerance, s->def.max_iterations))
        return report_no_memory(report, "the pressure solve");
    return RHEO_OK;
}

static void keep_solve(rheo_sim *s, const lcp_result *r) {
    if (s->separation) keep_separation(&s->stats.pressure, r);
    else liquid_keep_worst(&s->stats.pressure, &r->solve);
}

/* Liquid and bodies together; again where a motor turns out to be weaker or stronger than was guessed, or a
 * contact to let go. */
static rheo_status solve_coupled(lcp_result *r, rheo_sim *s, const openings *open, const float *phi,
                                 double dt, rheo_report *report) {
    for (int round = 0;; ++round) {
        walls_follow(s, open, dt);
        const rheo_status status = solve_pressure(r, s, open, phi, report);
        if (status) return status;
        coupling_push(&s->coupling, &s->g, s->q, s->fluid_density);
        if (round == ROUNDS_MOST) break;
        const int released = world_release(s->world, s->time + dt, dt, round > 0);
        if (!coupling_judge(&s->coupling, r->solve.incompatibility > SQUEEZED) && !released) break;
        if (coupling_attach_again(&s->coupling, whole_solver(s), &s->g, s->fluid_density))
            return report_no_memory(report, "the pressure solve");
    }
    walls_follow(s, open, dt);
    poisson_attach(s->solver, NULL, NULL, 0); /* what follows moves liquid alone */
    return RHEO_OK;
}

enum { GRAIN = 1 << 14 };

typedef struct {
    float *q, by;
    size_t size;
} scale_job;

static void scale_task(void *context, int block) {
    const scale_job *s = context;
    const size_t from = (size_t)block * GRAIN, to = from + GRAIN < s->size ? from + GRAIN : s->size;
    for (size_t c = from; c < to; ++c) s->q[c] *= s->by;
}

/* The last pressure is where the solve starts; q is p dt / (rho dx). */
static void fit_pressure(rheo_sim *s, double dt) {
    scale_job job = {s->q, (float)(dt / s->q_dt), s->g.box.size};
    if (s->q_dt > 0 && s->q_dt != dt)
        parallel_for(s->g.pool, block_count((long)job.size, GRAIN), scale_task, &job);
}

rheo_status liquid_project(rheo_sim *s, openings *open, const float **phi, double dt, rheo_report *report) {
    const mac_grid *g = &s->g;
    coupling_weight weight = {.dt = dt, .node_phi = s->solid, .gaps = &s->thin.gaps};
    double pull[3];
    rheo_evaluate_curve(pull, &s->def.gravity, s->time + 0.5 * dt);
    for (int a = 0; a < 3; ++a) pull[a] *= dt;
    weight.fall = vec_length(pull);
    weight.flow = &s->vel;
    if (s->def.method != RHEO_SMOKE) memcpy(weight.pull, pull, sizeof pull); /* smoke is not still */
    wrap_faces(&s->vel, g);
    fit_pressure(s, dt);
    weight.phi = *phi;
    if ((s->rigid.count && rigid_before(s, phi, pull)) ||
        pressure_assemble(whole_solver(s), &s->work, g, open, *phi) ||
        coupling_attach(&s->coupling, whole_solver(s), g, open, s->solids, s->walls,
                        world_joint_rows(s->world), s->work.unknown, s->fluid_density, &weight))
        return report_no_memory(report, "the pressure solve");
    lcp_result r = {0};
    const rheo_status status = s->coupling.count ? solve_coupled(&r, s, open, *phi, dt, report)
                                                 : solve_pressure(&r, s, open, *phi, report);
    if (status) return status;
    keep_solve(s, &r);
    pressure_subtract(&s->vel, s->q, &s->work, g, open, *phi);
    if (s->separation) pressure_release(&s->vel, g, open, liquid_voids(s));
    if (s->rigid.count)
        rigid_fluid_push(&s->rigid, g, &s->vel, s->work.unknown, s->fluid_density, s->domain != NULL);
    return RHEO_OK;
}
