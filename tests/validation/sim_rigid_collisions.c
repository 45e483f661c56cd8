/* Bodies as liquid held rigid that collide under water (Carlson 2004, eq. 68-70: what contacts do to bodies
 * is handed to the liquid in them). A heavy ball strikes a box near its end: what the one loses the other
 * gains, moving and turning, and in the same step the faces in both have V + omega x r of the motion after
 * the impact. And contact that lasts: a stack that rests on the floor, and the water in and around it. */
#include "check.h"

#include <rheo/rheo.h>
#include "grid/rows.h"
#include "sim/liquid.h"

static const double RADIUS = 0.12, DENSITY = 8000;
static const double HALF[3] = {0.08, 0.22, 0.12}; /* m, of the box */
static const double weightless[3] = {0, 0, 0};
enum { BALL, BOX, CELLS = 24 };

typedef struct pair {
    rheo_body_stats at[2];
    double mass[2];
} pair;

static void read_pair(pair *p, const rheo_sim *sim) {
    for (int i = 0; i < 2; ++i) rheo_read_body(&p->at[i], NULL, sim, i);
    p->mass[BALL] = DENSITY * 4 / 3 * M_PI * RADIUS * RADIUS * RADIUS;
    p->mass[BOX] = DENSITY * 8 * HALF[0] * HALF[1] * HALF[2];
}

/* All turning is about z. */
static double turning(const pair *p) {
    const double inertia[2] = {0.4 * p->mass[BALL] * RADIUS * RADIUS,
                               p->mass[BOX] * (HALF[0] * HALF[0] + HALF[1] * HALF[1]) / 3};
    double sum = 0;
    for (int i = 0; i < 2; ++i) {
        const rheo_body_stats *b = &p->at[i];
        sum += inertia[i] * b->spin[2] + p->mass[i] * ((b->position[0] - 0.5) * b->velocity[1] -
                                                       (b->position[1] - 0.5) * b->velocity[0]);
    }
    return sum;
}

static double moving(const pair *p, int axis) {
    return p->mass[0] * p->at[0].velocity[axis] + p->mass[1] * p->at[1].velocity[axis];
}

/* The largest difference between faces deep in bodies and V + omega x r there, m/s. */
static double faces_off(int *count, const rheo_sim *s) {
    double worst = 0;
    *count = 0;
    for (int i = s->walls; i < s->def.solid_count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const obstacle *o = &s->solids[i];
            const body_state *now = o->body->now;
            const cell_range r = range_inner_faces(&s->g, axis);
            for (int k = r.lower[2]; k < r.upper[2]; ++k)
                for (int j = r.lower[1]; j < r.upper[1]; ++j)
                    for (int c = r.lower[0]; c < r.upper[0]; ++c) {
                        const int at[3] = {c, j, k};
                        double x[3], arm[3], turn[3];
                        for (int a = 0; a < 3; ++a) {
                            x[a] = s->g.origin[a] + s->g.dx * (at[a] + (a != axis) * 0.5);
                            arm[a] = x[a] - now->position[a];
                        }
                        if (placement_distance(&o->now, o->shape, x) > -0.9 * s->g.dx) continue;
                        turn[0] = now->spin[1] * arm[2] - now->spin[2] * arm[1];
                        turn[1] = now->spin[2] * arm[0] - now->spin[0] * arm[2];
                        turn[2] = now->spin[0] * arm[1] - now->spin[1] * arm[0];
                        const double u = (double)s->vel.value[axis][box_at(&s->g.box, c, j, k)];
                        worst = larger(worst, fabs(u - now->velocity[axis] - turn[axis]));
                        ++*count;
                    }
        }
    return worst;
}

static void make_body(rheo_solid *b, const char *name, rheo_shape form) {
    *b = rheo_default_solid();
    b->name = name;
    b->shape = form;
    b->motion = RHEO_DYNAMIC;
    b->density = DENSITY;
}

static rheo_sim *begin(rheo_solid solids[2], const double *gravity) {
    rheo_scene scene = rheo_default_scene();
    rheo_fluid water = rheo_default_fluid();
    rheo_shape fill = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_report report = {0};
    rheo_sim *sim;
    for (int a = 0; a < 3; ++a) {
        fill.a[a] = 0;
        fill.b[a] = 1;
    }
    water.name = "water";
    water.fill = &fill;
    water.fill_count = 1;
    scene.cells = CELLS;
    scene.fps = 200;
    scene.method = RHEO_APIC;
    scene.coupling = RHEO_RIGID_FLUID;
    scene.gravity = (rheo_curve){.count = 1, .values = gravity, .width = 3};
    scene.fluids = &water;
    scene.fluid_count = 1;
    scene.solids = solids;
    scene.solid_count = 2;
    if (rheo_create_sim(&sim, &scene, 1, &report)) fail_msg("%s", report.message);
    return sim;
}

