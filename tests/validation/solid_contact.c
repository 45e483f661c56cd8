/* Contact, friction and restitution against mechanics: stacks rest, balls roll, cones hold, bounces keep e^2.
 */
#include "check.h"
#include "rig.h"
#include "solid/vector.h"

static void floor_and_gravity(rig *r) {
    rig_start(r);
    r->scene.wall[RHEO_BOTTOM] = RHEO_WALL_CLOSED;
    r->gravity[1] = -9.81;
}

/* The deepest overlap of any body with the floor or, for boxes stacked along y, with the one below. */
static double stack_overlap(const rig *r, double height) {
    double worst = 0, below = 0;
    for (int i = 0; i < world_count(r->w); ++i) {
        const double low = world_body(r->w, i)->now->position[1] - 0.5 * height;
        worst = fmax(worst, below - low);
        below = low + height;
    }
    return worst;
}

static void stack_rests(void **state) {
    (void)state;
    for (int boxes = 3; boxes <= 5; ++boxes) {
        rig r;
        floor_and_gravity(&r);
        for (int i = 0; i < boxes; ++i)
            rig_add(&r, rig_box(0.5 + 0.005 * i, 0.06 + 0.11 * i, 0.5, 0.05, 0.05, 0.05), RHEO_DYNAMIC);
        rig_make(&r);
        double overlap = 0;
        for (int i = 0; i < 60; ++i) {
            rig_advance(&r, 1.0 / 60, 1.0 / 120);
            overlap = fmax(overlap, stack_overlap(&r, 0.1));
        }
        double before[8][3], drift = 0, turn = 0;
        for (int i = 0; i < boxes; ++i)
            memcpy(before[i], world_body(r.w, i)->now->position, sizeof before[i]);
        for (int i = 0; i < 60; ++i) {
            rig_advance(&r, 1.0 / 60, 1.0 / 120);
            overlap = fmax(overlap, stack_overlap(&r, 0.1));
        }
        for (int i = 0; i < boxes; ++i) {
            double moved[3];
            vec_sub(moved, world_body(r.w, i)->now->position, before[i]);
            drift = fmax(drift, vec_length(moved));
            turn = fmax(turn, 1 - fabs(world_body(r.w, i)->now->orientation[0]));
        }
        printf("stack of %d: overlap %.4f cells, drift %.5f cells/s, turn %.2g\n", boxes, overlap / r.dx,
               drift / r.dx, turn);
        check_below(overlap / r.dx, 0.1);
        check_below(drift / r.dx, 0.02);
        check_below(turn, 1e-4);
        rig_end(&r);
    }
}

/* A ball on an incline of a plane: rolls with 5/7 g sin(theta) while tan(theta) < 7/2 mu, else slides. */
static double incline(double degrees, double friction, double *spin_ratio, double *spread) {
    rig r;
    rig_start(&r);
    r.gravity[1] = -9.81;
    const double angle = degrees * M_PI / 180, s = sin(angle), c = cos(angle), radius = 0.1;
    rheo_solid *slope =
        rig_add(&r, rig_shape(RHEO_SHAPE_PLANE, (double[]){0, 0, 0}, (double[]){s, c, 0}, 0), RHEO_STATIC);
    rheo_solid *ball = rig_add(&r, rig_ball(radius * s, radius * c, 0.5, radius), RHEO_DYNAMIC);
    slope->friction = ball->friction = friction;
    rig_make(&r);
    const double seconds = 0.6;
    rig_advance(&r, seconds, 1.0 / 240);
    const body_state *now = world_body(r.w, 0)->now;
    const double v = c * now->velocity[0] - s * now->velocity[1];
    *spin_ratio = -now->spin[2] * radius / v;
    *spread = fabs(s * now->position[0] + c * now->position[1] - radius) / r.dx;
    rig_end(&r);
    return v / seconds / (9.81 * s);
}

