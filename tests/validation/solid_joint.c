/* Joints against mechanics: the period of a pendulum, a motor's torque and speed, limits, sliders, what is
 * fixed. */
#include "check.h"
#include "rig.h"
#include "solid/vector.h"

static rheo_joint *join(rig *r, rheo_joint *list, rheo_joint_kind kind, int a, int b, double x, double y,
                        double z) {
    static const double still = 0;
    rheo_joint *j = &list[r->scene.joint_count++];
    *j = (rheo_joint){
        .kind = kind, .a = a, .b = b, .anchor = {x, y, z}, .axis = {0, 0, 1}, .limits = {-1e9, 1e9}};
    j->speed = (rheo_curve){.count = 1, .values = &still, .width = 1};
    r->scene.joints = list;
    return j;
}

/* A rod of length L on a hinge at its end: T = 2 pi sqrt(2 L / (3 g)) (1 + A^2 / 16 + 11 A^4 / 3072). */
static void pendulum_period(void **state) {
    (void)state;
    const rheo_joint_kind kinds[2] = {RHEO_JOINT_HINGE, RHEO_JOINT_BALL};
    for (int k = 0; k < 2; ++k) {
        rig r;
        rheo_joint joints[1];
        rig_start(&r);
        r.gravity[1] = -9.81;
        const double length = 0.5, amplitude = 0.3, wide = 0.01;
        rheo_shape rod = rig_box(0.5, 0.5 - 0.5 * length, 0.5, wide, 0.5 * length, wide);
        rod.rotate_degrees =
            amplitude * 180 / M_PI; /* about the rod's middle: moved back to hang from (0.5, 0.5) */
        rod.move[0] = 0.5 * length * sin(amplitude);
        rod.move[1] = 0.5 * length * (1 - cos(amplitude));
        rig_add(&r, rod, RHEO_DYNAMIC);
        join(&r, joints, kinds[k], 0, -1, 0.5, 0.5, 0.5);
        rig_make(&r);
        const double dt = 1.0 / 240, inertia = length * length / 3 + wide * wide / 3;
        const double a2 = amplitude * amplitude;
        const double wanted =
            2 * M_PI * sqrt(2 * inertia / (9.81 * length)) * (1 + a2 / 16 + 11 * a2 * a2 / 3072);
        double crossings[8], last = 1, off = 0, swing = 0;
        int count = 0;
        while (count < 7 && r.time < 10) {
            rig_advance(&r, dt, dt);
            const body *b = world_body(r.w, 0);
            double turn[9], end[3];
            const double own[3] = {0, 0.5 * length, 0}, side = b->now->position[0] - 0.5;
            const double back[3] = {sin(amplitude) * -own[1], cos(amplitude) * own[1], 0};
            body_rotation(turn, b);
            mat_times(end, turn, back);
            off = larger(off, hypot(b->now->position[0] + end[0] - 0.5, b->now->position[1] + end[1] - 0.5));
            if (side * last < 0) {
                crossings[count++] = r.time - dt * fabs(side) / fabs(side - last);
                if (count == 1) swing = 0; /* the last full swings count */
            }
            swing = larger(swing, fabs(side));
            last = side;
        }
        const double period = (crossings[6] - crossings[0]) / 3;
        printf("pendulum %d: period %.5f s (%.5f), swing %.4f of the start, hinge off by %.4f cells\n", k,
               period, wanted, swing / (0.5 * length * sin(amplitude)), off / r.dx);
        check_near(period, wanted, 0.003 * wanted);
        check_near(swing / (0.5 * length * sin(amplitude)), 1, 0.03);
        check_below(off / r.dx, 0.05);
        rig_end(&r);
    }
}

