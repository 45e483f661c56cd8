/* Smoke and walls thinner than a cell: none of it passes, what moves pushes it, bodies feel it. */
#include "check.h"
#include <rheo/sim.h>
#include "sim/smoke.h"

enum { N = 20 };

typedef struct {
    rheo_scene scene;
    rheo_fluid gas;
    rheo_shape fill;
    rheo_emitter emitter;
    rheo_solid solid[2];
    double gravity[3], velocity[3], keys[2][3];
} setup;

static rheo_shape box_of(double x0, double y0, double z0, double x1, double y1, double z1) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    const double a[3] = {x0, y0, z0}, b[3] = {x1, y1, z1};
    memcpy(s.a, a, sizeof a);
    memcpy(s.b, b, sizeof b);
    return s;
}

/* A closed unit box without weight. */
static void prepare(setup *t, int dim) {
    static const double start[1] = {0};
    *t = (setup){.scene = rheo_default_scene(), .gas = rheo_default_fluid()};
    t->gas.density = 1.2;
    t->scene.method = RHEO_SMOKE;
    t->scene.output_mesh = false;
    t->scene.dim = dim;
    t->scene.cells = N;
    for (int a = 0; a < 3; ++a) t->scene.size[a] = 1;
    t->scene.gravity = (rheo_curve){.count = 1, .times = start, .values = t->gravity, .width = 3};
    t->scene.fluids = &t->gas;
    t->scene.fluid_count = 1;
    t->gas.fill = &t->fill;
    t->emitter = rheo_default_emitter();
    t->emitter.velocity = (rheo_curve){.count = 1, .times = start, .values = t->velocity, .width = 3};
    t->scene.emitters = &t->emitter;
    t->scene.solids = t->solid;
    t->solid[0] = t->solid[1] = rheo_default_solid();
}

static rheo_sim *make(const setup *t) {
    rheo_sim *sim;
    rheo_report report = {0};
    if (rheo_create_sim(&sim, &t->scene, 2, &report)) fail_msg("%s: %s", report.path, report.message);
    assert_true(sim->thin.count > 0);
    return sim;
}

static rheo_frame_stats advance(rheo_sim *sim, int frames) {
    rheo_frame_stats stats = {0};
    rheo_report report = {0};
    for (int f = 0; f < frames; ++f)
        if (rheo_advance_frame(sim, NULL, &stats, &report)) fail_msg("%s", report.message);
    return stats;
}

/* The densest cell on each side of a plane through `middle`, across n; the fastest flow on the far side. */
typedef struct {
    double left, right, wind;
} sides;

static sides look(const rheo_sim *sim, const double middle[3], const double n[3]) {
    const box *b = &sim->g.box;
    sides s = {0};
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                const double x[3] = {(i + 0.5) / N, (j + 0.5) / N, (k + 0.5) / N};
                const double far =
                    (x[0] - middle[0]) * n[0] + (x[1] - middle[1]) * n[1] + (x[2] - middle[2]) * n[2];
                if (sim->smoke->share[c] <= 0) continue;
                if (far < 0) s.left = larger(s.left, (double)sim->density[c]);
                else s.right = larger(s.right, (double)sim->density[c]);
                for (int a = 0; a < b->dim && far > 0; ++a)
                    if (sim->open.open.value[a][c] > 0)
                        s.wind = larger(s.wind, fabs((double)sim->vel.value[a][c]));
            }
    return s;
}

/* ---- walls that stand ---- */

/* Jets against a sealed plate of 0.3 and of 1.3 cells, along the grid or leaning: nothing is behind it,
 * neither smoke nor wind. In every scheme. */
