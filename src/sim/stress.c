/* Viscosity in a step of liquid (stage/viscosity/):
 *
 *   u* = P (u + g dt),   rho (u** - u*) = dt div(mu (grad u** + grad u**^T)),   u' = P u**
 *
 * with P the projection. The first makes a velocity without divergence of what gravity adds, so that liquid
 * at rest feels no stress; the second takes out what stress, which knows nothing of pressure, has put in.
 * Bodies' velocities are unknowns of all three (Wang 2017, 3.3; Batty and Bridson 2008).
 *
 * `stokes` takes viscosity and pressure together in place of the first two; P then only finds what contacts
 * let bodies do.
 *
 * Limits: walls and bodies thinner than a cell bear no stress, only pressure; one density. */
#include "sim/stress.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "particle/transfer.h"
#include "sim/bodies.h"
#include "sim/definition.h"
#include "sim/felt.h"
#include "solid/vector.h"
#include "stage/viscosity/viscosity_fields.h"

void stress_list(stress *t, rheo_sim *s) {
    t->model = rheo_choose_viscosity(&s->def);
    t->kept_model = (int)t->model;
    field_kept(&s->fields, "viscosity_model", FIELD_INT, &t->kept_model);
    if (t->model == RHEO_VISCOSITY_NONE) return;
    field_held(&s->fields, FIELD_CELLS, &t->mu);
    if (s->moving || (t->model == RHEO_VISCOSITY_STOKES && s->def.emitter_count))
        field_held(&s->fields, FIELD_FACES, &t->wall);
}

static double slip_of(const rheo_sim *s, const rheo_solid *solid) {
    const double length = definition_slip(&s->def, solid);
    return length < RHEO_SLIP_FREE ? length : INFINITY;
}

/* Bodies take part as they do in the projection; where these do not feel liquid their motion is known. */
static int count_bodies(const rheo_sim *s) {
    return s->def.coupling == RHEO_MONOLITHIC ? world_count(s->world) : 0;
}

static int make_bodies(stress *t, rheo_sim *s) {
    const size_t solids = (size_t)s->wall_count + 1;
    int bodies = 0;
    t->length = mem_alloc(solids * sizeof *t->length);
    t->number = mem_alloc(solids * sizeof *t->number);
    if (!t->length || !t->number) return -1;
    for (int i = 0; i < s->wall_count; ++i) {
        t->length[i] = slip_of(s, s->solids[i].def);
        t->number[i] = (uint16_t)(s->solids[i].body && count_bodies(s) && !s->solids[i].thin ? ++bodies : 0);
    }
    t->bodies = bodies;
    if (bodies == 0) return 0;
    t->body = mem_alloc((size_t)bodies * sizeof *t->body);
    t->velocity = mem_alloc((size_t)bodies * sizeof *t->velocity);
    t->momentum = mem_alloc((size_t)bodies * sizeof *t->momentum);
    t->own[0] = mem_alloc((size_t)s->g.box.dim * s->g.box.size * sizeof *t->own[0]);
    for (int a = 1; a < s->g.box.dim && t->own[0]; ++a) t->own[a] = t->own[0] + (size_t)a * s->g.box.size;
    return t->body && t->velocity && t->momentum && t->own[0] ? 0 : -1;
}

rheo_status stress_make(stress *t, rheo_sim *s, rheo_report *report) {
    if (t->model == RHEO_VISCOSITY_NONE) return RHEO_OK;
    int bad = make_bodies(t, s), differ = 0;
    for (int i = 1; i < s->wall_count && !bad; ++i) differ |= t->length[i] != t->length[0];
    if (differ) bad |= !(t->slip = mem_alloc(s->g.box.size * sizeof *t->slip));
    bad |= !(t->solver = viscosity_create(&s->g, VISCOUS_MULTIGRID));
    return bad ? report_no_memory(report, "the viscous solve") : RHEO_OK;
}

void stress_free(stress *t) {
    viscosity_free(t->solver);
    mem_free(t->own[0]);
    mem_free(t->slip);
    mem_free(t->length);
    mem_free(t->number);
    mem_free(t->body);
    mem_free(t->velocity);
    mem_free(t->momentum);
}

size_t stress_bytes(const stress *t, const rheo_sim *s) {
    const size_t size = s->g.box.size;
    return (t->solver ? viscosity_bytes(t->solver) : 0) + (t->slip ? size * sizeof *t->slip : 0) +
           (t->own[0] ? (size_t)s->g.box.dim * size * sizeof *t->own[0] : 0);
}