/* A disc driven with torque M gains M / I until it has its speed, and keeps it. */
static void motor_drives(void **state) {
    (void)state;
    rig r;
    rheo_joint joints[1];
    rig_start(&r);
    rig_add(&r, rig_shape(RHEO_SHAPE_CYLINDER, (double[]){0.5, 0.5, 0.45}, (double[]){0.5, 0.5, 0.55}, 0.1),
            RHEO_DYNAMIC);
    rheo_joint *j = join(&r, joints, RHEO_JOINT_MOTOR, 0, -1, 0.5, 0.5, 0.5);
    const double speed = 5;
    j->speed.values = &speed;
    rig_make(&r);
    const body *b = world_body(r.w, 0);
    joints[0].force = 10 * b->inertia[8]; /* 10 rad/s2 */
    rig_advance(&r, 0.3, 0.01);
    printf("motor: %.6f rad/s after 0.3 s (3), ", b->now->spin[2]);
    check_near(b->now->spin[2], 3, 1e-3);
    rig_advance(&r, 0.7, 0.01);
    printf("%.6f at the end (5)\n", b->now->spin[2]);
    check_near(b->now->spin[2], 5, 1e-3);
    check_near(vec_length(b->now->velocity), 0, 1e-6);
    rig_end(&r);
}

/* A trap door falls to its stop and stays. */
static void limits_stop(void **state) {
    (void)state;
    rig r;
    rheo_joint joints[2];
    rig_start(&r);
    r.gravity[1] = -9.81;
    rig_add(&r, rig_box(0.6, 0.5, 0.5, 0.1, 0.01, 0.1), RHEO_DYNAMIC);
    join(&r, joints, RHEO_JOINT_HINGE, 0, -1, 0.5, 0.5, 0.5)->limits[0] = -30;
    rig_add(&r, rig_box(0.2, 0.8, 0.5, 0.05, 0.05, 0.05), RHEO_DYNAMIC);
    rheo_joint *j = join(&r, joints, RHEO_JOINT_SLIDER, 1, -1, 0, 0, 0);
    memcpy(j->axis, (double[]){1, 1, 0}, sizeof j->axis);
    j->limits[0] = -0.2;
    rig_make(&r);
    rig_advance(&r, 0.1, 0.01);
    const body_state *slid = world_body(r.w, 1)->now;
    printf("slider: v %.6f %.6f (both %.6f)\n", slid->velocity[0], slid->velocity[1], -0.5 * 9.81 * 0.1);
    check_near(slid->velocity[0], -0.5 * 9.81 * 0.1, 1e-3);
    check_near(slid->velocity[1], -0.5 * 9.81 * 0.1, 1e-3);
    rig_advance(&r, 2, 0.01);
    const body_state *door = world_body(r.w, 0)->now;
    const double angle = atan2(door->position[1] - 0.5, door->position[0] - 0.5) * 180 / M_PI;
    const double way = hypot(slid->position[0] - 0.2, slid->position[1] - 0.8);
    printf("door stopped at %.4f degrees (-30), slider after %.5f m (0.2)\n", angle, way);
    check_near(angle, -30, 0.2);
    check_near(way, 0.2, 1e-3);
    check_near(vec_length(door->velocity), 0, 1e-3);
    rig_end(&r);
}

/* What falls on its stop or is driven at it halts there, at any step, and gains no energy; so does what hangs
 * on a solid that the scene names first. A strong motor leaves a stop at its speed, not with all its force.
 */