static void ball_rolls(void **state) {
    (void)state;
    double ratio, gap, a = incline(20, 0.5, &ratio, &gap);
    printf("rolling: a / (g sin) %.5f (5/7 = %.5f), spin r / v %.5f, off the slope %.4f cells\n", a, 5.0 / 7,
           ratio, gap);
    check_near(a, 5.0 / 7, 0.005);
    check_near(ratio, 1, 0.005);
    check_below(gap, 0.05);
}

/* Slipping: a = g (sin - mu cos), spin rate 5/2 mu g cos / r. */
static void ball_slips(void **state) {
    (void)state;
    const double mu = 0.1, t = tan(45 * M_PI / 180);
    double ratio, gap, a = incline(45, mu, &ratio, &gap);
    printf("slipping: a / (g sin) %.5f (%.5f), spin r / v %.5f (%.5f)\n", a, 1 - mu / t, ratio,
           2.5 * mu / (t - mu));
    check_near(a, 1 - mu / t, 0.01);
    check_near(ratio, 2.5 * mu / (t - mu), 0.01);
}

/* A box on an incline moves if tan(theta) > mu, with g (sin - mu cos) along it. */
static double box_on_incline(double degrees, double friction, double static_friction) {
    rig r;
    rig_start(&r);
    const double angle = degrees * M_PI / 180, half = 0.05;
    r.gravity[0] = 9.81 * sin(angle);
    r.gravity[1] = -9.81 * cos(angle);
    rheo_solid *slope = rig_add(&r, rig_box(0.5, -0.1, 0.5, 3, 0.1, 3), RHEO_STATIC);
    rheo_solid *box = rig_add(&r, rig_box(0, half, 0.5, half, half, half), RHEO_DYNAMIC);
    slope->friction = box->friction = friction;
    slope->static_friction = box->static_friction = static_friction;
    rig_make(&r);
    rig_advance(&r, 0.5, 1.0 / 120);
    const double v = world_body(r.w, 0)->now->velocity[0];
    rig_end(&r);
    return v / 0.5 / 9.81;
}

static void cone_is_respected(void **state) {
    (void)state;
    const double mu = 0.5, edge = atan(mu) * 180 / M_PI;
    for (int i = -3; i <= 3; ++i) {
        const double degrees = edge + 2 * i + (i == 0 ? 0.5 : 0), angle = degrees * M_PI / 180;
        const double a = box_on_incline(degrees, mu, 0), wanted = fmax(0, sin(angle) - mu * cos(angle));
        printf("friction 0.5 at %.2f degrees: a / g %.5f (%.5f)\n", degrees, a, wanted);
        check_near(a, wanted, 0.002 + 0.01 * wanted);
    }
    const double held = box_on_incline(edge + 4, mu, 0.8);
    printf("held by static friction 0.8: a / g %.6f\n", held);
    check_near(held, 0, 1e-4);
}

static void bounce_keeps_e(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        rig r;
        floor_and_gravity(&r);
        const double e = (double[]){0.5, 0.8, 1}[k], drop = 0.5;
        rheo_solid *ball = rig_add(&r, rig_ball(0.5, 0.1 + drop, 0.5, 0.1), RHEO_DYNAMIC);
        ball->restitution = e;
        rig_make(&r);
        int rising = 0;
        double top = 0, low = 1;
        for (int i = 0; i < 2000; ++i) {
            rig_advance(&r, 1.0 / 1000, 1.0 / 1000);
            const body_state *now = world_body(r.w, 0)->now;
            low = fmin(low, now->position[1] - 0.1);
            if (now->velocity[1] > 0) rising = 1;
            if (rising && now->velocity[1] < 0) break;
            if (rising) top = now->position[1] - 0.1;
        }
        printf("restitution %.1f: height %.4f of the drop (%.4f), sunk in %.4f cells\n", e, top / drop, e * e,
               -low / r.dx);
        check_near(top / drop, e * e, 0.015);
        check_below(-low / r.dx, 0.1);
        rig_end(&r);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_rests),    cmocka_unit_test(ball_rolls),
        cmocka_unit_test(ball_slips),     cmocka_unit_test(cone_is_respected),
        cmocka_unit_test(bounce_keeps_e), cmocka_unit_test(collision_conserves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