void stress_extend(mac_field *u, int layers, mac_field *far, int far_layers, const stress *t, walls *w,
                   rheo_sim *s, const float *phi, const quiet_limits *slow) {
    const double slip = slip_of(s, NULL);
    const int solved = t->model != RHEO_VISCOSITY_NONE;
    walls_extend(u, layers, far, far_layers, w, s, phi, slow, solved && slip < 0.5 * s->g.dx);
    if (!solved) return;
    viscosity_follow(u, t->solver, &s->g, phi);
    solids_mirror_sides(u, &s->g, &w->open, slip);
    if (far) solids_mirror_sides(far, &s->g, &w->open, slip);
}

typedef struct decay {
    float *kept; /* viscosities, and then shares */
    size_t count;
    double rate; /* 1/(Pa s) */
} decay;

enum { DECAY_GRAIN = 4096 };

static void decay_task(void *context, int block) {
    const decay *t = context;
    const size_t from = (size_t)block * DECAY_GRAIN;
    for (size_t i = from; i < from + DECAY_GRAIN && i < t->count; ++i)
        t->kept[i] = (float)exp(-t->rate * (double)t->kept[i]);
}

/* The same where viscosity follows from particles' temperatures. */
static int calm_by_temperature(markers *m, const mac_field *vel, const rheo_sim *s, double rate, double dt) {
    float *kept = markers_viscosity(m, s, s->clock.time + dt);
    if (!kept) return 0;
    decay t = {kept, m->parts.count, rate / sim_density(s)};
    parallel_for(s->g.pool, block_count((long)t.count, DECAY_GRAIN), decay_task, &t);
    particles_calm(&m->parts, &s->g, vel, NULL, kept);
    return 1;
}

void stress_calm(markers *m, const mac_field *vel, const stress *t, const rheo_sim *s, double dt, int flip) {
    double kept[RHEO_FLUIDS_MAX];
    const double rate = 2 * s->g.box.dim * dt / (s->g.dx * s->g.dx);
    if (t->model == RHEO_VISCOSITY_NONE || !flip) return;
    if (calm_by_temperature(m, vel, s, rate, dt)) return;
    for (int i = 0; i < s->def.fluid_count; ++i) {
        const rheo_fluid *f = &s->def.fluids[i];
        const double nu = definition_viscosity(f, s->clock.time + dt) / f->density;
        kept[i] = exp(-2 * s->g.box.dim * nu * dt / (s->g.dx * s->g.dx));
    }
    particles_calm(&m->parts, &s->g, vel, kept, NULL);
}

/* ---- bodies ---- */

/* Masses in units of rho dx^3, lengths in cells, turns as a speed a cell off. */
static void load_body(viscous_body *to, double velocity[6], double momentum[6], const body *b,
                      const rheo_sim *s) {
    const double dx = s->g.dx, unit = sim_density(s) * dx * dx * dx;
    double inertia[9];
    body_inertia(inertia, b);
    *to = (viscous_body){0};
    for (int r = 0; r < 3; ++r) {
        to->mass[7 * r] = b->mass / unit;
        for (int c = 0; c < 3; ++c) to->mass[6 * (3 + r) + 3 + c] = inertia[3 * r + c] / (unit * dx * dx);
        to->centre[r] = (b->now->position[r] - s->g.origin[r]) / dx;
        velocity[r] = b->now->velocity[r];
        velocity[3 + r] = b->now->spin[r] * dx;
    }
    for (int r = 0; r < 6; ++r) {
        momentum[r] = 0;
        for (int c = 0; c < 6; ++c) momentum[r] += to->mass[6 * r + c] * velocity[c];
    }
}

static void load_bodies(stress *t, const rheo_sim *s) {
    for (int i = 0; i < s->wall_count; ++i)
        if (t->number[i]) {
            const int n = t->number[i] - 1;
            load_body(&t->body[n], t->velocity[n], t->momentum[n], s->solids[i].body, s);
        }
}

static void move_bodies(const stress *t, rheo_sim *s) {
    for (int i = 0; i < s->wall_count; ++i) {
        if (!t->number[i]) continue;
        const double *v = t->velocity[t->number[i] - 1];
        body_state *now = s->solids[i].body->now;
        for (int a = 0; a < 3; ++a) {
            if (a < s->g.box.dim) now->velocity[a] = v[a];
            if (a == 2 || s->g.box.dim == 3) now->spin[a] = v[3 + a] / s->g.dx;
        }
    }
}

/* ---- the solve ---- */

static const viscosity_mean means[] = {[RHEO_HARMONIC] = VISCOSITY_HARMONIC,
                                       [RHEO_GEOMETRIC] = VISCOSITY_GEOMETRIC,
                                       [RHEO_ARITHMETIC] = VISCOSITY_ARITHMETIC};

