/* What emitters put in: the integral of v A over the time they run, within a layer of octants, at any step,
 * for keyed velocities, oblique ones, openings between octants, and times that begin and end within a step.
 */
#include "check.h"
#include "scenes_by_hand.h"

typedef struct {
    const char *name;
    rheo_method method;
    int dim, cells;
    double size[3];
    rheo_shape shape;
    rheo_curve velocity;
    double during[2];
    double dt;
    double layer; /* m3: of octants across the opening */
    double fill;  /* m3: of the shape */
    double given; /* m3: integral of v A, of the opening */
} emitter_case;

/* What was put in after the shape was filled, m3 (in the plane, of a slice one cell thick). */
static double put_in(const emitter_case *c) {
    setup t;
    rheo_frame_stats f = {0};
    set_up(&t, c->method, c->dim, c->cells);
    set_size(&t, c->size[0], c->size[1], c->size[2]);
    rheo_emitter *emitter = add_emitter(&t, c->shape, 0, 0, 0);
    emitter->velocity = c->velocity;
    memcpy(emitter->during, c->during, sizeof emitter->during);
    t.gravity[1] = 0;
    t.scene.wall[RHEO_RIGHT] = t.scene.wall[RHEO_TOP] = RHEO_WALL_OPEN;
    t.scene.fps = 10;
    t.scene.dt_max = c->dt;
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int i = 0; i < 10; ++i) {
        f = run_frames(sim, 1);
        assert_true(f.pressure.converged);
    }
    rheo_free_sim(sim);
    const double dx = c->size[0] / c->cells;
    return (double)f.counts.emitted * dx * dx * dx / (c->dim == 3 ? 8 : 4) - c->fill;
}

/* Within a layer, and within a share of what is given. */
static void check_case(const emitter_case *c, double share) {
    const double in = put_in(c);
    print_message("%dD %s, method %d, dt %.4f: %.6f of %.6f, %+.2f %%, %+.2f layers\n", c->dim, c->name,
                  (int)c->method, c->dt, in, c->given, 100 * (in / c->given - 1), (in - c->given) / c->layer);
    check_near(in, c->given, 1.001 * c->layer);
    check_near(in, c->given, share * c->given);
}

/* Along x in a channel: an opening of `width` about y = 0.5, whole octants from 0.1 to 0.3. */
static emitter_case along_x(const char *name, double width, rheo_curve velocity, double mean, double dt) {
    const double dx = 4.0 / 80;
    return (emitter_case){.name = name,
                          .method = RHEO_FLIP,
                          .dim = 2,
                          .cells = 80,
                          .size = {4, 1, 1},
                          .shape = box_between(0.1, 0.5 - 0.5 * width, 0, 0.3, 0.5 + 0.5 * width, 1),
                          .velocity = velocity,
                          .during = {0, 1e9},
                          .dt = dt,
                          .layer = 0.5 * dx * width * dx,
                          .fill = 0.2 * width * dx,
                          .given = mean * width * dx};
}

static const double ONE[3] = {1, 0, 0};

static void steps_do_not_matter(void **state) {
    (void)state;
    const double steps[] = {1.0 / 60, 0.01, 0.005, 0.0025, 0.002, 0.001};
    for (int i = 0; i < 6; ++i) {
        const emitter_case wide = along_x("wide", 0.6, steady_vector(ONE), 1, steps[i]);
        check_case(&wide, 0.01);
        if (i == 0 || i == 2) {
            const emitter_case narrow = along_x("narrow", 0.2, steady_vector(ONE), 1, steps[i]);
            check_case(&narrow, 0.01);
        }
    }
    for (int m = RHEO_FLIP; m <= RHEO_MAC; ++m) {
        emitter_case c = along_x("wide", 0.6, steady_vector(ONE), 1, 0.01);
        c.method = (rheo_method)m;
        check_case(&c, 0.01);
    }
}