static void stops_halt(void **state) {
    (void)state;
    static const double steps[] = {30, 100};
    for (int n = 0; n < 2; ++n)
        for (int driven = 0; driven < 3; ++driven)
            for (int turned = 0; turned < 2; ++turned) {
                rig r;
                rheo_joint joints[1];
                rig_start(&r);
                r.gravity[1] = -9.81;
                rig_add(&r, rig_box(0.9, 0.9, 0.9, 0.02, 0.02, 0.02), RHEO_STATIC);
                rig_add(&r, rig_box(0.6, 0.5, 0.5, 0.1, 0.03, 0.05), RHEO_DYNAMIC);
                rheo_joint *j = turned ? join(&r, joints, RHEO_JOINT_HINGE, 0, 1, 0.5, 0.5, 0.5)
                                       : join(&r, joints, RHEO_JOINT_SLIDER, 1, 0, 0.5, 0.5, 0.5);
                memcpy(j->axis, (double[]){0, !turned, turned}, sizeof j->axis);
                /* the door turns against the angle of what it hangs on to it */
                const double limit = turned ? 40 : 0.3, unit = turned ? M_PI / 180 : 1;
                const double way = driven == 2 ? 1 : -1, speed = (turned ? -4 : 4) * way;
                const int far = (way > 0) != turned;
                j->limits[far] = far ? limit : -limit;
                j->limits[!far] = driven == 2 ? 0 : far ? -1e9 : 1e9; /* the last ones start at a stop */
                if (driven) {
                    j->speed.values = &speed;
                    j->force = 1e6;
                }
                rig_make(&r);
                const body_state *b = world_body(r.w, 0)->now;
                double past = -1e9, fastest = 0;
                for (int i = 0; i < steps[n]; ++i) {
                    rig_advance(&r, 1 / steps[n], 1 / steps[n]);
                    const double gone =
                        turned ? 2 * atan2(b->orientation[3], b->orientation[0]) : b->position[1] - 0.5;
                    past = larger(past, way * gone - limit * unit);
                    fastest = larger(fastest, turned ? fabs(b->spin[2]) : fabs(b->velocity[1]));
                }
                const double cells = past * (turned ? 0.2 : 1) / r.dx;
                printf("%s %s at %g steps a second: past its stop by %.4f cells, fastest %.4f, in the end "
                       "%.2g\n",
                       turned ? "door" : "slider",
                       driven == 2 ? "driven up"
                       : driven    ? "driven down"
                                   : "falling",
                       steps[n], cells, fastest, vec_length(b->velocity));
                check_near(cells, 0, 0.1);
                check_near(vec_length(b->velocity), 0, 1e-3);
                if (driven) check_near(fastest, 4, 0.05);
                rig_end(&r);
            }
}

/* A motor between two free discs turns them against each other; their angular momentum stays. */
static void motor_between_bodies(void **state) {
    (void)state;
    rig r;
    rheo_joint joints[1];
    rig_start(&r);
    for (int i = 0; i < 2; ++i)
        rig_add(&r,
                rig_shape(RHEO_SHAPE_CYLINDER, (double[]){0.5, 0.5, 0.45 + 0.1 * i},
                          (double[]){0.5, 0.5, 0.52 + 0.1 * i}, i ? 0.15 : 0.1),
                RHEO_DYNAMIC);
    rheo_joint *j = join(&r, joints, RHEO_JOINT_MOTOR, 0, 1, 0.5, 0.5, 0.5);
    const double speed = 5;
    j->speed.values = &speed;
    j->force = 1e3;
    rig_make(&r);
    const body *a = world_body(r.w, 0), *b = world_body(r.w, 1);
    rig_advance(&r, 0.5, 0.01);
    const double apart = a->now->spin[2] - b->now->spin[2];
    const double momentum = a->inertia[8] * a->now->spin[2] + b->inertia[8] * b->now->spin[2];
    printf("two discs: %.6f rad/s against each other (5), angular momentum %.2g of one's\n", apart,
           momentum / (a->inertia[8] * a->now->spin[2]));
    check_near(apart, 5, 1e-3);
    check_near(momentum / (a->inertia[8] * a->now->spin[2]), 0, 1e-6);
    rig_end(&r);
}

/* Two boxes made one fall and turn as one; a body fixed to the world hangs still. */
static void fixed_holds(void **state) {
    (void)state;
    rig r;
    rheo_joint joints[2];
    rig_start(&r);
    r.gravity[1] = -9.81;
    rig_add(&r, rig_box(0.3, 0.5, 0.5, 0.05, 0.05, 0.05), RHEO_DYNAMIC)->spin[0] = 3;
    rig_add(&r, rig_box(0.45, 0.5, 0.5, 0.05, 0.05, 0.05), RHEO_DYNAMIC)->velocity[1] = 1;
    rig_add(&r, rig_box(0.8, 0.5, 0.5, 0.05, 0.05, 0.05), RHEO_DYNAMIC);
    join(&r, joints, RHEO_JOINT_FIXED, 0, 1, 0, 0, 0);
    join(&r, joints, RHEO_JOINT_FIXED, 2, -1, 0, 0, 0);
    rig_make(&r);
    rig_advance(&r, 1, 0.01);
    double between[3];
    vec_sub(between, world_body(r.w, 0)->now->position, world_body(r.w, 1)->now->position);
    printf("fixed: %.6f m apart (0.15), hung body moved %.2g m\n", vec_length(between),
           fabs(world_body(r.w, 2)->now->position[1] - 0.5));
    check_near(vec_length(between), 0.15, 0.01 * r.dx);
    check_near(world_body(r.w, 2)->now->position[1], 0.5, 1e-6);
    check_near(world_body(r.w, 0)->now->velocity[1] + world_body(r.w, 1)->now->velocity[1], 1 - 2 * 9.81,
               1e-6);
    rig_end(&r);
}

