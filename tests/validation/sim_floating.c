/* What lifts a floating body: the liquid below the level that it takes the place of, wherever its bottom lies
 * between two planes of the grid. Boxes that are let go in a tank; unit/stage_coupling.c has the lift of
 * still liquid alone. */
#include "check.h"

#include "scenes_by_hand.h"

/* Mean height of the surface, m, away from the body. */
static double mean_level(const rheo_sim *sim) {
    const rheo_body_stats body = body_of(sim, 0);
    rheo_volume_view v;
    double sum = 0;
    int count = 0;
    rheo_view_volume(&v, sim);
    for (int k = 0; k < v.cells[2]; ++k)
        for (int i = 0; i < v.cells[0]; ++i) {
            const double x = v.dx * (i + 0.5) - body.position[0], z = v.dx * (k + 0.5) - body.position[2];
            const double height = hypot(x, z) < 0.22 ? (double)NAN : surface_height(sim, i, k);
            if (isnan(height)) continue;
            sum += height;
            ++count;
        }
    return sum / count;
}

/* A flat bottom has all of its area between the same two planes: without what rights the lift a draught of
 * 0.96 cells came out between 0.6 and 1.4. Limit: draughts below half a cell are up to 0.2 cells off. */
static void flat_boxes_float_as_deep_as_they_should(void **state) {
    (void)state;
    static const double size[3] = {0.75, 0.45, 0.75}, half[3] = {0.12, 0.06, 0.1};
    static const double relative[] = {0.2, 0.3}, phase[] = {0.15, 0.55, 0.9};
    const int cells = 20;
    const double dx = size[0] / cells;
    double worst = 0;
    for (int d = 0; d < 2; ++d)
        for (int p = 0; p < 3; ++p) {
            const double bottom = dx * (5 + phase[p]), draught = 2 * half[1] * relative[d];
            const double middle[3] = {0.3791, bottom + half[1], 0.3682};
            double share = 0;
            setup t;
            set_up(&t, RHEO_APIC, 3, cells);
            set_size(&t, size[0], size[1], size[2]);
            t.fluid[0].density = 1000;
            fill_pool(&t, bottom + draught);
            add_body(&t, box_about(middle, half), 1000 * relative[d]);
            rheo_sim *sim = start_sim(&t.scene, 2);
            for (int frame = 0; frame < 60; ++frame) {
                run_frames(sim, 1);
                const double low = body_of(sim, 0).position[1] - half[1];
                if (frame >= 24) share += (mean_level(sim) - low) / (2 * half[1]) / 36;
            }
            print_message("box of density %.1f, bottom %.2f in a cell: draught %.3f cells, exact %.3f\n",
                          relative[d], phase[p], share * 2 * half[1] / dx, draught / dx);
            worst = larger(worst, fabs(share * 2 * half[1] - draught) / dx);
            rheo_free_sim(sim);
        }
    check_below(worst, 0.035); /* 0.015 measured */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flat_boxes_float_as_deep_as_they_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