static void sealed_plates_hold_smoke(void **state) {
    (void)state;
    static const double thick[2] = {0.015, 0.065}, lean[2] = {0, 25};
    static const rheo_advection scheme[3] = {RHEO_ADVECT_BFECC, RHEO_ADVECT_MACCORMACK,
                                             RHEO_ADVECT_SEMI_LAGRANGIAN};
    for (int dim = 2; dim <= 3; ++dim)
        for (int kind = 0; kind < 4; ++kind)
            for (int way = 0; way < 3; ++way) {
                setup t;
                prepare(&t, dim);
                const double half = 0.5 * thick[kind & 1], angle = lean[kind >> 1];
                if (dim == 3 && way > 0 && kind < 2) continue; /* time */
                t.scene.advection = scheme[way];
                t.gas.temperature = 80;
                t.emitter.shape = box_of(0.1, 0.2, 0.2, 0.3, 0.5, 0.8);
                t.velocity[0] = 2;
                t.velocity[1] = 1;
                t.scene.emitter_count = 1;
                t.solid[0].shape = box_of(0.525 - half, -1, -1, 0.525 + half, 2, 2);
                t.solid[0].shape.rotate_degrees = angle;
                t.scene.solid_count = 1;
                rheo_sim *sim = make(&t);
                advance(sim, 20);
                const double n[3] = {cos(angle * M_PI / 180), sin(angle * M_PI / 180), 0},
                             middle[3] = {0.525, 0.5, 0.5};
                const sides s = look(sim, middle, n);
                printf("plate of %.1f cells, leaning %.0f, %dD, scheme %d: %.3f before, %.1e behind, wind "
                       "%.1e\n",
                       thick[kind & 1] * N, angle, dim, (int)scheme[way], s.left, s.right, s.wind);
                check_near(s.left, 1, 1e-6);
                check_near(s.right, 0, 0);
                check_below(s.wind, 1e-5);
                rheo_free_sim(sim);
            }
}

/* The plate stands in a floor whose surface lies between planes of the grid: cells hidden in it repeat smoke
 * of both sides, and nobody beside the plate reads it there. */
static void plates_in_floors_hold_smoke(void **state) {
    (void)state;
    setup t;
    prepare(&t, 3);
    t.emitter.shape = box_of(0.2, 0.13, 0.2, 0.4, 0.4, 0.8);
    t.velocity[0] = 1;
    t.velocity[1] = -1;
    t.scene.emitter_count = 1;
    t.solid[0].shape = box_of(0.53, -1, -1, 0.545, 2, 2);
    t.solid[1].shape = box_of(-1, -1, -1, 2, 0.13, 2);
    t.solid[1].shape.rotate_degrees = 4;
    t.scene.solid_count = 2;
    rheo_sim *sim = make(&t);
    advance(sim, 20);
    const sides s = look(sim, (const double[3]){0.5375, 0.5, 0.5}, (const double[3]){1, 0, 0});
    printf("plate in a floor: %.3f before, %.1e behind\n", s.left, s.right);
    check_near(s.left, 1, 1e-6);
    check_near(s.right, 0, 0);
    rheo_free_sim(sim);
}

/* A plate with a gap beside it lets smoke around: it is a wall, not a trap. */
static void smoke_goes_around(void **state) {
    (void)state;
    setup t;
    prepare(&t, 2);
    t.scene.wall[RHEO_LEFT] = t.scene.wall[RHEO_RIGHT] = RHEO_WALL_OPEN;
    t.emitter.shape = box_of(0.1, 0, 0, 0.3, 1, 1);
    t.velocity[0] = 2;
    t.scene.emitter_count = 1;
    t.solid[0].shape = box_of(0.52, 0.3, -1, 0.535, 2, 2);
    t.scene.solid_count = 1;
    rheo_sim *sim = make(&t);
    const rheo_frame_stats f = advance(sim, 30);
    const sides s = look(sim, (const double[3]){0.5275, 0.5, 0.5}, (const double[3]){1, 0, 0});
    printf("plate with a gap: %.3f before, %.3f behind, drift %.1e\n", s.left, s.right, f.volume_drift);
    assert_true(s.right > 0.5);
    check_below(fabs(f.volume_drift), 1e-5);
    rheo_free_sim(sim);
}

/* ---- walls that move ---- */

/* In the first second from one place to another, and on as fast: the end of a run is not the end of a motion.
 */
static void key(setup *t, int rotation, double from, double to) {
    static const double times[2] = {0, 2};
    const double last = from + 2 * (to - from);
    t->solid[0].motion = RHEO_KEYED;
    t->keys[0][0] = from;
    if (rotation) {
        t->keys[0][1] = last;
        t->solid[0].rotation_axis[0] = t->solid[0].rotation_axis[1] = 0;
        t->solid[0].rotation_axis[2] = 1;
        t->solid[0].rotation_degrees =
            (rheo_curve){.count = 2, .times = times, .values = t->keys[0], .width = 1};
        return;
    }
    t->keys[1][0] = last;
    t->solid[0].position = (rheo_curve){.count = 2, .times = times, .values = t->keys[0], .width = 3};
}

/* A piston without a gap, 0.3 cells thick, in a channel open at both ends; smoke fills all that is behind it.
 * It sweeps through cells and takes the gas along: as fast as itself on both sides, none of the smoke before
 * it, and the smoke follows. In steps of a fifth of a cell and of three. */
