/* A body and the liquid around it, weightless, in a box that is periodic along all axes.
 *
 * No force acts from outside, so the projection must leave the momentum of both as it was, to the tolerance
 * of its solve, and take energy away, never add any (Batty et al. 2007, 3). Faces get random velocities, the
 * body one of its own; momentum and energy are those that the projection works with: rho dx^3 A_f u_f on
 * faces, the mass matrix of stage/coupling/coupling.c for the body. The last row runs the whole method for a
 * while: transfers between particles and grid weigh faces by their particles, and keep momentum only as far
 * as these are even. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include "core/random.h"
#include "grid/wrap.h"
#include "sim/liquid.h"

#define TOLERANCE 1e-6

typedef struct {
    rheo_scene scene;
    rheo_fluid water;
    rheo_shape fill;
    rheo_solid ball;
} setup;

static rheo_status make(rheo_sim **sim, setup *t, rows *out, int dim, int n, double density) {
    static const double none[3] = {0, 0, 0}, start[1] = {0}, centre[3] = {0.47, 0.52, 0.51},
                        speed[3] = {0.2, -0.1, 0.05};
    *t = (setup){.scene = rheo_default_scene(), .water = rheo_default_fluid(), .ball = rheo_default_solid()};
    t->fill = rheo_default_shape(RHEO_SHAPE_BOX);
    t->ball.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    for (int a = 0; a < 3; ++a) {
        t->scene.size[a] = 1;
        t->fill.a[a] = -1;
        t->fill.b[a] = 2;
        t->ball.shape.a[a] = centre[a];
        t->ball.velocity[a] = speed[a];
    }
    for (int side = 0; side < 6; ++side) t->scene.wall[side] = RHEO_WALL_PERIODIC;
    t->water.fill = &t->fill;
    t->water.fill_count = 1;
    t->ball.shape.radius = 0.2;
    t->ball.motion = RHEO_DYNAMIC;
    t->ball.density = density;
    t->scene.dim = dim;
    t->scene.cells = n;
    t->scene.method = RHEO_APIC;
    t->scene.tolerance = TOLERANCE;
    t->scene.gravity = (rheo_curve){.count = 1, .times = start, .values = none, .width = 3};
    t->scene.fluids = &t->water;
    t->scene.fluid_count = 1;
    t->scene.solids = &t->ball;
    t->scene.solid_count = 1;
    return rheo_create_sim(sim, &t->scene, out->threads, out->report);
}

/* Momentum along the axes and the sizes of its parts; returns the energy. */
static double totals(double momentum[3], double *size, const rheo_sim *s) {
    const box *b = &s->g.box;
    const double mass = sim_density(s) * s->g.dx * s->g.dx * s->g.dx;
    const body_state *now = s->solids[0].body->now;
    double energy = 0, rigid[POISSON_RANK];
    coupling_momentum(rigid, &liquid_of(s)->projection.coupling, 0);
    *size = 0;
    for (int a = 0; a < 3; ++a) {
        momentum[a] = rigid[a];
        *size += fabs(rigid[a]);
        energy += 0.5 * (rigid[a] * now->velocity[a] + rigid[3 + a] * now->spin[a]);
    }
    for (int a = 0; a < b->dim; ++a)
        for (int k = 0; k < b->n[2]; ++k)
            for (int j = 0; j < b->n[1]; ++j)
                for (int i = 0; i < b->n[0]; ++i) {
                    const ptrdiff_t f = box_at(b, i, j, k);
                    const double u = (double)liquid_of(s)->vel.value[a][f],
                                 m = mass * (double)liquid_of(s)->walls.open.open.value[a][f];
                    momentum[a] += m * u;
                    *size += m * fabs(u);
                    energy += 0.5 * m * u * u;
                }
    return energy;
}

static rheo_status project(liquid *l, rheo_sim *s, rheo_report *report) {
    const scratch_count mine = s->scratch.lent;
    projecting on = projection_faces(&l->projection, &l->walls, NULL, s, l->markers.phi, 1 / s->def.fps);
    const rheo_status status = projection_solve(&l->vel, &on, &l->projection, &l->walls, s, report);
    scratch_back(&s->scratch, mine);
    return status;
}

/* Relative change of momentum, and energy after over before. The mass matrix is that of the projection
 * before, at the same place. */