/* Velocities that change: the way is their integral, whatever the step. */
static void keyed_velocities_count_by_their_integral(void **state) {
    (void)state;
    static const double ends[2] = {0, 1}, pulse[3] = {0.2, 0.5, 0.8}, swing[5] = {0, 0.25, 0.5, 0.75, 1};
    static const double falling[6] = {2, 0, 0, 0, 0, 0}, rising[6] = {0, 0, 0, 2, 0, 0};
    static const double peak[9] = {0, 0, 0, 3, 0, 0, 0, 0, 0};
    static const double slow[15] = {1, 0, 0, 1.5, 0, 0, 1, 0, 0, 0.5, 0, 0, 1, 0, 0};
    const struct {
        const char *name;
        rheo_curve velocity;
        double mean;
    } keyed[] = {{"falling", {2, ends, falling, 3}, 1},
                 {"rising", {2, ends, rising, 3}, 1},
                 {"pulse", {3, pulse, peak, 3}, 0.9},
                 {"swing", {5, swing, slow, 3}, 1}};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 2; ++k) {
            const emitter_case c =
                along_x(keyed[i].name, 0.6, keyed[i].velocity, keyed[i].mean, k ? 0.1 : 0.005);
            check_case(&c, 0.01);
        }
}

/* Of a step only the part within `during` counts. */
static void time_is_clipped_to_the_step(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        const double during[3][2] = {{0, 0.11}, {0.05, 0.97}, {0.123, 0.151}};
        emitter_case c =
            along_x("during", 0.6, steady_vector(ONE), during[i][1] - during[i][0], i < 2 ? 0.1 : 0.04);
        memcpy(c.during, during[i], sizeof c.during);
        check_case(&c, 1); /* of so short a time a layer is much */
    }
}

/* The opening is what the velocity sees of the box: two sides of it, whose ends lie where they may. */
static void oblique_velocities_and_odd_openings(void **state) {
    (void)state;
    static const double oblique[3] = {0.6, 0.45, 0};
    for (int i = 0; i < 2; ++i) {
        emitter_case c = along_x("oblique", 0.4, steady_vector(oblique), 1, i ? 0.02 : 0.004);
        const double dx = 4.0 / 80;
        c.given = (0.6 * 0.4 + 0.45 * 0.2) * dx;
        c.layer = 0.5 * dx * (0.4 + 0.2) * dx;
        check_case(&c, 0.01);
    }
    for (int i = 0; i < 3; ++i) {
        const double width = (double[]){0.111, 0.087, 0.3333}[i];
        emitter_case c = along_x("between octants", width, steady_vector(ONE), 1, 0.01);
        const double fill_layers = 8, octant = 0.025;
        const double y[2] = {(0.5 - 0.5 * width) / octant - 0.5, (0.5 + 0.5 * width) / octant - 0.5};
        c.fill = fill_layers * octant * octant * (floor(y[1]) - floor(y[0])) * 2 * octant;
        check_case(&c, 0.01);
    }
}

static void space_is_the_same(void **state) {
    (void)state;
    static const double oblique[3] = {0.8, 0.1, 0.4};
    for (int i = 0; i < 4; ++i) {
        const int is_oblique = i == 1;
        const double dx = 2.0 / 32, height = i == 2 ? 0.53 : 0.5, depth = i == 2 ? 0.41 : 0.5;
        emitter_case c = {.name = (const char *[]){"box", "oblique", "odd box", "round"}[i],
                          .method = RHEO_APIC,
                          .dim = 3,
                          .cells = 32,
                          .size = {2, 1, 1},
                          .shape = box_between(0.125, 0.25, 0.25, 0.375, 0.25 + height, 0.25 + depth),
                          .velocity = steady_vector(is_oblique ? oblique : ONE),
                          .during = {0, 1e9},
                          .dt = 0.02,
                          .layer = 0.5 * dx * height * depth,
                          .fill = 0.25 * 0.25,
                          .given = height * depth};
        if (is_oblique) c.given = 0.8 * 0.25 + 0.5 * 0.125;
        if (i == 2) c.fill = 0.25 * 17 * 13 / 1024.0;
        if (i == 3) {
            c.shape = cylinder_between((double[]){0.125, 0.5, 0.5}, (double[]){0.375, 0.5, 0.5}, 0.2);
            c.given = 3.14159265358979 * 0.04;
            c.layer = 0.5 * dx * c.given;
            c.fill = 0.25 * 124 / 1024.0; /* octants whose middle is inside */
        }
        check_case(&c, is_oblique ? 0.02 : 0.01); /* a layer is 3 % */
    }
}

/* A tank filled to 0.9, with a bar of stone in it when `walled`, and a lid: what has no room is refused, and
 * what is there is not pressed together. An open side, and the emitter goes on. */