/* A keyed wheel drags what is hinged to it; a door between two bodies in the plane turns about z. */
static void joints_in_the_plane(void **state) {
    (void)state;
    rig r;
    rheo_joint joints[1];
    rig_start(&r);
    r.scene.dim = 2;
    r.gravity[1] = -9.81;
    const double amplitude = 0.2;
    rig_add(&r, rig_ball(0.5 + 0.3 * sin(amplitude), 0.5 - 0.3 * cos(amplitude), 0, 0.1), RHEO_DYNAMIC);
    join(&r, joints, RHEO_JOINT_HINGE, 0, -1, 0.5, 0.5, 0);
    rig_make(&r);
    const double wanted = 2 * M_PI * sqrt((0.09 + 0.005) / (9.81 * 0.3)) * (1 + amplitude * amplitude / 16);
    double last = 1, first = 0, period = 0;
    while (period == 0 && r.time < 5) {
        rig_advance(&r, 1.0 / 240, 1.0 / 240);
        const double side = world_body(r.w, 0)->now->position[0] - 0.5;
        if (side <= 0 && last > 0) {
            const double when = r.time - side / (side - last) / 240;
            if (first > 0) period = when - first;
            first = when;
        }
        last = side;
    }
    printf("disc in the plane: period %.5f (%.5f)\n", period, wanted);
    check_near(period, wanted, 0.005 * wanted);
    check_near(world_body(r.w, 0)->now->position[2], 0, 0);
    rig_end(&r);
}

/* Nothing but gravity: half a second of it from rest, and a throw. */
static void free_fall_is_second_order(void **state) {
    (void)state;
    double last = 0;
    for (int n = 0; n < 3; ++n) {
        rig r;
        const double rate = 30 << n, seconds = 0.4;
        rig_start(&r);
        r.gravity[1] = -9.81;
        rig_add(&r, rig_ball(0.5, 0.9, 0.5, 0.05), RHEO_DYNAMIC)->velocity[1] = 1;
        rig_make(&r);
        rig_advance(&r, seconds, 1 / rate);
        const double way = seconds - 0.5 * 9.81 * seconds * seconds;
        const double error = fabs(world_body(r.w, 0)->now->position[1] - 0.9 - way) / fabs(way);
        printf("falling for 0.4 s at %g steps a second: off by %.5f of the way, order %.2f\n", rate, error,
               n ? log2(last / error) : 0);
        check_below(error, n ? last / 3.5 : 0.02);
        check_near(world_body(r.w, 0)->now->velocity[1], 1 - 9.81 * seconds, 1e-9);
        last = error;
        rig_end(&r);
    }
}