static rheo_status project_random(double *change, double *ratio, rheo_sim *s, rows *out) {
    liquid *l = liquid_of(s);
    double before[3], after[3], size;
    /* liquid everywhere: particles may leave a cell beside the body that counts as air */
    for (size_t c = 0; c < s->g.box.size; ++c) l->markers.phi[c] = (float)(-0.5 * s->g.dx);
    rheo_status status = project(l, s, out->report);
    if (status) return status;
    for (int a = 0; a < s->g.box.dim; ++a) {
        for (size_t f = 0; f < s->g.box.size; ++f)
            l->vel.value[a][f] = random_unit(11, f, (uint64_t)a) - 0.4f;
        s->solids[0].body->now->velocity[a] = 0.7 - a;
    }
    wrap_faces(&l->vel, &s->g);
    if ((status = walls_place(&l->walls, s, s->clock.time, out->report))) return status;
    const double energy = totals(before, &size, s);
    if ((status = project(l, s, out->report))) return status;
    double ignored;
    *ratio = totals(after, &ignored, s) / energy;
    *change = 0;
    for (int a = 0; a < s->g.box.dim; ++a) *change = fmax(*change, fabs(after[a] - before[a]) / size);
    return RHEO_OK;
}

static rheo_status one_projection(rows *out, int dim, int n, double density) {
    setup t;
    rheo_sim *s = NULL;
    char quantity[2][64];
    double change = 0, ratio = 0;
    rheo_status status = make(&s, &t, out, dim, n, density);
    if (!status) status = project_random(&change, &ratio, s, out);
    rheo_free_sim(s);
    if (status) return status;
    rows_format(quantity[0], sizeof quantity[0], "%dD, %g kg/m3: change of momentum", dim, density);
    rows_format(quantity[1], sizeof quantity[1], "%dD, %g kg/m3: energy left", dim, density);
    rows_put(out, &(row){.name = "momentum",
                         .quantity = quantity[0],
                         .n = n,
                         .ours = change,
                         .reference = 0,
                         .error = change,
                         .order = NAN,
                         .wanted = "the solver's tolerance",
                         .pass = change <= TOLERANCE});
    rows_put(out, &(row){.name = "momentum",
                         .quantity = quantity[1],
                         .n = n,
                         .ours = ratio,
                         .reference = NAN,
                         .error = NAN,
                         .order = NAN,
                         .wanted = "at most 1",
                         .pass = ratio <= 1});
    return RHEO_OK;
}

static void particle_momentum(double momentum[3], const rheo_sim *s) {
    const body *b = s->solids[0].body;
    for (int a = 0; a < s->g.box.dim; ++a) {
        double sum = 0;
        for (size_t q = 0; q < liquid_of(s)->markers.parts.count; ++q)
            sum += (double)liquid_of(s)->markers.parts.v[a][q];
        momentum[a] =
            b->mass * b->now->velocity[a] + sim_density(s) * liquid_of(s)->markers.particle_volume * sum;
    }
}

/* A ball that starts to move in liquid at rest: what is left of its momentum in both. */
static rheo_status running(rows *out, int n, double end) {
    setup t;
    rheo_sim *s = NULL;
    double first[3] = {0}, last[3] = {0}, off = 0, size = 0;
    rheo_status status = make(&s, &t, out, 2, n, 2000);
    if (!status) particle_momentum(first, s);
    while (!status && s->clock.time < end) status = rheo_advance_step(s, 0.01, out->report);
    if (!status) particle_momentum(last, s);
    rheo_free_sim(s);
    for (int a = 0; a < 2; ++a) {
        off += (last[a] - first[a]) * (last[a] - first[a]);
        size += first[a] * first[a];
    }
    if (!status)
        rows_put(out, &(row){.name = "momentum",
                             .quantity = "2D, running: change of momentum",
                             .n = n,
                             .ours = sqrt(off / size),
                             .reference = 0,
                             .error = sqrt(off / size),
                             .order = NAN,
                             .informative = 1});
    return status;
}

rheo_status reproduce_momentum(rows *out) {
    static const double density[] = {100, 1000, 8000};
    rows_title(out, "relative to the sizes of its parts; tolerance %g", TOLERANCE);
    rows_put_header(out);
    rheo_status status = RHEO_OK;
    for (int dim = 2; dim <= (out->quick ? 2 : 3) && !status; ++dim)
        for (int i = 0; i < 3 && !status; ++i)
            status = one_projection(out, dim, dim == 3 ? 48 : 64, density[i]);
    return status || out->quick ? status : running(out, 64, 1);
}
