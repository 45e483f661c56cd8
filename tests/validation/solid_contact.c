/* Contact, friction and restitution against mechanics: stacks rest, balls roll, cones hold, bounces keep e^2.
 */
#include "check.h"
#include "../../bench/dry_contact.h"
#include "rig.h"
#include "solid/vector.h"

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        rheo_report report = {0};                                                                            \
        if (call) fail_msg("%s", report.message);                                                            \
    } while (0)

static void check_stack(int boxes, double side, double gap) {
    stack_result r;
    MUST(dry_stack(&r, boxes, side, gap, &report));
    printf("stack of %d, side %g, gap %g: overlap %.4f cells, drift %.5f cells/s, turn %.2g\n", boxes, side,
           gap, r.overlap, r.drift, r.turn);
    check_below(r.overlap, 0.1);
    check_below(r.drift, 0.02);
    check_below(r.turn, 1e-4);
}

static void stack_rests(void **state) {
    (void)state;
    for (int boxes = 3; boxes <= 5; ++boxes) check_stack(boxes, 0.1, 0.01);
}

/* Corner on corner contacts depend on each other: of three boxes one fell through another. */
static void aligned_stack_rests(void **state) {
    (void)state;
    for (int boxes = 2; boxes <= 7; ++boxes)
        for (int size = 0; size < 3; ++size) check_stack(boxes, 0.06 + 0.04 * size, 0);
    check_stack(4, 0.2, 0);
    check_stack(3, 0.2, 1e-4);
}

static void ball_rolls(void **state) {
    (void)state;
    roll_result r;
    MUST(dry_roll(&r, 0, 20, 0.5, 0, &report));
    printf("rolling: a / (g sin) %.5f (5/7 = %.5f), spin r / v %.5f, off the slope %.4f cells\n",
           r.acceleration, 5.0 / 7, r.spin, r.off);
    check_near(r.acceleration, 5.0 / 7, 0.005);
    check_near(r.spin, 1, 0.005);
    check_below(r.off, 0.05);
}

/* Upright on its rim or long as a log: it goes straight down, and friction takes no more than it must; on a
 * plane, which has no points of its own, and on a box, whose points lie around the line it rolls on. */
static void cylinder_rolls(void **state) {
    (void)state;
    static const double lengths[] = {0.05, 0.2, 0.6}, degrees[] = {5, 16.7, 35};
    for (int i = 0; i < 18; ++i) {
        const double length = lengths[i % 3], slope = degrees[i / 3 % 3];
        const int on_box = i / 9;
        roll_result r;
        MUST(dry_roll(&r, length, slope, 0.8, on_box, &report));
        printf("cylinder of %.2f m at %.1f degrees on a %s: a / (g sin) %.5f (2/3), spin r / v %.5f, off the "
               "slope %.4f cells, aside %.1e\n",
               length, slope, on_box ? "box" : "plane", r.acceleration, r.spin, r.off, r.aside);
        check_near(r.acceleration, 2.0 / 3, 0.005);
        check_near(r.spin, 1, 0.005);
        check_below(r.off, 0.05);
        check_below(r.aside, 0.005);
    }
}

/* A box on two of its edges in a tube, or with one of them on a log, without friction: nothing drives it
 * along the axis. Returns how far, degrees, it swings to the left. */
static double swing(rheo_shape box, double turn, int tube, double seconds) {
    rig w;
    rheo_report report = {0};
    const double from[3] = {0.5, 0.5, -1}, to[3] = {0.5, 0.5, 2};
    double left = 0;
    rig_start(&w);
    w.gravity[1] = -DRY_GRAVITY;
    rheo_solid *round = rig_add(&w, rig_shape(RHEO_SHAPE_CYLINDER, from, to, 0.3), RHEO_STATIC);
    box.rotate_degrees = turn;
    rheo_solid *in = rig_add(&w, box, RHEO_DYNAMIC);
    round->inside_fluid = tube;
    round->friction = in->friction = 0;
    if (rig_begin(&w, &report)) fail_msg("%s", report.message);
    const double *x = world_body(w.w, 0)->now->position, before = x[2];
    for (int i = 0; i < 120 * seconds; ++i) {
        rig_advance(&w, 1.0 / 120, 1.0 / 120);
        left = larger(left, atan2(0.5 - x[0], 0.5 - x[1]) * 180 / M_PI);
    }
    const double along = fabs(x[2] - before),
                 overlap = contact_overlap(&w.scene, w.shapes, w.w, w.dx, w.time) / w.dx;
    printf("%s, box at %g degrees: %.1e m along the axis, overlap %.4f cells, %.2f degrees to the left\n",
           tube ? "in a tube" : "on a log", turn, along, overlap, left);
    check_below(along, 1e-4);
    check_below(overlap, 0.1);
    rig_end(&w);
    return left;
}

