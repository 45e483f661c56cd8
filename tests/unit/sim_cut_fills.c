/* Fills of stiff fluids are cut by volume: as many particles as the shape has octants, and a surface where
 * the shape's is, also of what is too thin to be settled (sim/settle.c). */
#include "check.h"
#include "scenes_by_hand.h"

enum { CELLS = 32 };
static const double PI = 3.14159265358979;

static rheo_sim *start_stiff(setup *t, rheo_shape fill, double viscosity) {
    set_up(t, RHEO_APIC, 3, CELLS);
    fill_with(t, fill);
    t->fluid[0].viscosity = viscosity;
    t->scene.viscosity = viscosity > 0 ? RHEO_VISCOSITY_FULL : RHEO_VISCOSITY_NONE;
    return start_sim(&t->scene, 1);
}

static double filled(rheo_shape fill, double viscosity) {
    setup t;
    rheo_sim *sim = start_stiff(&t, fill, viscosity);
    const double octant = 0.5 / CELLS, volume = (double)stats_of(sim).particles * octant * octant * octant;
    rheo_free_sim(sim);
    return volume;
}

/* Wherever the grid's points happen to lie. */
static void volumes_are_the_shapes(void **state) {
    (void)state;
    double worst[2] = {0, 0};
    for (int i = 0; i < 8; ++i) {
        const double off = 0.37 * i / CELLS, angle = 6.0 + 4 * i;
        const double box = 0.5 * 0.11 * 0.3, r = 0.11, ball = 4 * PI / 3 * r * r * r;
        const rheo_shape plate =
            turned(box_between(0.2 + off, 0.4 + off, 0.3, 0.7 + off, 0.51 + off, 0.6), 0.2, 0.1, 1, angle);
        for (int water = 0; water < 2; ++water) {
            const double stiff = water ? 0 : 1e6;
            worst[water] = fmax(worst[water], fabs(filled(plate, stiff) / box - 1));
            worst[water] =
                fmax(worst[water], fabs(filled(ball_at(0.4 + off, 0.5, 0.5 + off, r), stiff) / ball - 1));
        }
    }
    print_message("volume: %.2f %% off, of water %.2f %%\n", 100 * worst[0], 100 * worst[1]);
    check_below(worst[0], 0.006);
}

/* The distances of a plate's two faces from where they should be, in cells, but near its edges: rms. */
static double unevenness(double thickness, double degrees) {
    const double half[3] = {0.35, 0.5 * thickness, 0.35}, middle[3] = {0.5, 0.507, 0.5};
    const double c = cos(degrees * PI / 180), s = sin(degrees * PI / 180);
    setup t;
    rheo_sim *sim = start_stiff(&t, turned(box_about(middle, half), 0, 0, 1, degrees), 1e6);
    rheo_mesh mesh;
    double sum = 0;
    int count = 0;
    assert_int_equal(rheo_make_mesh(&mesh, sim, NULL), RHEO_OK);
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        const float *at = mesh.position + 3 * v;
        const double x = (double)at[0] - middle[0], y = (double)at[1] - middle[1];
        const double along = c * x + s * y, across = c * y - s * x, z = (double)at[2] - middle[2];
        if (fabs(along) > 0.25 || fabs(z) > 0.25) continue;
        const double off = (fabs(across) - half[1]) * CELLS;
        sum += off * off;
        ++count;
    }
    rheo_free_mesh(&mesh);
    rheo_free_sim(sim);
    assert_true(count > 100);
    return sqrt(sum / count);
}

static void oblique_plates_are_flat(void **state) {
    (void)state;
    for (int i = 0; i < 4; ++i) {
        const double angle[4] = {3, 7, 10, 25}, off = unevenness(0.09, angle[i]);
        print_message("plate of %.1f cells, turned by %g degrees: %.3f cells rms\n", 0.09 * CELLS, angle[i],
                      off);
        check_below(off, 0.06);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_the_shapes),
        cmocka_unit_test(oblique_plates_are_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
