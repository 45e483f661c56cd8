/* Liquid that sticks to solids (slip: no), wherever they are on the grid: shear that dies out between walls,
 * a belt that drags, a disc that turns in a round vessel. */
#include "check.h"
#include <rheo/rheo.h>

#define PI 3.14159265358979323846

static const double none[3] = {0, 0, 0};

/* The caller keeps what the scene points to. */
typedef struct {
    rheo_shape fill[2];
    rheo_fluid fluid[2];
    rheo_solid solid[2];
    rheo_scene scene;
} setting;

static rheo_shape box_of(double x0, double y0, double x1, double y1) {
    rheo_shape b = rheo_default_shape(RHEO_SHAPE_BOX);
    memcpy(b.a, (double[3]){x0, y0, -1}, sizeof b.a);
    memcpy(b.b, (double[3]){x1, y1, 2}, sizeof b.b);
    return b;
}

/* A weightless tank of liquid with the density of water. */
static void set(setting *s, double length, int cells, double viscosity) {
    memset(s, 0, sizeof *s);
    s->scene = rheo_default_scene();
    s->scene.dim = 2;
    s->scene.size[0] = length;
    s->scene.size[1] = s->scene.size[2] = 1;
    s->scene.cells = cells;
    s->scene.method = RHEO_MAC;
    s->scene.no_slip = true;
    s->scene.gravity = (rheo_curve){1, none, none, 3};
    s->scene.fluids = s->fluid;
    s->scene.solids = s->solid;
    for (int i = 0; i < 2; ++i) {
        s->fluid[i] = rheo_default_fluid();
        s->fluid[i].name = i ? "other" : "one";
        s->fluid[i].viscosity = viscosity;
        s->fluid[i].fill = &s->fill[i];
        s->fluid[i].fill_count = 1;
        s->solid[i] = rheo_default_solid();
    }
}

static rheo_sim *start(const setting *s) {
    rheo_report report = {0};
    rheo_sim *sim;
    if (rheo_create_sim(&sim, &s->scene, 1, &report)) fail_msg("%s", report.message);
    return sim;
}

static rheo_frame_stats advance(rheo_sim *sim) {
    rheo_report report = {0};
    rheo_frame_stats f;
    if (rheo_advance_frame(sim, NULL, &f, &report)) fail_msg("%s", report.message);
    return f;
}

static double x_velocity(const rheo_sim *sim, double x, double y) {
    const rheo_probe probe = {.from = {x, y, 0}, .to = {x, y, 0}, .samples = 1, .of = RHEO_OF_VELOCITY};
    double row[8];
    rheo_sample_probe(row, sim, &probe);
    return row[3];
}

/* The halves of a channel of height h at +-1 m/s: u = sum over odd n of 4 / (n pi) sin(2 pi n y / h) exp(-nu
 * (2 pi n / h)^2 t), after 0.3 s the first alone, in the middle of a channel whose ends have not been felt
 * there at 1 s. The rate at which it goes until then. */
static double decay_rate(int cells, double bottom, rheo_frame_stats *last) {
    const double h = 0.5;
    setting s;
    set(&s, 4, cells, 10);
    s.scene.fluid_count = s.scene.solid_count = 2;
    s.scene.fps = 10;
    s.fill[0] = box_of(0, bottom, 4, bottom + h / 2);
    s.fill[1] = box_of(0, bottom + h / 2, 4, bottom + h);
    s.fluid[0].velocity[0] = 1;
    s.fluid[1].velocity[0] = -1;
    s.solid[0].name = "floor";
    s.solid[1].name = "ceiling";
    s.solid[0].shape = box_of(-1, -1, 5, bottom);
    s.solid[1].shape = box_of(-1, bottom + h, 5, 3);
    rheo_sim *sim = start(&s);
    double early = 0;
    for (int frame = 1; frame <= 10; ++frame) {
        *last = advance(sim);
        if (frame == 3) early = x_velocity(sim, 2, bottom + h / 4) - x_velocity(sim, 2, bottom + 3 * h / 4);
    }
    const double late = x_velocity(sim, 2, bottom + h / 4) - x_velocity(sim, 2, bottom + 3 * h / 4);
    rheo_free_sim(sim);
    return log(early / late) / 0.7;
}

static void shear_dies_out_between_walls_anywhere(void **state) {
    (void)state;
    const double exact = 0.01 * 4 * PI * PI / 0.25, bottoms[] = {0.25, 0.2499, 0.265, 0.2775};
    const int cells = 128; /* 16 across the channel */
    for (int i = 0; i < 4; ++i) {
        rheo_frame_stats last;
        const double rate = decay_rate(cells, bottoms[i], &last);
        printf("walls from %.4f m: rate %.4f, exact %.4f (%+.2f %%)\n", bottoms[i], rate, exact,
               100 * (rate / exact - 1));
        check_near(rate / exact, 1, 0.02);
        if (i) continue;
        assert_int_equal(last.liquid_cells, cells * 16); /* on grid lines nothing behind walls takes part */
        assert_int_equal(last.pressure.unknowns, cells * 16);
    }
}