static void cylinders_drive_nothing(void **state) {
    (void)state;
    const double low = 0.235, at = 10 * M_PI / 180; /* of the box in the tube; where its edge is on the log */
    for (int degrees = 0; degrees <= 30; degrees += 10) {
        const double s = sin(degrees * M_PI / 180), c = cos(degrees * M_PI / 180);
        const rheo_shape box = rig_box(0.5 + low * s, 0.5 - low * c, 0.47, 0.12, 0.04, 0.1);
        check_near(swing(box, degrees, 1, 2), degrees, 0.01 * degrees + 1e-6);
    }
    for (int degrees = 50; degrees <= 70; degrees += 10) {
        const double s = sin(degrees * M_PI / 180), c = cos(degrees * M_PI / 180);
        swing(rig_box(0.5 + 0.3 * sin(at) + 0.12 * c - 0.04 * s, 0.5 + 0.3 * cos(at) + 0.12 * s + 0.04 * c,
                      0.5, 0.12, 0.04, 0.1),
              degrees, 0, 0.5);
    }
}

/* Of milligrams: ODE's exact solve ended the process. */
static void crumbs_rest(void **state) {
    (void)state;
    for (int i = 0; i < 12; ++i) {
        rig w;
        rheo_report report = {0};
        const double half = 1e-5 * (4 + 3 * i), gap = 2e-6 * i;
        rig_start(&w);
        w.dx = 2e-3 / 32;
        w.scene.wall[RHEO_BOTTOM] = RHEO_WALL_CLOSED;
        w.gravity[1] = -DRY_GRAVITY;
        for (int k = 0; k < 3; ++k) {
            const rheo_shape box = rig_box(5e-4 + 0.1 * half * k, (1 + 2 * k) * half + (1 + k) * gap, 5e-4,
                                           2 * half, half, half * (1 + k));
            rig_add(&w, box, RHEO_DYNAMIC)->density = k == 1 ? 100 : 917;
        }
        if (rig_begin(&w, &report)) fail_msg("%s", report.message);
        rig_advance(&w, 0.4, 1e-3);
        double fastest = 0;
        for (int k = 0; k < 3; ++k) fastest = larger(fastest, vec_length(world_body(w.w, k)->now->velocity));
        printf("stack of boxes of %.2g m: %.1e m/s after 0.4 s\n", 2 * half, fastest);
        check_below(fastest, 1e-3);
        rig_end(&w);
    }
}

/* Slipping: a = g (sin - mu cos), spin rate 5/2 mu g cos / r. */
static void ball_slips(void **state) {
    (void)state;
    const double mu = 0.1, t = tan(45 * M_PI / 180);
    roll_result r;
    MUST(dry_roll(&r, 0, 45, mu, 0, &report));
    printf("slipping: a / (g sin) %.5f (%.5f), spin r / v %.5f (%.5f)\n", r.acceleration, 1 - mu / t, r.spin,
           2.5 * mu / (t - mu));
    check_near(r.acceleration, 1 - mu / t, 0.01);
    check_near(r.spin, 2.5 * mu / (t - mu), 0.01);
}