/* theta'' = -k sin(theta) by small steps of Runge and Kutta. */
static double pendulum_angle(double theta, double k, double seconds) {
    const int steps = 20000;
    const double h = seconds / steps;
    double w = 0;
    for (int i = 0; i < steps; ++i) {
        const double a1 = -k * sin(theta), w2 = w + 0.5 * h * a1, a2 = -k * sin(theta + 0.5 * h * w);
        const double w3 = w + 0.5 * h * a2, a3 = -k * sin(theta + 0.5 * h * w2), w4 = w + h * a3;
        const double a4 = -k * sin(theta + h * w3);
        theta += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return theta;
}

/* A rod that swings far on a hinge or a ball, in space and in the plane: against the exact angle. */
static void pendulum_is_second_order(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        double last = 0, first = 0;
        for (int n = 0; n < 5; ++n) {
            rig r;
            rheo_joint joints[1];
            const double rate = 30 << n, seconds = 1, length = 0.4, wide = 0.01, start = 1.5;
            rig_start(&r);
            r.gravity[1] = -9.81;
            if (kind == 2) r.scene.dim = 2;
            rheo_shape rod = rig_box(0.5, 0.6 - 0.5 * length, 0.5, wide, 0.5 * length, wide);
            rod.rotate_degrees = start * 180 / M_PI;
            rod.move[0] = 0.5 * length * sin(start);
            rod.move[1] = 0.5 * length * (1 - cos(start));
            rig_add(&r, rod, RHEO_DYNAMIC);
            join(&r, joints, kind == 1 ? RHEO_JOINT_BALL : RHEO_JOINT_HINGE, 0, -1, 0.5, 0.6, 0.5);
            rig_make(&r);
            rig_advance(&r, seconds, 1 / rate);
            const double k = 9.81 * 0.5 * length / (length * length / 3 + wide * wide / 3);
            const body_state *b = world_body(r.w, 0)->now;
            const double angle = start + 2 * atan2(b->orientation[3], b->orientation[0]);
            const double error = fabs(angle - pendulum_angle(start, k, seconds));
            const double arm = hypot(b->position[0] - 0.5, b->position[1] - 0.6) - 0.5 * length;
            printf("pendulum %d at %g steps a second: off by %.5f rad, order %.2f; arm off by %.2g m\n", kind,
                   rate, error, n ? log2(last / error) : 0, fabs(arm));
            /* parts of a step turn by 0.03 rad, which hides some of what a shorter step gains */
            check_below(error, n ? last / 2.5 : 0.03);
            if (n == 0) first = error;
            if (n == 4) check_below(error, first / 100); /* in 16 times as many steps */
            check_below(fabs(arm), 1e-3);
            last = error;
            rig_end(&r);
        }
    }
}

/* A chain of three rods that falls from level: positions at dt, dt / 2, dt / 4 come nearer by nearly a
 * quarter each time, and no energy is lost. A pair of balls on a rod of joints, thrown: its centre falls as a
 * free body's.
 */
static void chains_are_second_order(void **state) {
    (void)state;
    double end[4][3], energy[4];
    for (int n = 0; n < 4; ++n) {
        rig r;
        rheo_joint joints[3];
        const double rate = 60 << n, wide = 0.012, half = 0.05;
        rig_start(&r);
        r.gravity[1] = -9.81;
        for (int i = 0; i < 3; ++i) {
            rig_add(&r, rig_box(0.5 + half * (2 * i + 1), 0.8, 0.5, half, wide, wide), RHEO_DYNAMIC);
            join(&r, joints, i == 1 ? RHEO_JOINT_BALL : RHEO_JOINT_HINGE, i, i - 1, 0.5 + 2 * half * i, 0.8,
                 0.5);
        }
        rig_make(&r);
        rig_advance(&r, 0.5, 1 / rate);
        energy[n] = 0;
        for (int i = 0; i < 3; ++i) {
            const body *b = world_body(r.w, i);
            energy[n] += body_kinetic(b) + b->mass * 9.81 * (b->now->position[1] - 0.8);
        }
        const body *b = world_body(r.w, 2);
        memcpy(end[n], b->now->position, sizeof end[n]);
        energy[n] /= 3 * b->mass * 9.81 * 0.15;
        rig_end(&r);
    }
    double apart[3];
    for (int n = 0; n < 3; ++n) {
        double d[3];
        vec_sub(d, end[n], end[n + 1]);
        apart[n] = vec_length(d);
        printf("chain at %d and %d steps a second: %.6f m apart, order %.2f; energy off by %.5f\n", 60 << n,
               120 << n, apart[n], n ? log2(apart[n - 1] / apart[n]) : 0, energy[n]);
        /* parts of a step turn by 0.03 rad, which hides some of what a shorter step gains */
        if (n) check_below(apart[n], apart[n - 1] / 2.5);
    }
    check_below(fabs(energy[2]), 0.003);
    double last = 0;
    for (int n = 0; n < 3; ++n) {
        rig r;
        rheo_joint joints[1];
        const double rate = 30 << n, seconds = 0.4;
        rig_start(&r);
        r.gravity[1] = -9.81;
        rig_add(&r, rig_ball(0.4, 0.8, 0.5, 0.05), RHEO_DYNAMIC)->velocity[1] = 2;
        rig_add(&r, rig_ball(0.6, 0.8, 0.5, 0.05), RHEO_DYNAMIC);
        join(&r, joints, RHEO_JOINT_FIXED, 0, 1, 0, 0, 0);
        rig_make(&r);
        rig_advance(&r, seconds, 1 / rate);
        const double way = seconds - 0.5 * 9.81 * seconds * seconds;
        const double high =
            0.5 * (world_body(r.w, 0)->now->position[1] + world_body(r.w, 1)->now->position[1]) - 0.8;
        const double error = fabs(high - way) / fabs(way);
        printf("thrown pair at %g steps a second: off by %.5f of the way, order %.2f\n", rate, error,
               n ? log2(last / error) : 0);
        check_below(error, n ? last / 3.5 : 0.02);
        last = error;
        rig_end(&r);
    }
}

