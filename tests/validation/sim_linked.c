/* Bodies that joints link under water: what one lifts and the other weighs act on both at once.
 * Pairs that displace their weight rest, a fixed pair moves as one body, floats bear what is fixed above and
 * below them, motors what is linked to their bodies. */
#include "check.h"

#include "../../bench/basin.h"
#include "scenes_by_hand.h"

enum { CELLS = 32, JOINTS = 4 };
#define DX (1.0 / CELLS)

typedef struct {
    basin b;
    rheo_joint joints[JOINTS];
    double speed;
    rheo_sim *sim;
} tank;

static void fill_tank(tank *t, int dim, double level) {
    memset(t, 0, sizeof *t);
    t->b = basin_make(dim, 1, 1, 1, CELLS, level);
}

static rheo_joint *join(tank *t, rheo_joint_kind kind, int a, int b, double x, double y) {
    rheo_joint *j = &t->joints[t->b.scene.joint_count++];
    *j = rheo_default_joint();
    j->kind = kind;
    j->a = a;
    j->b = b;
    memcpy(j->anchor, (double[]){x, y, 0.5}, sizeof j->anchor);
    memcpy(j->axis, (double[]){0, 0, 1}, sizeof j->axis);
    return j;
}

/* Only up and down. */
static rheo_joint *guide(tank *t, int solid) {
    rheo_joint *j = join(t, RHEO_JOINT_SLIDER, solid, -1, 0, 0);
    memcpy(j->axis, (double[]){0, 1, 0}, sizeof j->axis);
    return j;
}

static void start(tank *t) {
    rheo_report report = {0};
    t->b.scene.joints = t->joints;
    if (basin_run(&t->sim, &t->b, 1, &report)) fail_msg("%s", report.message);
}

static rheo_body_stats look(const tank *t, int index) {
    return body_of(t->sim, index);
}

/* Of a tenth and of 1.9 times the water's density, one above the other with so many cells between them. */
static void add_pair(tank *t, double gap) {
    const double half = 1.6 * DX, off = half + 0.5 * gap * DX, z = t->b.scene.dim == 3 ? 2.9 * DX : 0.5;
    basin_add(&t->b, basin_box(0.51, 0.37 + off, 0.5, 0.1, half, z), 0.1);
    basin_add(&t->b, basin_box(0.51, 0.37 - off, 0.5, 0.1, half, z), 1.9);
}

/* The farthest that either is from where it began, in cells. */
static double drift(tank *t, double seconds) {
    rheo_body_stats began[2] = {look(t, 0), look(t, 1)};
    double most = 0;
    while (time_of(t->sim) < seconds) {
        step_sim(t->sim, 1);
        for (int i = 0; i < 2; ++i)
            for (int a = 0; a < 2; ++a)
                most = larger(most, fabs(look(t, i).position[a] - began[i].position[a]) / DX);
    }
    return most;
}