/* A box on an incline moves if tan(theta) > mu, with g (sin - mu cos) along it. */
static void cone_is_respected(void **state) {
    (void)state;
    const double mu = 0.5, edge = atan(mu) * 180 / M_PI;
    double a;
    for (int i = -3; i <= 3; ++i) {
        const double degrees = edge + 2 * i + (i == 0 ? 0.5 : 0), angle = degrees * M_PI / 180;
        const double wanted = fmax(0, sin(angle) - mu * cos(angle));
        MUST(dry_slide(&a, degrees, mu, 0, &report));
        printf("friction 0.5 at %.2f degrees: a / g %.5f (%.5f)\n", degrees, a, wanted);
        check_near(a, wanted, 0.002 + 0.01 * wanted);
    }
    MUST(dry_slide(&a, edge + 4, mu, 0.8, &report));
    printf("held by static friction 0.8: a / g %.6f\n", a);
    check_near(a, 0, 1e-4);
}

/* v^2 / (2 mu g), whatever would hold the box once it rests: slow sliding is sliding. The last step's part of
 * the way, at most v dt, is the error. */
static void slides_to_rest(void **state) {
    (void)state;
    for (int k = 0; k < 6; ++k) {
        const double speed = k < 3 ? 0.3 : 0.15, hold = (double[]){0, 0.6, 2}[k % 3], mu = 0.1;
        const double wanted = speed * speed / (2 * mu * DRY_GRAVITY);
        double way;
        MUST(dry_stop(&way, speed, mu, hold, &report));
        printf("sliding at %.2f m/s, static friction %.1f: stops in %.5f m (%.5f)\n", speed, hold, way,
               wanted);
        check_near(way, wanted, speed / 120);
    }
}

static void bounce_keeps_e(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        const double e = (double[]){0.5, 0.8, 1}[k];
        bounce_result r;
        MUST(dry_bounce(&r, e, &report));
        printf("restitution %.1f: height %.4f of the drop (%.4f), sunk in %.4f cells\n", e, r.height, e * e,
               r.sunk);
        check_near(r.height, e * e, 0.015);
        check_below(r.sunk, 0.1);
    }
}

/* Two boxes and a ball collide off centre, weightless: momentum and angular momentum stay, energy does not
 * rise. */
static void collision_conserves(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    rheo_solid *s[3];
    rheo_shape turned = rig_box(0.5, 0.5, 0.5, 0.1, 0.06, 0.08);
    turned.rotate_axis[0] = 1;
    turned.rotate_degrees = 25;
    s[0] = rig_add(&r, turned, RHEO_DYNAMIC);
    s[1] = rig_add(&r, rig_box(0.2, 0.55, 0.47, 0.05, 0.07, 0.06), RHEO_DYNAMIC);
    s[2] = rig_add(&r, rig_ball(0.52, 0.85, 0.55, 0.07), RHEO_DYNAMIC);
    s[1]->velocity[0] = 1.5;
    s[1]->spin[1] = 4;
    s[2]->velocity[1] = -1;
    s[2]->restitution = 0.6;
    s[1]->density = 3000;
    rig_make(&r);
    double p0[3] = {0}, l0[3] = {0}, e0 = 0, p1[3] = {0}, l1[3] = {0}, e1 = 0;
    for (int when = 0; when < 2; ++when) {
        double *p = when ? p1 : p0, *l = when ? l1 : l0, *e = when ? &e1 : &e0;
        for (int i = 0; i < world_count(r.w); ++i) {
            const body *b = world_body(r.w, i);
            double inertia[9], own[3], turn[3];
            body_inertia(inertia, b);
            mat_times(own, inertia, b->now->spin);
            vec_cross(turn, b->now->position, b->now->velocity);
            for (int c = 0; c < 3; ++c) {
                p[c] += b->mass * b->now->velocity[c];
                l[c] += b->mass * turn[c] + own[c];
            }
            *e += body_kinetic(b);
        }
        if (!when) rig_advance(&r, 0.6, 1.0 / 100);
    }
    double dp[3], dl[3];
    vec_sub(dp, p1, p0);
    vec_sub(dl, l1, l0);
    printf("collision: momentum off by %.2g, angular momentum %.2g of itself, energy %.3f of before\n",
           vec_length(dp) / vec_length(p0), vec_length(dl) / vec_length(l0), e1 / e0);
    check_below(vec_length(dp) / vec_length(p0), 1e-10);
    check_below(vec_length(dl) / vec_length(l0), 1e-10);
    check_below(e1 / e0, 0.999);
    rig_end(&r);
}