/* A belt at 1 m/s above a long trough: what it drags along returns below, u = 3 (y/h)^2 - 2 y/h. */
static double belt_error(int cells, double height) {
    const double times[2] = {0, 10}, middle = 0.5 * (height + 2);
    const double places[6] = {0, middle, 0, 10, middle, 0};
    setting s;
    set(&s, 4, cells, 200);
    s.scene.fluid_count = s.scene.solid_count = 1;
    s.scene.fps = 1;
    s.fill[0] = box_of(0, 0, 4, height);
    s.solid[0].name = "belt";
    s.solid[0].shape = box_of(-20, height, 20, 2);
    s.solid[0].motion = RHEO_KEYED;
    s.solid[0].position = (rheo_curve){2, times, places, 3};
    rheo_sim *sim = start(&s);
    for (int frame = 0; frame < 2; ++frame) advance(sim);
    double worst = 0;
    for (double y = 0.02; y < height; y += 0.03) {
        const double exact = 3 * y * y / (height * height) - 2 * y / height;
        worst = larger(worst, fabs(x_velocity(sim, 2, y) - exact));
    }
    rheo_free_sim(sim);
    return worst;
}

static void belt_drags_as_far_as_it_should(void **state) {
    (void)state;
    const double coarse = belt_error(32, 0.75), fine = belt_error(64, 0.75);
    printf("belt: error %.4f at 32 cells, %.4f at 64, order %.2f\n", coarse, fine, log2(coarse / fine));
    check_below(fine, 0.02);
    assert_true(log2(coarse / fine) > 1.7);
}

/* A disc of radius a turns at 10 rad/s in a vessel of radius b: u = A r + B / r. The largest error between
 * them, over the speed of the disc's rim, 2 m/s. */
static double couette_error(int cells, double *at_quarter) {
    const double times[2] = {0, 10}, turns[2] = {0, 100 * 180 / PI};
    setting s;
    set(&s, 1, cells, 50);
    s.scene.fluid_count = 1;
    s.scene.solid_count = 2;
    s.scene.fps = 1;
    s.fill[0] = box_of(0, 0, 1, 1);
    for (int i = 0; i < 2; ++i) {
        s.solid[i].shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
        s.solid[i].shape.a[0] = s.solid[i].shape.a[1] = 0.5;
        s.solid[i].shape.radius = i ? 0.45 : 0.2;
    }
    s.solid[0].name = "disc";
    s.solid[0].motion = RHEO_KEYED;
    s.solid[0].rotation_degrees = (rheo_curve){2, times, turns, 1};
    s.solid[1].name = "vessel";
    s.solid[1].inside_fluid = true;
    rheo_sim *sim = start(&s);
    advance(sim); /* the slowest mode is at exp(-7.9) then */
    const double a = 0.2, b = 0.45, turn = 10 * a * a / (a * a - b * b);
    double worst = 0;
    for (double r = 0.21; r < b; r += 0.01) {
        const double exact = turn * r - turn * b * b / r, u = -x_velocity(sim, 0.5, 0.5 + r);
        worst = larger(worst, fabs(u - exact) / 2);
    }
    *at_quarter = -x_velocity(sim, 0.5, 0.75);
    rheo_free_sim(sim);
    return worst;
}

static void disc_turns_what_is_around_it(void **state) {
    (void)state;
    const int cells[] = {16, 24, 32};
    const double most[] = {0.05, 0.02, 0.01};
    for (int i = 0; i < 3; ++i) {
        double quarter;
        const double error = couette_error(cells[i], &quarter);
        printf("disc, %d cells: error %.4f, at r = 0.25 %.4f (1.3785)\n", cells[i], error, quarter);
        check_below(error, most[i]);
    }
}

static double energy_of(rheo_frame_stats f) {
    return f.kinetic + f.potential;
}

/* Water that breaks over a round sill loses energy, whatever it does at the wall. */
static void water_gains_no_energy_at_walls(void **state) {
    (void)state;
    const double down[3] = {0, -9.81, 0};
    setting s;
    set(&s, 1, 40, 0.001);
    s.scene.gravity = (rheo_curve){1, none, down, 3};
    s.scene.fluid_count = s.scene.solid_count = 1;
    s.scene.fps = 6;
    s.fill[0] = box_of(0, 0, 0.4, 0.6);
    s.solid[0].name = "sill";
    s.solid[0].shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    s.solid[0].shape.a[0] = 0.6;
    s.solid[0].shape.a[1] = 0.1;
    s.solid[0].shape.radius = 0.23;
    rheo_sim *sim = start(&s);
    const double first = energy_of(advance(sim));
    for (int frame = 1; frame < 11; ++frame) advance(sim);
    const double last = energy_of(advance(sim));
    printf("sill: energy %.2f J at 0.2 s, %.2f J at 2 s\n", first, last);
    check_below(last, 0.8 * first);
    rheo_free_sim(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_dies_out_between_walls_anywhere),
        cmocka_unit_test(belt_drags_as_far_as_it_should),
        cmocka_unit_test(disc_turns_what_is_around_it),
        cmocka_unit_test(water_gains_no_energy_at_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