static void thin_pistons_push(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; ++fast)
        for (int dim = 2; dim <= 3; ++dim) {
            setup t;
            prepare(&t, dim);
            t.scene.wall[RHEO_LEFT] = t.scene.wall[RHEO_RIGHT] = RHEO_WALL_OPEN;
            t.scene.fps = fast ? 3.4 : 60;
            t.fill = box_of(-1, -1, -1, 0.21, 2, 2);
            t.gas.fill_count = 1;
            t.solid[0].shape = box_of(0.21, -1, -1, 0.225, 2, 2);
            key(&t, 0, 0.2175, 0.7175);
            for (int a = 1; a < 3; ++a) t.keys[0][a] = t.keys[1][a] = 0.5;
            t.scene.solid_count = 1;
            rheo_sim *sim = make(&t);
            const rheo_frame_stats s = advance(sim, fast ? 3 : 54);
            const double shift = 0.5 * s.time, middle[3] = {0.2175 + shift, 0.5, 0.5};
            const sides seen = look(sim, middle, (const double[3]){1, 0, 0});
            double slowest = INFINITY, fastest = 0;
            for (int i = 0; i <= N; ++i) {
                const double u = (double)sim->vel.value[0][box_at(&sim->g.box, i, 7, dim == 3 ? 7 : 0)];
                slowest = fmin(slowest, u);
                fastest = fmax(fastest, u);
            }
            printf("piston, %dD, %d steps: gas at %.4f to %.4f m/s, %.3f behind, %.1e before, volume %.4f\n",
                   dim, s.steps, slowest, fastest, seen.left, seen.right, s.volume);
            check_near(slowest, 0.5, 1e-3);
            check_near(fastest, 0.5, 1e-3);
            check_near(seen.right, 0, 0);
            assert_true(seen.left > 0.7);
            rheo_free_sim(sim);
        }
}

/* A thin paddle turns in a closed box with smoke in one half: it stirs, nothing gains or leaves bounds. */
static void thin_paddles_stir(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup t;
        prepare(&t, dim);
        t.fill = box_of(-1, -1, -1, 0.5, 2, 2);
        t.gas.fill_count = 1;
        t.solid[0].shape = box_of(0.49, 0.1, 0.1, 0.51, 0.9, 0.9);
        key(&t, 1, 0, 180);
        t.scene.solid_count = 1;
        rheo_sim *sim = make(&t);
        const rheo_frame_stats s = advance(sim, 24);
        double right = 0, all = 0;
        const box *b = &sim->g.box;
        for (int k = 0; k < b->n[2]; ++k)
            for (int j = 0; j < b->n[1]; ++j)
                for (int i = 0; i < b->n[0]; ++i) {
                    const float f = sim->density[box_at(b, i, j, k)];
                    assert_true(f >= 0 && f <= 1);
                    all += (double)f;
                    right += i >= N / 2 ? (double)f : 0;
                }
        printf("thin paddle, %dD: %.2f of the smoke on the other side, drift %.1e, speed %.2f m/s\n", dim,
               right / all, s.volume_drift, s.speed);
        assert_true(right / all > 0.25);
        assert_true(s.speed > 0.5 && s.speed < 6);
        check_below(fabs(s.volume_drift), 1e-5);
        rheo_free_sim(sim);
    }
}

/* A card of 0.4 cells, as heavy as 40 cells of the gas above each of its cells: it falls, slower than free.
 */
static void gas_brakes_thin_bodies(void **state) {
    (void)state;
    setup t;
    rheo_body_stats at;
    prepare(&t, 3);
    t.gravity[1] = -9.81;
    t.solid[0].name = "card";
    t.solid[0].shape = box_of(0.3, 0.79, 0.3, 0.7, 0.81, 0.7);
    t.solid[0].motion = RHEO_DYNAMIC;
    t.solid[0].density = 30;
    t.scene.solid_count = 1;
    rheo_sim *sim = make(&t);
    const rheo_frame_stats s = advance(sim, 6);
    rheo_read_body(&at, NULL, sim, 0);
    const double share = -at.velocity[1] / (9.81 * s.time);
    printf("a card falls at %.2f of free fall\n", share);
    assert_true(share > 0.2 && share < 0.9);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealed_plates_hold_smoke), cmocka_unit_test(plates_in_floors_hold_smoke),
        cmocka_unit_test(smoke_goes_around),        cmocka_unit_test(thin_pistons_push),
        cmocka_unit_test(thin_paddles_stir),        cmocka_unit_test(gas_brakes_thin_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
