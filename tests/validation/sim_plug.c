/* A stopper in a closed tube with water below and above it: whatever it weighs it stays where it is, and no
 * particle passes it or finds a place in the crack beside it (Batty et al. 2007, 1.1). Tubes with straight
 * and with round walls, on no plane of the grid, and one that leans; slender plugs, and discs of a fraction
 * of their diameter. */
#include "check.h"

#include "scenes_by_hand.h"

#define DRIFT_LIMIT 0.03 /* cells: 0.0152 measured, of 24 places of the tube */
#define HALF        0.0913
#define MIDDLE      0.4829
#define LONG        0.0692 /* half of a plug's length */
#define WIDE        0.211  /* half of the width of a disc */

enum { BOX, ROUND, LEANING };

typedef struct {
    int kind, cells;
    double relative, shift; /* density by the water's; of the tube, in cells */
    double half;            /* m: of a disc's length; 0: it is a plug of LONG and HALF */
} plug_case;

static rheo_shape make_tube(const plug_case *c, double low, double high) {
    const double x = 0.2513 + c->shift / c->cells, z = 0.2471 + 0.7 * c->shift / c->cells;
    const double half = c->half > 0 ? WIDE : HALF;
    if (c->kind == ROUND) return cylinder_between((double[]){x, low, z}, (double[]){x, high, z}, half);
    const rheo_shape s = box_between(x - half, low, z - half, x + half, high, z + half);
    return turned(s, 0, 0, 1, c->kind == LEANING ? 10 : 0);
}

/* Along the tube from the plug's middle, m. */
static double height_of(const plug_case *c, const rheo_particle_view *v, const rheo_body_stats *b, size_t i) {
    const double lean = c->kind == LEANING ? 10 * M_PI / 180 : 0;
    const double x = v->origin[0] + v->dx * (double)v->position[0][i] - b->position[0];
    const double y = v->origin[1] + v->dx * (double)v->position[1][i] - b->position[1];
    return y * cos(lean) - x * sin(lean);
}

/* Which side of the plug each particle is on; those beside it, and those that changed sides. */
static void count_sides(int *beside, int *passed, signed char *side, const plug_case *c, const rheo_sim *sim,
                        double half) {
    rheo_particle_view v;
    rheo_view_particles(&v, sim);
    const rheo_body_stats b = body_of(sim, 0);
    *beside = 0;
    for (size_t i = 0; i < v.count; ++i) {
        const double y = height_of(c, &v, &b, i);
        const signed char now = y > half - 0.25 * v.dx ? 1 : y < 0.25 * v.dx - half ? -1 : 0;
        signed char *was = &side[v.id[i]];
        *beside += now == 0;
        *passed += *was && now && *was != now;
        if (now) *was = now;
    }
}

static void hold_plug(const plug_case *c, double seconds) {
    /* a disc's lid is in a plane of the grid and beside the middle of the tube */
    const double half = c->half > 0 ? c->half : LONG;
    const double middle = c->half > 0 ? 0.5 - half : c->kind == LEANING ? 0.5 : MIDDLE;
    setup t;
    set_up(&t, RHEO_APIC, 3, c->cells);
    set_size(&t, 0.5, 1, 0.5);
    fill_pool(&t, 0.8137);
    rheo_solid *tube =
        add_solid(&t, make_tube(c, c->kind == LEANING ? 0.06 : 0.03, c->kind == LEANING ? 0.94 : 0.97));
    rheo_solid *plug =
        add_body(&t, make_tube(c, middle - half, middle + half), c->relative * t.fluid[0].density);
    tube->inside_fluid = true;
    tube->friction = plug->friction = 0;
    rheo_sim *sim = start_sim(&t.scene, 2);
    rheo_particle_view v;
    rheo_frame_stats stats = {0};
    rheo_view_particles(&v, sim);
    signed char *side = calloc(v.count + 1, 1);
    int beside, most = 0, passed = 0;
    double drift = 0;
    assert_non_null(side);
    const rheo_body_stats first = body_of(sim, 0);
    count_sides(&most, &passed, side, c, sim, half);
    while (stats.time < seconds - 1e-9) {
        stats = run_frames(sim, 1);
        const rheo_body_stats now = body_of(sim, 0);
        for (int a = 0; a < 3; ++a)
            drift = larger(drift, fabs(now.position[a] - first.position[a]) * c->cells);
        count_sides(&beside, &passed, side, c, sim, half);
        most = beside > most ? beside : most;
    }
    printf("%-8s density %-4g, half %.4f m, %d cells: drift %.4f cells, %d particles beside the plug, %d "
           "passed\n",
           c->kind == BOX     ? "box"
           : c->kind == ROUND ? "round"
                              : "leaning",
           c->relative, half, c->cells, drift, most, passed);
    assert_true(drift <= DRIFT_LIMIT);
    assert_int_equal(most, 0);
    assert_int_equal(passed, 0);
    free(side);
    rheo_free_sim(sim);
}

static void plugs_of_any_weight_hold(void **state) {
    (void)state;
    static const double relative[] = {0.01, 0.1, 0.5, 1, 2, 8, 20};
    for (int i = 0; i < 7; ++i) {
        hold_plug(&(plug_case){i % 2 ? ROUND : BOX, 20, relative[i], 0.13 * i, 0}, 0.3);
        if (i % 3 == 0)
            hold_plug(&(plug_case){i % 2 ? BOX : ROUND, 20, relative[i], 0.37 + 0.07 * i, 0}, 0.3);
    }
}

/* At this place and fineness octants of a fill lie on the crack between plug and tube. */
static void nothing_fills_the_crack(void **state) {
    (void)state;
    hold_plug(&(plug_case){BOX, 32, 2.5, 0, 0}, 0.2);
}

static void a_leaning_plug_holds(void **state) {
    (void)state;
    hold_plug(&(plug_case){LEANING, 28, 0.01, 0.37, 0}, 0.4);
    hold_plug(&(plug_case){LEANING, 28, 0.3, 0.37, 0}, 0.3);
}

/* It does not creep: what a short run would not show. */
static void plugs_hold_on(void **state) {
    (void)state;
    hold_plug(&(plug_case){ROUND, 20, 0.01, 0, 0}, 2);
}

/* Discs rock where contacts beside their rims do not tell the truth. */
static void discs_hold(void **state) {
    (void)state;
    hold_plug(&(plug_case){ROUND, 30, 6, 0, 0.075}, 0.2);
    hold_plug(&(plug_case){ROUND, 24, 0.3, 0, 0.075}, 0.2);
    hold_plug(&(plug_case){ROUND, 40, 6, 0.1, 0.0225}, 0.1);
    hold_plug(&(plug_case){BOX, 30, 0.3, 0, 0.075}, 0.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(plugs_of_any_weight_hold),
                                       cmocka_unit_test(nothing_fills_the_crack),
                                       cmocka_unit_test(a_leaning_plug_holds),
                                       cmocka_unit_test(plugs_hold_on), cmocka_unit_test(discs_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
