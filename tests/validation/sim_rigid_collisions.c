/* Bodies as liquid held rigid that collide under water (Carlson 2004, eq. 68-70: what contacts do to bodies
 * is handed to the liquid in them). A heavy ball strikes a box near its end: what the one loses the other
 * gains, moving and turning, and in the same step the faces in both have V + omega x r of the motion after
 * the impact. And contact that lasts: a stack that rests on the floor, and the water in and around it. */
#include "check.h"

#include "scenes_by_hand.h"

static const double RADIUS = 0.12, DENSITY = 8000;
static const double HALF[3] = {0.08, 0.22, 0.12}; /* m, of the box */
enum { BALL, BOX, CELLS = 24 };

typedef struct pair {
    rheo_body_stats at[2];
    double mass[2];
} pair;

static void read_pair(pair *p, const rheo_sim *sim) {
    for (int i = 0; i < 2; ++i) p->at[i] = body_of(sim, i);
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

/* m inside the ball, or inside a box that is turned about z. */
static double depth_of(const double x[3], const rheo_body_stats *b, int is_ball) {
    double d[3], deep = INFINITY;
    for (int a = 0; a < 3; ++a) d[a] = x[a] - b->position[a];
    if (is_ball) return RADIUS - sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double angle = 2 * atan2(b->orientation[3], b->orientation[0]), c = cos(angle), s = sin(angle);
    const double own[3] = {c * d[0] + s * d[1], c * d[1] - s * d[0], d[2]};
    for (int a = 0; a < 3; ++a) deep = smaller(deep, HALF[a] - fabs(own[a]));
    return deep;
}

/* The largest difference between faces deep in bodies and V + omega x r there, m/s. */
static double faces_off(int *count, const rheo_sim *sim, int with_ball) {
    double worst = 0;
    *count = 0;
    for (int body = 0; body < 2; ++body)
        for (int at = 0; at < 3 * CELLS * CELLS * CELLS; ++at) {
            const int axis = at % 3, i = at / 3 % CELLS, j = at / 3 / CELLS % CELLS,
                      k = at / 3 / CELLS / CELLS;
            const int face[3] = {i, j, k}, q = (axis + 1) % 3, r = (axis + 2) % 3;
            const rheo_body_stats now = body_of(sim, body);
            double x[3], arm[3];
            for (int a = 0; a < 3; ++a) {
                x[a] = (face[a] + (a != axis) * 0.5) / CELLS;
                arm[a] = x[a] - now.position[a];
            }
            if (depth_of(x, &now, with_ball && body == BALL) < 0.9 / CELLS) continue;
            const double turn = now.spin[q] * arm[r] - now.spin[r] * arm[q];
            worst = larger(worst, fabs(face_velocity(sim, axis, i, j, k) - now.velocity[axis] - turn));
            ++*count;
        }
    return worst;
}

/* A box full of water. */
static void prepare(setup *t) {
    set_up(t, RHEO_APIC, 3, CELLS);
    fill_pool(t, 1);
    t->scene.fps = 200;
    t->scene.coupling = RHEO_RIGID_FLUID;
}

static rheo_sim *begin_collision(double restitution) {
    setup t;
    prepare(&t);
    t.gravity[1] = 0;
    add_body(&t, ball_at(0.3, 0.65, 0.5, RADIUS), DENSITY)->velocity[0] = 1;
    add_body(&t, box_about((double[]){0.6, 0.5, 0.5}, HALF), DENSITY);
    t.solid[BALL].restitution = t.solid[BOX].restitution = restitution;
    return start_sim(&t.scene, 1);
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
    pair before, after;
    int impacts = 0;
    double off = 0;
    for (int step = 0; step < 30; ++step) {
        int count;
        read_pair(&before, sim);
        step_sim(sim, 0);
        read_pair(&after, sim);
        off = larger(off, faces_off(&count, sim, 1));
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
    setup t;
    double fastest = 0, off = 0;
    prepare(&t);
    add_body(&t, box_about((double[]){0.5, HALF[1], 0.5}, HALF), DENSITY);
    add_body(&t, box_about((double[]){0.53, 3 * HALF[1], 0.5}, HALF), DENSITY);
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int step = 0; step < 40; ++step) {
        int count;
        step_sim(sim, 0);
        off = larger(off, faces_off(&count, sim, 0));
        assert_true(count > 200);
        for (int i = 0; i < 2 && step >= 10; ++i) {
            const rheo_body_stats b = body_of(sim, i);
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