static rheo_frame_stats feed_tank(rheo_method method, int dim, int walled, int open) {
    setup t;
    rheo_frame_stats f = {0};
    set_up(&t, method, dim, dim == 2 ? 20 : 10);
    fill_pool(&t, 0.9);
    if (walled) add_solid(&t, box_between(0.7, -1, -1, 2, 2, 2)); /* leaves 0.7 of the tank */
    add_emitter(&t, box_between(0.2, 0.4, 0.1, 0.4, 0.6, 0.9), 0, 1, 0);
    t.scene.wall[RHEO_TOP] = open ? RHEO_WALL_OPEN : RHEO_WALL_CLOSED;
    rheo_sim *sim = start_sim(&t.scene, 1);
    int64_t refused = 0;
    for (int i = 0; i < 40; ++i) {
        f = run_frames(sim, 1);
        refused += f.counts.refused;
        assert_int_equal(f.refusing, f.counts.refused > 0);
    }
    rheo_free_sim(sim);
    f.counts.refused = refused;
    return f;
}

static void full_tanks_take_no_more(void **state) {
    (void)state;
    for (int i = 0; i < 8; ++i) {
        const rheo_method method = i < 5 ? (rheo_method)i : i < 7 ? RHEO_FLIP : RHEO_MAC;
        const int dim = i < 6 ? 2 : 3, walled = i == 5;
        const double room = (dim == 2 ? 4 * 400 : 8 * 1000) * (walled ? 0.7 : 1);
        const rheo_frame_stats f = feed_tank(method, dim, walled, 0);
        print_message(
            "full tank %dD, method %d%s: %lld particles in room for %.0f, %lld refused, drift %+.2f %%\n",
            dim, (int)method, walled ? ", walled" : "", (long long)f.particles, room,
            (long long)f.counts.refused, 100 * f.volume_drift);
        check_below((double)f.particles, room);
        assert_true((double)f.particles > 0.97 * room);
        assert_true(f.counts.refused > 0);
        check_below(fabs(f.volume_drift), 0.02);
    }
    assert_int_equal(feed_tank(RHEO_FLIP, 2, 0, 1).counts.refused, 0);
}

/* A jet from a closed floor leaves at the emitter's speed and, without weight, keeps it: the liquid above an
 * emitter is not held back by what it leaves behind. */
static void jets_leave_at_their_speed(void **state) {
    (void)state;
    static const rheo_method methods[] = {RHEO_FLIP, RHEO_APIC, RHEO_PIC};
    for (int m = 0; m < 3; ++m) {
        setup t;
        rheo_particle_view view;
        set_up(&t, methods[m], 3, 24);
        t.gravity[1] = 0;
        add_emitter(&t, box_between(0.375, 0, 0.375, 0.625, 0.125, 0.625), 0, 2, 0);
        rheo_sim *sim = start_sim(&t.scene, 1);
        run_frames(sim, 9);
        rheo_view_particles(&view, sim);
        double sum = 0, count = 0;
        for (size_t q = 0; q < view.count; ++q) {
            const int above = view.position[1][q] > 6; /* the emitter is three cells high */
            sum += above ? (double)view.velocity[1][q] : 0;
            count += above;
        }
        print_message("jet from the floor, method %d: %.4f of 2 m/s\n", (int)methods[m], sum / count);
        check_near(sum / count, 2, 0.02);
        rheo_free_sim(sim);
    }
}

/* What a fast emitter gives, over v A t and its shape, while a post stands four cells ahead of it. */
static double given_towards_post(rheo_method method, const rheo_curve *velocity, int frames, double way) {
    setup t;
    set_up(&t, method, 2, 64);
    add_solid(&t, box_between(0.25, 0.3, 0, 0.35, 0.8, 1));
    add_emitter(&t, box_between(0.125, 0.5, 0, 0.1875, 0.625, 1), 0, 0, 0)->velocity = *velocity;
    rheo_sim *sim = start_sim(&t.scene, 1);
    const rheo_frame_stats f = run_frames(sim, frames);
    rheo_free_sim(sim);
    return (double)f.counts.emitted / (4 * 64 * 64) / (0.125 * (way + 0.0625));
}

/* The first step knows how fast an emitter begins, and the step in which it begins again: in one of a whole
 * frame the liquid's way would end in the post, and what would is not put in. */