static viscosity_input describe(const stress *t, const projecting *on, const walls *w, const rheo_sim *s) {
    static const viscosity_model models[] = {[RHEO_VISCOSITY_LAPLACIAN] = VISCOSITY_LAPLACIAN,
                                             [RHEO_VISCOSITY_FULL] = VISCOSITY_FULL,
                                             [RHEO_VISCOSITY_STOKES] = VISCOSITY_STOKES,
                                             [RHEO_VISCOSITY_TREE] = VISCOSITY_FULL};
    static const tree_scheme schemes[] = {
        [RHEO_TREE_QUADRATIC] = TREE_QUADRATIC, [RHEO_TREE_WANG] = TREE_WANG};
    viscosity_input in = {
        .model = models[t->model],
        .mean = means[s->def.viscous_mean],
        .held_surface = s->def.viscous_held,
        .dt = on->dt,
        .density = sim_density(s),
        .phi = on->phi,
        .mu = t->mu,
        .node_phi = walls_distance(w, s),
        .wall = t->wall.value[0] ? &t->wall : NULL,
        .levels = t->model == RHEO_VISCOSITY_TREE ? s->def.viscous_levels : 0,
        .scheme = schemes[s->def.viscous_scheme],
        .open = &on->faces->open,
        .source = on->work.source,
        .body = t->body,
        .bodies = t->bodies,
        .open_side = w->open.open_wall,
        .solid_slip = s->wall_count ? t->length[0] : 0,
        .slip = t->slip,
    };
    for (int a = 0; a < s->g.box.dim; ++a) in.solid[a] = t->own[a];
    for (int side = 0; side < 6; ++side) in.side_slip[side] = slip_of(s, NULL);
    return in;
}

static void find_viscosity(stress *t, markers *m, rheo_sim *s, double time) {
    const scratch_count mine = s->scratch.lent;
    double mu[RHEO_FLUIDS_MAX];
    for (int i = 0; i < s->def.fluid_count; ++i) mu[i] = definition_viscosity(&s->def.fluids[i], time);
    viscosity_of_particles(t->mu, scratch_cells(&s->scratch), &s->g, &m->parts, mu, s->def.fluid_count,
                           markers_viscosity(m, s, time), means[s->def.viscous_mean]);
    scratch_back(&s->scratch, mine);
}

void stress_begin(stress *t, markers *m, rheo_sim *s) {
    if (t->model != RHEO_VISCOSITY_NONE) find_viscosity(t, m, s, s->clock.time);
}

rheo_status stress_restored(const stress *t, rheo_report *report) {
    static const char *const names[] = {"auto", "none", "laplacian", "full", "stokes", "tree"};
    if (t->kept_model == (int)t->model) return RHEO_OK;
    const int known = t->kept_model >= 0 && t->kept_model < (int)(sizeof names / sizeof *names);
    const char *const was = known ? names[t->kept_model] : "another";
    report_fail(report, RHEO_INVALID, was, "the run was begun with viscosity '%s', and this one has '%s'",
                was, names[t->model]);
    report_place(report, NULL, 0, 0, "solver.viscosity");
    return RHEO_INVALID;
}

static void find_fields(stress *t, const viscosity_input *in, markers *m, walls *w, rheo_sim *s,
                        double time) {
    const mac_grid *g = &s->g;
    find_viscosity(t, m, s, time);
    if (s->moving) viscosity_wall_velocity(&t->wall, g, &w->open, s->solids);
    else if (in->wall) memset(t->wall.value[0], 0, (size_t)g->box.dim * g->box.size * sizeof(float));
    if (t->bodies) viscosity_faces_of_bodies(t->own, g, &w->open, w->solid, t->number);
    if (t->slip) viscosity_slip_of_solids(t->slip, g, w->solid, s->solids, t->length, s->wall_count);
}

/* What stress does to a solid. */
typedef struct pull_on {
    rheo_sim *s;
    const walls *w;
} pull_on;

static void pull(void *user, int axis, const int at[3], const double x[3], double force) {
    const pull_on *p = user;
    const int solid =
        viscosity_is_in_solid(&p->s->g, p->w->solid, axis, at) ? felt_owner(p->s, p->w, axis, at) : -1;
    if (solid >= 0) felt_push(p->s, solid, axis, x, force);
}

static void keep_worst(rheo_solve_stats *stats, const viscous_result *r) {
    stats->unknowns = r->unknowns;
    if (r->iterations > stats->iterations) stats->iterations = r->iterations;
    if (!(r->residual <= stats->residual)) stats->residual = r->residual; /* also what is not a number */
    stats->converged = stats->converged && r->converged;
}