static rheo_shape box_around(double x, double y, double z) {
    const double middle[3] = {x, y, z};
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) {
        s.a[a] = middle[a] - HALF[a];
        s.b[a] = middle[a] + HALF[a];
    }
    return s;
}

static rheo_sim *begin_collision(double restitution) {
    rheo_shape round = rheo_default_shape(RHEO_SHAPE_SPHERE);
    rheo_solid solids[2];
    round.a[0] = 0.3, round.a[1] = 0.65, round.a[2] = 0.5;
    round.radius = RADIUS;
    make_body(&solids[BALL], "ball", round);
    make_body(&solids[BOX], "box", box_around(0.6, 0.5, 0.5));
    solids[BALL].velocity[0] = 1;
    solids[BALL].restitution = solids[BOX].restitution = restitution;
    return begin(solids, weightless);
}

/* How fast the ball nears the box where it strikes it, m/s. */
static double nearing(const pair *p) {
    const rheo_body_stats *ball = &p->at[BALL], *box_at_rest = &p->at[BOX];
    const double arm = ball->position[1] - box_at_rest->position[1];
    return ball->velocity[0] - (box_at_rest->velocity[0] - box_at_rest->spin[2] * arm);
}

/* The water takes its part of an impact, in the step of the impact: of what the pair exchange, 2.4 and 2.6 %
 * (measured), and of its turning about the middle 0.4 and 0.3 %. */
static void check_impact(const pair *before, const pair *after, double restitution) {
    const double exchanged = after->mass[BOX] * (after->at[BOX].velocity[0] - before->at[BOX].velocity[0]);
    const double arm = before->at[BALL].position[1] - before->at[BOX].position[1];
    double change[2];
    for (int a = 0; a < 2; ++a) change[a] = moving(after, a) - moving(before, a);
    const double turned = turning(after) - turning(before), bounce = -nearing(after) / nearing(before);
    print_message("restitution %g: %.2f kg m/s exchanged, the pair's momentum changes by %+.3f %+.3f and "
                  "%+.4f kg m2/s, it bounces by %.3f\n",
                  restitution, exchanged, change[0], change[1], turned, bounce);
    check_below(-change[0], 0.05 * exchanged);
    check_below(0.01 * exchanged, -change[0]);
    check_below(fabs(change[1]), 0.05 * exchanged);
    check_below(fabs(turned), 0.01 * exchanged * arm);
    check_near(bounce, restitution, 0.08);
    check_below(1, fabs(after->at[BOX].spin[2]));
}

static void collide(double restitution) {
    rheo_sim *sim = begin_collision(restitution);
    rheo_report report = {0};
    pair before, after;
    int impacts = 0;
    double off = 0;
    for (int step = 0; step < 30; ++step) {
        int count;
        read_pair(&before, sim);
        if (rheo_advance_step(sim, 0, &report)) fail_msg("%s", report.message);
        read_pair(&after, sim);
        off = larger(off, faces_off(&count, sim));
        assert_true(count > 200);
        if (after.at[BOX].velocity[0] - before.at[BOX].velocity[0] < 0.1)
            continue; /* m/s; water gives 3e-3 */
        check_impact(&before, &after, restitution);
        ++impacts;
    }
    print_message("faces in the bodies: off by at most %.1e m/s\n", off);
    assert_int_equal(impacts, 1);
    check_below(off, 1e-6);
    rheo_free_sim(sim);
}

static void test_collisions(void **state) {
    (void)state;
    collide(0);
    collide(0.8);
}

/* Two boxes on the floor, the upper one a little to the side: what bears them acts after pressure, and stops
 * the faces in them with them. */
static void test_stack(void **state) {
    (void)state;
    static const double down[3] = {0, -9.81, 0};
    rheo_solid solids[2];
    rheo_report report = {0};
    double fastest = 0, off = 0;
    make_body(&solids[0], "low", box_around(0.5, HALF[1], 0.5));
    make_body(&solids[1], "high", box_around(0.53, 3 * HALF[1], 0.5));
    rheo_sim *sim = begin(solids, down);
    for (int step = 0; step < 40; ++step) {
        int count;
        if (rheo_advance_step(sim, 0, &report)) fail_msg("%s", report.message);
        off = larger(off, faces_off(&count, sim));
        assert_true(count > 200);
        for (int i = 0; i < 2 && step >= 10; ++i) {
            rheo_body_stats b;
            rheo_read_body(&b, NULL, sim, i);
            for (int a = 0; a < 3; ++a)
                fastest = larger(fastest, larger(fabs(b.velocity[a]), 0.2 * fabs(b.spin[a])));
        }
    }
    print_message("stack: moves at %.1e m/s, faces in it off by %.1e m/s\n", fastest, off);
    check_below(fastest, 1e-4);
    check_below(off, 1e-6);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_collisions), cmocka_unit_test(test_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
