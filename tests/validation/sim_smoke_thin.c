/* Smoke and walls thinner than a cell: none of it passes, what moves pushes it, bodies feel it. */
#include "check.h"
#include "scenes_by_hand.h"

enum { N = 20 };

/* A closed unit box without weight. */
static void prepare(setup *t, int dim) {
    set_up(t, RHEO_SMOKE, dim, N);
    t->gravity[1] = 0;
}

/* A simulation in which some wall is thin. */
static rheo_sim *start_thin(const setup *t) {
    rheo_preflight p;
    rheo_report report = {0};
    int thin = 0;
    (void)rheo_check_scene(&p, &t->scene, NULL, &report); /* clean air is an error to it */
    for (int i = 0; i < p.count; ++i)
        thin |= strstr(p.findings[i].report.message, "thinner than a cell") != NULL;
    assert_true(thin);
    return start_sim(&t->scene, 2);
}

/* The densest cell on each side of a plate about `middle`, across n; on the far side the fastest flow between
 * cells that it does not cut: what gets through it goes on to these. */
typedef struct {
    double left, right, wind;
} sides;

static sides look(const rheo_sim *sim, int dim, const double middle[3], const double n[3], double half) {
    rheo_volume_view v;
    sides s = {0};
    rheo_view_volume(&v, sim);
    for (int k = 0; k < v.cells[2]; ++k)
        for (int j = 0; j < v.cells[1]; ++j)
            for (int i = 0; i < v.cells[0]; ++i) {
                const ptrdiff_t c = i + j * v.row + k * v.plane;
                const double x[3] = {(i + 0.5) / N, (j + 0.5) / N, (k + 0.5) / N};
                const double far =
                    (x[0] - middle[0]) * n[0] + (x[1] - middle[1]) * n[1] + (x[2] - middle[2]) * n[2];
                if (v.share[c] <= 0) continue;
                if (far < 0) s.left = larger(s.left, (double)v.density[c]);
                else s.right = larger(s.right, (double)v.density[c]);
                for (int a = 0; a < dim; ++a)
                    if (fmin(far, far - n[a] / N) > half + 0.5 / N)
                        s.wind = larger(s.wind, fabs(face_velocity(sim, a, i, j, k)));
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
                t.fluid[0].temperature = 80;
                add_emitter(&t, box_between(0.1, 0.2, 0.2, 0.3, 0.5, 0.8), 2, 1, 0);
                const rheo_shape plate = box_between(0.525 - half, -1, -1, 0.525 + half, 2, 2);
                add_solid(&t, turned(plate, 0, 0, 1, angle));
                rheo_sim *sim = start_thin(&t);
                run_frames(sim, 20);
                const double n[3] = {cos(angle * M_PI / 180), sin(angle * M_PI / 180), 0},
                             middle[3] = {0.525, 0.5, 0.5};
                const sides s = look(sim, dim, middle, n, half);
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
    add_emitter(&t, box_between(0.2, 0.13, 0.2, 0.4, 0.4, 0.8), 1, -1, 0);
    add_solid(&t, box_between(0.53, -1, -1, 0.545, 2, 2));
    add_solid(&t, turned(box_between(-1, -1, -1, 2, 0.13, 2), 0, 0, 1, 4));
    rheo_sim *sim = start_thin(&t);
    run_frames(sim, 20);
    const sides s = look(sim, 3, (const double[3]){0.5375, 0.5, 0.5}, (const double[3]){1, 0, 0}, 0.0075);
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
    add_emitter(&t, box_between(0.1, 0, 0, 0.3, 1, 1), 2, 0, 0);
    add_solid(&t, box_between(0.52, 0.3, -1, 0.535, 2, 2));
    rheo_sim *sim = start_thin(&t);
    const rheo_frame_stats f = run_frames(sim, 30);
    const sides s = look(sim, 2, (const double[3]){0.5275, 0.5, 0.5}, (const double[3]){1, 0, 0}, 0.0075);
    printf("plate with a gap: %.3f before, %.3f behind, drift %.1e\n", s.left, s.right, f.volume_drift);
    assert_true(s.right > 0.5);
    check_below(fabs(f.volume_drift), 1e-5);
    rheo_free_sim(sim);
}

/* ---- walls that move ---- */

/* Keys over two seconds: the end of a run is not the end of a motion. */
static const double times[2] = {0, 2};

/* A piston without a gap, 0.3 cells thick, in a channel open at both ends; smoke fills all that is behind it.
 * It sweeps through cells and takes the gas along: as fast as itself on both sides, none of the smoke before
 * it, and the smoke follows. In steps of a fifth of a cell and of three. */
static void thin_pistons_push(void **state) {
    (void)state;
    static const double places[6] = {0.2175, 0.5, 0.5, 1.2175, 0.5, 0.5};
    for (int fast = 0; fast < 2; ++fast)
        for (int dim = 2; dim <= 3; ++dim) {
            setup t;
            prepare(&t, dim);
            t.scene.wall[RHEO_LEFT] = t.scene.wall[RHEO_RIGHT] = RHEO_WALL_OPEN;
            t.scene.fps = fast ? 3.4 : 60;
            fill_with(&t, box_between(-1, -1, -1, 0.21, 2, 2));
            add_keyed(&t, box_between(0.21, -1, -1, 0.225, 2, 2), 2, times, places);
            rheo_sim *sim = start_thin(&t);
            const rheo_frame_stats s = run_frames(sim, fast ? 3 : 54);
            const double shift = 0.5 * s.time, middle[3] = {0.2175 + shift, 0.5, 0.5};
            const sides seen = look(sim, dim, middle, (const double[3]){1, 0, 0}, 0.0075);
            double slowest = INFINITY, fastest = 0;
            for (int i = 0; i <= N; ++i) {
                const double u = face_velocity(sim, 0, i, 7, dim == 3 ? 7 : 0);
                slowest = smaller(slowest, u);
                fastest = larger(fastest, u);
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
    static const double degrees[2] = {0, 360};
    for (int dim = 2; dim <= 3; ++dim) {
        setup t;
        prepare(&t, dim);
        fill_with(&t, box_between(-1, -1, -1, 0.5, 2, 2));
        rheo_solid *paddle = add_solid(&t, box_between(0.49, 0.1, 0.1, 0.51, 0.9, 0.9));
        paddle->motion = RHEO_KEYED;
        paddle->rotation_axis[0] = paddle->rotation_axis[1] = 0;
        paddle->rotation_axis[2] = 1;
        paddle->rotation_degrees = (rheo_curve){.count = 2, .times = times, .values = degrees, .width = 1};
        rheo_sim *sim = start_thin(&t);
        const rheo_frame_stats s = run_frames(sim, 24);
        double right = 0, all = 0;
        rheo_volume_view v;
        rheo_view_volume(&v, sim);
        for (int k = 0; k < v.cells[2]; ++k)
            for (int j = 0; j < v.cells[1]; ++j)
                for (int i = 0; i < v.cells[0]; ++i) {
                    const float f = v.density[i + j * v.row + k * v.plane];
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
    prepare(&t, 3);
    t.gravity[1] = -9.81;
    add_body(&t, box_between(0.3, 0.79, 0.3, 0.7, 0.81, 0.7), 30);
    rheo_sim *sim = start_thin(&t);
    const rheo_frame_stats s = run_frames(sim, 6);
    const double share = -body_of(sim, 0).velocity[1] / (9.81 * s.time);
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