static void first_steps_know_the_emitter(void **state) {
    (void)state;
    static const double fast[3] = {20, 0, 0}, times[3] = {0, 0.1, 0.1001};
    static const double waits[9] = {0, 0, 0, 0, 0, 0, 20, 0, 0};
    const rheo_curve at_once = steady_vector(fast), later = {3, times, waits, 3};
    for (int m = RHEO_FLIP; m < RHEO_MAC; ++m) {
        const double first = given_towards_post((rheo_method)m, &at_once, 1, 20 / 30.0);
        const double again = given_towards_post((rheo_method)m, &later, 4, 20 / 30.0 - 0.001);
        print_message("post ahead, method %d: %.4f of v A t in the first frame, %.4f when begun later\n", m,
                      first, again);
        check_near(first, 1, 0.02);
        check_near(again, 1, 0.02);
    }
}

/* A ball of an emitter, its lower end in a plate, blows down at 3 m/s. Returns the state after 20 frames,
 * with the largest speed and the worst drift after the first five. */
static rheo_frame_stats blow_at_plate(rheo_method method, int dim, int cells) {
    setup t;
    rheo_frame_stats f = {0};
    double speed = 0, drift = 0;
    set_up(&t, method, dim, cells);
    add_solid(&t, box_between(0.2, 0.4, 0.2, 0.8, 0.52, 0.8));
    add_emitter(&t, ball_at(0.5, 0.6, 0.5, 0.1), 0, -3, 0);
    rheo_sim *sim = start_sim(&t.scene, 1);
    for (int i = 0; i < 20; ++i) {
        f = run_frames(sim, 1);
        speed = larger(speed, f.speed);
        drift = i < 5 ? 0 : larger(drift, fabs(f.volume_drift));
    }
    rheo_free_sim(sim);
    f.speed = speed;
    f.volume_drift = drift;
    return f;
}

/* What an emitter drives ends before what it blows at: the liquid has room to turn aside, at no more than
 * about twice its speed, as under any jet. It was pressed out of the last row of cells at 39 m/s. */
static void plates_turn_the_inflow_aside(void **state) {
    (void)state;
    for (int i = 0; i < 6; ++i) {
        const rheo_method method = i < 4 ? (rheo_method)i : RHEO_FLIP;
        const int dim = i == 5 ? 3 : 2, cells = i == 4 ? 48 : 32;
        const rheo_frame_stats f = blow_at_plate(method, dim, cells);
        const double dx = 1.0 / cells, flat = dim == 2 ? dx : 1, octant = dx * dx * dx / (dim == 2 ? 4 : 8);
        const double given = 2 * flat * (dim == 2 ? 0.2 : 0.031416), in = (double)f.counts.emitted * octant;
        const double ball = flat * (dim == 2 ? 0.029781 : 0.0040715); /* above the plate */
        print_message("plate %dD, %d cells, method %d: speed %.2f of 3 m/s, drift %.3f, %.4f of v A t\n", dim,
                      cells, (int)method, f.speed, f.volume_drift, (in - ball) / given);
        check_below(f.speed, 9);
        check_below(f.volume_drift, 0.06);
        check_near((in - ball) / given, 1, 0.01);
    }
}

/* What sticks to the side that it comes out of is pushed off it all the same, as a rod, not blown up. */
static void stiff_jets_are_pushed(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setup t;
        const double dx = 1.0 / 32;
        set_up(&t, RHEO_APIC, dim, 32);
        t.gravity[1] = 0;
        t.fluid[0].viscosity = 1e6;
        t.scene.viscosity = RHEO_VISCOSITY_FULL;
        add_emitter(&t, box_between(0, 0.4, 0.4, 0.25, 0.6, 0.6), 1, 0, 0);
        rheo_sim *sim = start_sim(&t.scene, 1);
        const rheo_frame_stats f = run_frames(sim, 15);
        const double *low = f.fluids[0].lower, *high = f.fluids[0].upper;
        print_message("%dD: stiff jet to x = %.3f, from y = %.3f to %.3f\n", dim, high[0], low[1], high[1]);
        check_near(high[0], 0.25 + f.time, dx);
        check_near(low[1], 0.4, dx);
        check_near(high[1], 0.6, dx);
        assert_true(f.viscosity.converged);
        rheo_free_sim(sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_do_not_matter),
        cmocka_unit_test(keyed_velocities_count_by_their_integral),
        cmocka_unit_test(time_is_clipped_to_the_step),
        cmocka_unit_test(oblique_velocities_and_odd_openings),
        cmocka_unit_test(space_is_the_same),
        cmocka_unit_test(full_tanks_take_no_more),
        cmocka_unit_test(jets_leave_at_their_speed),
        cmocka_unit_test(first_steps_know_the_emitter),
        cmocka_unit_test(plates_turn_the_inflow_aside),
        cmocka_unit_test(stiff_jets_are_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