/* Across gravity a slider lets the light one go up its own slope, however small that is: it is guided. */
static void neutral_pairs_rest(void **state) {
    (void)state;
    static const struct {
        const char *name;
        rheo_joint_kind kind;
        int dim;
        double gap, seconds;
    } cases[] = {
        {"fixed", RHEO_JOINT_FIXED, 2, 0, 3},   {"fixed", RHEO_JOINT_FIXED, 2, 1, 3},
        {"fixed", RHEO_JOINT_FIXED, 2, 3, 3},   {"hinge", RHEO_JOINT_HINGE, 2, 1, 3},
        {"ball", RHEO_JOINT_BALL, 2, 3, 3},     {"slider", RHEO_JOINT_SLIDER, 2, 1, 3},
        {"fixed", RHEO_JOINT_FIXED, 3, 0, 0.3}, {"ball", RHEO_JOINT_BALL, 3, 1, 0.3},
        {"hinge", RHEO_JOINT_HINGE, 3, 1, 0.3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tank t;
        fill_tank(&t, cases[i].dim, 0.62);
        add_pair(&t, cases[i].gap);
        rheo_joint *j = join(&t, cases[i].kind, 0, 1, 0.51, 0.37);
        if (cases[i].kind == RHEO_JOINT_SLIDER) {
            memcpy(j->axis, (double[]){1, 0, 0}, sizeof j->axis);
            guide(&t, 0);
        }
        start(&t);
        const double off = drift(&t, cases[i].seconds);
        print_message("%s, %dD, %g cells apart: %.5f cells off after %g s\n", cases[i].name, cases[i].dim,
                      cases[i].gap, off, cases[i].seconds);
        check_below(off, 0.05);
        rheo_free_sim(t.sim);
    }
}

/* Against a union of both shapes, of their mean density, let go under water. */
static void fixed_pairs_are_one_body(void **state) {
    (void)state;
    static const double relative[][2] = {{0.1, 1.1}, {0.2, 0.4}, {5, 1}};
    for (int i = 0; i < 3; ++i) {
        double v[2];
        for (int one = 0; one < 2; ++one) {
            tank t;
            fill_tank(&t, 2, 0.7);
            rheo_shape parts[2] = {basin_box(0.5, 0.45, 0.5, 0.1, 1.5 * DX, 0.5),
                                   basin_box(0.5, 0.3, 0.5, 0.1, 1.5 * DX, 0.5)};
            if (one) {
                rheo_shape both = rheo_default_shape(RHEO_SHAPE_UNION);
                both.children = parts;
                both.child_count = 2;
                basin_add(&t.b, both, 0.5 * (relative[i][0] + relative[i][1]));
            } else {
                for (int k = 0; k < 2; ++k) basin_add(&t.b, parts[k], relative[i][k]);
                join(&t, RHEO_JOINT_FIXED, 0, 1, 0, 0);
            }
            start(&t);
            while (time_of(t.sim) < 0.0999) step_sim(t.sim, 0.01);
            v[one] = look(&t, 0).velocity[1];
            rheo_free_sim(t.sim);
        }
        print_message("densities %.1f and %.1f: %.5f m/s after 0.1 s, as one body %.5f\n", relative[i][0],
                      relative[i][1], v[0], v[1]);
        check_near(v[0], v[1], 1e-3 * fabs(v[1]));
    }
}

/* A hull of 0.3 x 0.2 and 0.1 of the density with a keel of 0.1 x 0.06 and 4 of it: 0.06 x 0.1 + 0.006 x 4 =
 * 0.3 d + 0.006. A raft of 0.3 x 0.12 and 0.2 that bears a block of 0.06 x 0.06 and 2.5 well above the water:
 * 0.036 x 0.2 + 0.0036 x 2.5 = 0.3 d. */
static void floats_bear_what_they_carry(void **state) {
    (void)state;
    static const double drawn[2] = {0.08, 0.054};
    for (int i = 0; i < 2; ++i) {
        tank t;
        double mean = 0;
        int steps = 0;
        fill_tank(&t, 2, 0.5);
        if (i == 0) {
            basin_add(&t.b, basin_box(0.5, 0.52, 0.5, 0.15, 0.1, 0.5), 0.1);
            basin_add(&t.b, basin_box(0.5, 0.39, 0.5, 0.05, 0.03, 0.5), 4);
        } else {
            basin_add(&t.b, basin_box(0.5, 0.506, 0.5, 0.15, 0.06, 0.5), 0.2);
            basin_add(&t.b, basin_box(0.5, 0.75, 0.5, 0.03, 0.03, 0.5), 2.5);
            guide(&t, 0);
        }
        join(&t, RHEO_JOINT_FIXED, 0, 1, 0, 0);
        start(&t);
        while (time_of(t.sim) < 3) {
            step_sim(t.sim, 1);
            if (time_of(t.sim) < 2) continue;
            mean += 0.5 - look(&t, 0).position[1] + (i == 0 ? 0.1 : 0.06);
            ++steps;
        }
        mean /= steps;
        print_message("%s: draws %.4f m of %.4f\n", i ? "raft with a load above" : "hull with a keel", mean,
                      drawn[i]);
        check_near(mean, drawn[i], 0.02 * drawn[i]);
        rheo_free_sim(t.sim);
    }
}

/* A box in the plane, one cell deep. */
typedef struct {
    double half[2], relative; /* m; density by the water's */
} block;

static double mass_of(const block *b) {
    return 4 * b->half[0] * b->half[1] * DX * b->relative * BASIN_DENSITY;
}

static double energy(tank *t, const block *link, int count) {
    const rheo_frame_stats f = stats_of(t->sim);
    double sum = f.kinetic + f.potential;
    for (int i = 0; i < count; ++i) {
        const double mass = mass_of(&link[i]), *half = link[i].half;
        const double inertia[3] = {0, 0, mass * (half[0] * half[0] + half[1] * half[1]) / 3};
        const rheo_body_stats now = look(t, i);
        sum += kinetic_of(&now, mass, inertia) + BASIN_GRAVITY * mass * now.position[1];
    }
    return sum;
}

/* Three links, heavy and light by turns, swing down from level under water: the joints stay together, and the
 * energy of all does not rise above what it began with. */
static void chains_gain_no_energy(void **state) {
    (void)state;
    static const block link[3] = {{{0.07, 0.03}, 5}, {{0.07, 0.03}, 0.1}, {{0.07, 0.03}, 5}};
    tank t;
    double began, most = -1e30, apart = 0, low = 1;
    fill_tank(&t, 2, 0.8);
    for (int i = 0; i < 3; ++i) {
        const double *half = link[i].half;
        basin_add(&t.b, basin_box(0.36 + 0.16 * i, 0.6, 0.5, half[0], half[1], 0.5), link[i].relative);
        join(&t, RHEO_JOINT_HINGE, i, i - 1, 0.28 + 0.16 * i, 0.6);
    }
    start(&t);
    began = energy(&t, link, 3);
    while (time_of(t.sim) < 2) {
        rheo_body_stats at[3];
        step_sim(t.sim, 1);
        most = larger(most, energy(&t, link, 3) - began);
        for (int i = 0; i < 3; ++i) {
            at[i] = look(&t, i);
            low = smaller(low, at[i].position[1]);
        }
        for (int i = 0; i < 2; ++i) { /* the hinge is 0.08 from both middles */
            const double a = 2 * atan2(at[i].orientation[3], at[i].orientation[0]),
                         b = 2 * atan2(at[i + 1].orientation[3], at[i + 1].orientation[0]);
            const double x = at[i + 1].position[0] - at[i].position[0] - 0.08 * (cos(a) + cos(b)),
                         y = at[i + 1].position[1] - at[i].position[1] - 0.08 * (sin(a) + sin(b));
            apart = larger(apart, hypot(x, y) / DX);
        }
    }
    print_message("chain: energy rises by %.4g J of %.4g, joints %.5f cells apart, down to %.3f m\n", most,
                  began, apart, low);
    check_below(most, 5e-4 * began);
    check_below(apart, 0.02);
    check_below(low, 0.45);
    rheo_free_sim(t.sim);
}

/* In the air and without weight a light and a heavy body on a hinge, one of them thrown. */
static void pairs_keep_their_momentum(void **state) {
    (void)state;
    static const double still[3] = {0};
    static const block pair[2] = {{{0.04, 0.06}, 0.1}, {{0.05, 0.03}, 4}};
    tank t;
    double first[2], most = 0;
    fill_tank(&t, 2, 0.1);
    t.b.scene.gravity = (rheo_curve){.count = 1, .values = still, .width = 3};
    for (int i = 0; i < 2; ++i)
        basin_add(&t.b, basin_box(0.45 + 0.1 * i, 0.6, 0.5, pair[i].half[0], pair[i].half[1], 0.5),
                  pair[i].relative);
    t.b.solids[0].velocity[1] = 0.6;
    join(&t, RHEO_JOINT_HINGE, 0, 1, 0.5, 0.62);
    start(&t);
    for (int n = 0; n < 60; ++n) {
        double sum[2] = {0};
        for (int i = 0; i < 2; ++i) {
            const rheo_body_stats now = look(&t, i);
            for (int a = 0; a < 2; ++a) sum[a] += mass_of(&pair[i]) * now.velocity[a];
        }
        if (n == 0) memcpy(first, sum, sizeof sum);
        for (int a = 0; a < 2; ++a) most = larger(most, fabs(sum[a] - first[a]) / fabs(first[1]));
        step_sim(t.sim, 0.01);
    }
    print_message("thrown pair: momentum off by %.2g of it\n", most);
    check_below(most, 1e-12);
    rheo_free_sim(t.sim);
}

/* A carriage of the water's density on an upright guide with a block of twice that below it, which weighs W
 * under water: a brake of F lets both go down with 1 - F / W of what they would without. */
static void brakes_bear_what_is_tied(void **state) {
    (void)state;
    static const double share[] = {0, 0.5, 0.98, 1.02};
    double alone = 0;
    for (int i = 0; i < 4; ++i) {
        tank t;
        fill_tank(&t, 2, 1);
        basin_add(&t.b, basin_box(0.51, 0.7, 0.5, 0.07, 0.05, 0.5), 1);
        basin_add(&t.b, basin_box(0.51, 0.5, 0.5, 0.09, 0.06, 0.5), 2);
        join(&t, RHEO_JOINT_FIXED, 0, 1, 0, 0);
        rheo_joint *j = guide(&t, 0);
        j->speed = (rheo_curve){.count = 1, .values = &t.speed, .width = 1};
        j->force = share[i] * 1000 * 0.18 * 0.12 * DX * BASIN_GRAVITY;
        start(&t);
        while (time_of(t.sim) < 0.0299) step_sim(t.sim, 0.01);
        const double fall = -look(&t, 1).velocity[1] / 0.03;
        if (i == 0) alone = fall;
        print_message("brake of %.2f W: %.4f m/s2, %.4f of that without\n", share[i], fall, fall / alone);
        check_near(fall / alone, fmax(0, 1 - share[i]), 0.005);
        rheo_free_sim(t.sim);
    }
}

/* A blade that hangs on the arm of a motor, fixed to it and on a hinge; the arm has its speed, and the blade,
 * where it is fixed. */
static void motors_drive_what_is_tied(void **state) {
    (void)state;
    for (int hinged = 0; hinged < 2; ++hinged) {
        tank t;
        double off = 0, apart = 0;
        fill_tank(&t, 2, 0.7);
        basin_add(&t.b, basin_box(0.5, 0.5, 0.5, 0.1, 0.03, 0.5), 0.3);
        basin_add(&t.b, basin_box(0.7, 0.5, 0.5, 0.08, 0.03, 0.5), 3);
        join(&t, hinged ? RHEO_JOINT_HINGE : RHEO_JOINT_FIXED, 0, 1, 0.61, 0.5);
        rheo_joint *j = join(&t, RHEO_JOINT_MOTOR, 0, -1, 0.5, 0.5);
        t.speed = 3;
        j->speed = (rheo_curve){.count = 1, .values = &t.speed, .width = 1};
        j->force = 1e4;
        start(&t);
        while (time_of(t.sim) < 0.4) {
            step_sim(t.sim, 1);
            const rheo_body_stats arm = look(&t, 0), blade = look(&t, 1);
            if (time_of(t.sim) > 0.05) off = larger(off, fabs(arm.spin[2] - 3));
            if (time_of(t.sim) > 0.05 && !hinged) apart = larger(apart, fabs(blade.spin[2] - 3));
        }
        print_message("%s blade: 3 rad/s held to %.5f by the arm, %.5f by the blade\n",
                      hinged ? "hinged" : "fixed", off, apart);
        check_below(off, 0.03);
        check_below(apart, 0.03);
        rheo_free_sim(t.sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neutral_pairs_rest),          cmocka_unit_test(fixed_pairs_are_one_body),
        cmocka_unit_test(floats_bear_what_they_carry), cmocka_unit_test(chains_gain_no_energy),
        cmocka_unit_test(pairs_keep_their_momentum),   cmocka_unit_test(brakes_bear_what_is_tied),
        cmocka_unit_test(motors_drive_what_is_tied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