/* Solids that begin in each other or beyond a side are parted as a shift: none of them is thrown. */
static void parting_throws_nothing(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    r.scene.wall[RHEO_BOTTOM] = RHEO_WALL_CLOSED;
    const double out = 0.7 * r.dx;
    rig_add(&r, rig_ball(0.3, 0.1 - out, 0.5, 0.1), RHEO_DYNAMIC);
    rig_add(&r, rig_box(0.6, 0.6, 0.5, 0.05, 0.05, 0.05), RHEO_DYNAMIC);
    rig_add(&r, rig_box(0.6 + 0.1 - out, 0.61, 0.51, 0.05, 0.05, 0.05), RHEO_DYNAMIC);
    rig_make(&r);
    const double before = contact_overlap(&r.scene, r.shapes, r.w, r.dx, 0) / r.dx;
    double speed = 0;
    for (int step = 0; step < 50; ++step) {
        rig_advance(&r, 0.01, 1.0 / 100);
        for (int i = 0; i < world_count(r.w); ++i)
            speed = larger(speed, vec_length(world_body(r.w, i)->now->velocity));
    }
    const double after = contact_overlap(&r.scene, r.shapes, r.w, r.dx, 0) / r.dx;
    printf("parted: overlap %.2f cells, %.3f after half a second; fastest %.2g m/s\n", before, after, speed);
    check_near(before, 0.7, 0.05);
    check_below(after, 0.05);
    check_below(speed, 1.6 * r.dx); /* of the last 0.03 cells, in 0.02 s; it was 12.5 cells/s */
    rig_end(&r);
}

/* What stands on a keyed table that shakes stays where it stood, wherever keys lie between steps. */
static void table_carries(void **state) {
    (void)state;
    enum { KEYS = 1001 };
    static double times[KEYS], places[KEYS][3];
    rig r;
    rig_start(&r);
    rheo_solid *table = rig_add(&r, rig_box(0.5, 0.2, 0.5, 0.4, 0.05, 0.4), RHEO_KEYED);
    rheo_solid *box = rig_add(&r, rig_box(0.5, 0.3, 0.5, 0.1, 0.05, 0.1), RHEO_DYNAMIC);
    table->friction = box->friction = 2;
    for (int i = 0; i < KEYS; ++i) {
        times[i] = i / 1000.0 + 0.0333; /* it stands when they begin */
        places[i][0] = 0.5 + 0.02 * (1 - cos(4 * M_PI * i / 1000.0));
        places[i][1] = 0.2;
        places[i][2] = 0.5;
    }
    table->position = (rheo_curve){KEYS, times, places[0], 3};
    r.gravity[1] = -9.81;
    MUST(rig_begin(&r, &report));
    double lag = 0;
    for (int step = 0; step < 31; ++step) {
        double at[3];
        rig_advance(&r, 1.0 / 30, 1.0 / 30);
        rheo_evaluate_curve(at, &table->position, r.time);
        lag = larger(lag, fabs(world_body(r.w, 0)->now->position[0] - at[0]) / r.dx);
    }
    printf("on a table that shakes: %.4f cells from where it stood\n", lag);
    check_below(lag, 0.01);
    rig_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_rests),         cmocka_unit_test(aligned_stack_rests),
        cmocka_unit_test(ball_rolls),          cmocka_unit_test(cylinder_rolls),
        cmocka_unit_test(ball_slips),          cmocka_unit_test(cone_is_respected),
        cmocka_unit_test(slides_to_rest),      cmocka_unit_test(bounce_keeps_e),
        cmocka_unit_test(collision_conserves), cmocka_unit_test(parting_throws_nothing),
        cmocka_unit_test(table_carries),       cmocka_unit_test(cylinders_drive_nothing),
        cmocka_unit_test(crumbs_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