/* What comes out of an emitter is pushed: stress does not change its velocity, but acts on what it meets. */
static const uint8_t *hold_emitted(mac_field *vel, const emitters *e, const walls *w, rheo_sim *s,
                                   double dt) {
    if (!emitters_drive(e, w, s, dt)) return NULL;
    uint8_t *held = scratch_marks(&s->scratch);
    memset(held, 0, s->g.box.size);
    emitters_give(vel, held, e, w, s, dt);
    return held;
}

/* What an emitter pushes is a wall to pressure, too. */
static void push_walls(stress *t, const uint8_t *held, const mac_field *vel, const mac_grid *g) {
    for (int a = 0; a < g->box.dim; ++a)
        for (size_t c = 0; c < g->box.size; ++c)
            if (held[c] >> a & 1) t->wall.value[a][c] = vel->value[a][c];
}

static viscous_result solve(mac_field *vel, projecting *on, const viscosity_input *in, stress *t,
                            projection *p, const rheo_sim *s) {
    const double(*momentum)[6] = (const double(*)[6])t->momentum;
    if (t->model != RHEO_VISCOSITY_STOKES)
        return viscosity_solve(vel, t->velocity, momentum, t->solver, &s->g, in, s->def.tolerance,
                               s->def.max_iterations);
    projection_fit(p, &s->g, on->dt);
    p->q_dt = on->dt;
    return viscosity_solve_stokes(vel, p->q, t->velocity, momentum, t->solver, &s->g, in, s->def.tolerance,
                                  s->def.max_iterations);
}

rheo_status stress_balance(mac_field *vel, projecting *on, const stress *t, projection *p, walls *w,
                           rheo_sim *s, rheo_report *report) {
    return t->model == RHEO_VISCOSITY_STOKES ? RHEO_OK : projection_solve(vel, on, p, w, s, report);
}

rheo_status stress_solve(mac_field *vel, projecting *on, stress *t, projection *p, markers *m, walls *w,
                         const emitters *e, rheo_sim *s, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    if (t->model == RHEO_VISCOSITY_NONE) return RHEO_OK;
    viscosity_input in = describe(t, on, w, s);
    in.held = hold_emitted(vel, e, w, s, on->dt);
    find_fields(t, &in, m, w, s, s->clock.time + on->dt);
    if (in.held && in.wall) push_walls(t, in.held, vel, &s->g);
    load_bodies(t, s);
    const int bad = viscosity_assemble(t->solver, &s->g, &in);
    scratch_back(&s->scratch, mine);
    in.held = NULL; /* it is in the system */
    if (bad) return report_no_memory(report, "the viscous solve");
    const viscous_result r = solve(vel, on, &in, t, p, s);
    keep_worst(&s->stats.viscosity, &r);
    if (s->clock.closing_step && s->wall_count)
        viscosity_pulls(t->solver, &s->g, &in, vel, pull, &(pull_on){s, w});
    move_bodies(t, s);
    return RHEO_OK;
}

rheo_status stress_project(mac_field *vel, projecting *on, const stress *t, projection *p, walls *w,
                           rheo_sim *s, rheo_report *report) {
    if (t->model == RHEO_VISCOSITY_NONE) return RHEO_OK;
    const scratch_count mine = s->scratch.lent;
    const size_t size = s->g.box.size;
    float *first = scratch_cells(&s->scratch);
    memcpy(first, p->q, size * sizeof *first);
    memset(p->q, 0, size * sizeof *p->q);
    for (int a = 0; a < 3; ++a) on->pull[a] = 0; /* gravity has acted */
    const rheo_status status = projection_solve(vel, on, p, w, s, report);
    for (size_t c = 0; c < size; ++c) p->q[c] += first[c]; /* of the step: both */
    scratch_back(&s->scratch, mine);
    return status;
}

int stress_probe(double *mu, const stress *t, const rheo_sim *s, const float x[3]) {
    int at[3] = {0, 0, 0};
    if (t->model == RHEO_VISCOSITY_NONE || (s->def.fluid_count < 2 && !s->def.fluids[0].law)) return 0;
    for (int a = 0; a < s->g.box.dim; ++a) {
        const int last = s->g.box.n[a] - 1, cell = (int)floorf(x[a]);
        at[a] = cell < 0 ? 0 : cell > last ? last : cell;
    }
    *mu = fmax((double)t->mu[box_at(&s->g.box, at[0], at[1], at[2])], 0);
    return 1;
}