/* Kinetic energy, and that of the height. */
static double energy_of(const rig *r) {
    double energy = 0;
    for (int i = 0; i < world_count(r->w); ++i) {
        const body *b = world_body(r->w, i);
        energy += body_kinetic(b);
        for (int c = 0; c < 3; ++c) energy -= b->mass * r->gravity[c] * b->now->position[c];
    }
    return energy;
}

/* A rod on a ball joint that spins about two axes, so fast that steps are cut into parts of many lengths. */
static void spinning_keeps_energy(void **state) {
    (void)state;
    static const double spins[3][3] = {{30, 30, 0}, {0, 40, 40}, {5, 3, 60}};
    for (int n = 0; n < 3; ++n)
        for (int falls = 0; falls < 2; ++falls) {
            rig r;
            rheo_joint joints[1];
            rig_start(&r);
            r.gravity[1] = falls ? -9.81 : 0;
            rheo_solid *rod = rig_add(&r, rig_box(0.55, 0.5, 0.5, 0.05, 0.02, 0.02), RHEO_DYNAMIC);
            const double arm[3] = {0.05, 0, 0};
            memcpy(rod->spin, spins[n], sizeof rod->spin);
            vec_cross(rod->velocity, rod->spin, arm);
            join(&r, joints, RHEO_JOINT_BALL, 0, -1, 0.5, 0.5, 0.5);
            rig_make(&r);
            const double kinetic = body_kinetic(world_body(r.w, 0)), start = energy_of(&r);
            double off = 0, apart = 0, first = 0, drift = 0;
            for (int i = 0; i < 120; ++i) {
                double turn[9], end[3], to[3] = {0.5, 0.5, 0.5};
                rig_advance(&r, 1.0 / 60, 1.0 / 60);
                body_rotation(turn, world_body(r.w, 0));
                mat_times(end, turn, (double[]){-0.05, 0, 0});
                for (int c = 0; c < 3; ++c) to[c] -= world_body(r.w, 0)->now->position[c] + end[c];
                apart = larger(apart, vec_length(to));
                const double now = (energy_of(&r) - start) / kinetic;
                if (i == 0) first = now; /* the step that does not know yet that nothing else acts */
                off = larger(off, fabs(now));
                drift = larger(drift, fabs(now - first));
            }
            printf("spinning at %g %g %g rad/s for 2 s, g %g: energy off by %.5f, %.5f after the first "
                   "step; joint by %.4f cells\n",
                   spins[n][0], spins[n][1], spins[n][2], r.gravity[1], off, drift, apart / r.dx);
            check_below(off, 0.02);
            check_below(drift, 0.001);
            check_below(apart / r.dx, 0.05);
            rig_end(&r);
        }
}

/* Twenty links fall from level, whip and swing back: chaotic, but what they gain they must have fallen. */
static void long_chains_stay_bounded(void **state) {
    (void)state;
    enum { LINKS = 20 };
    for (int n = 0; n < 2; ++n) {
        rig r;
        rheo_joint joints[LINKS];
        const double half = 0.02, wide = 0.005;
        rig_start(&r);
        r.gravity[1] = -9.81;
        for (int i = 0; i < LINKS; ++i) {
            rig_add(&r, rig_box(0.1 + half * (2 * i + 1), 0.9, 0.5, 0.9 * half, wide, wide), RHEO_DYNAMIC);
            join(&r, joints, RHEO_JOINT_BALL, i, i - 1, 0.1 + 2 * half * i, 0.9, 0.5);
        }
        rig_make(&r);
        const double start = energy_of(&r);
        const double scale = LINKS * world_body(r.w, 0)->mass * 9.81 * LINKS * half;
        double most = 0, least = 0;
        for (int i = 0; i < 30 << n; ++i) {
            rig_advance(&r, 1.0 / (30 << n), 1.0 / (30 << n));
            most = larger(most, (energy_of(&r) - start) / scale);
            least = larger(least, (start - energy_of(&r)) / scale);
        }
        printf("chain of %d links at %d steps a second: gains %.5f, loses %.5f of its fall\n", LINKS, 30 << n,
               most, least);
        check_below(most, 0.05);
        check_below(least, 0.3);
        rig_end(&r);
    }
}

/* Stops have no restitution: wherever in a part a falling rod meets its own, it halts. */
static void stops_do_not_bounce(void **state) {
    (void)state;
    double worst = 0, fastest = 0, past = 0;
    for (int n = 0; n < 60; ++n) {
        rig r;
        rheo_joint joints[1];
        const double limit = 30 + 0.37 * n;
        rig_start(&r);
        r.scene.dim = 2;
        r.gravity[1] = -9.81;
        rig_add(&r, rig_box(0.65, 0.75, 0.5, 0.15, 0.02, 0.02), RHEO_DYNAMIC);
        rheo_joint *j = join(&r, joints, RHEO_JOINT_HINGE, 0, -1, 0.5, 0.75, 0.5);
        j->limits[0] = -limit;
        j->limits[1] = 10;
        rig_make(&r);
        const body_state *b = world_body(r.w, 0)->now;
        for (int i = 0; i < 45; ++i) {
            rig_advance(&r, 1.0 / 90, 1.0 / 90);
            worst = larger(worst, b->spin[2]);
            fastest = larger(fastest, -b->spin[2]);
            past = larger(past, -2 * atan2(b->orientation[3], b->orientation[0]) - limit * M_PI / 180);
        }
        check_near(b->spin[2], 0, 1e-3);
        rig_end(&r);
    }
    printf("60 stops met at up to %.2f rad/s: back at %.5f rad/s at most, past them by %.4f cells\n", fastest,
           worst, past * 0.3 / (1.0 / 32));
    check_below(worst, 0.01);
    check_below(past * 0.3 * 32, 0.1);
}

/* What is too fast for numbers, or no number, is told, not given to ODE, which would end the process. */
static void lost_bodies_are_told(void **state) {
    (void)state;
    static const double speeds[4] = {NAN, INFINITY, 1e30, 1e300};
    for (int n = 0; n < 4; ++n)
        for (int spins = 0; spins < 2; ++spins) {
            rig r;
            rheo_joint joints[1];
            rig_start(&r);
            rig_add(&r, rig_box(0.55, 0.5, 0.5, 0.05, 0.02, 0.02), RHEO_DYNAMIC);
            join(&r, joints, RHEO_JOINT_BALL, 0, -1, 0.5, 0.5, 0.5);
            rig_make(&r);
            body_state *b = world_states(r.w), good = *b;
            *(spins ? &b->spin[0] : &b->velocity[1]) = speeds[n];
            assert_int_equal(world_step(r.w, 0, 0.01), WORLD_LOST);
            assert_int_equal(world_warm_start(r.w, 0, 0.01, 0, 0.01), WORLD_LOST);
            assert_int_equal(world_constrain(r.w, 0, 0.01, 0.01), WORLD_LOST);
            *b = good;
            assert_int_equal(world_step(r.w, 0, 0.01), 0);
            rig_end(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_period),
        cmocka_unit_test(motor_drives),
        cmocka_unit_test(limits_stop),
        cmocka_unit_test(stops_halt),
        cmocka_unit_test(motor_between_bodies),
        cmocka_unit_test(fixed_holds),
        cmocka_unit_test(joints_in_the_plane),
        cmocka_unit_test(free_fall_is_second_order),
        cmocka_unit_test(pendulum_is_second_order),
        cmocka_unit_test(chains_are_second_order),
        cmocka_unit_test(spinning_keeps_energy),
        cmocka_unit_test(long_chains_stay_bounded),
        cmocka_unit_test(stops_do_not_bounce),
        cmocka_unit_test(lost_bodies_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
