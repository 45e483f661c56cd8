/* Piles of every kind of shape in a box, a bowl and the plane: they come to rest, nothing sinks in. */
#include "check.h"
#include "../../bench/dry_contact.h"

static void pile(const char *name, pile_place place, double slow) {
    rheo_report report = {0};
    pile_result r;
    if (dry_pile(&r, place, &report)) fail_msg("%s", report.message);
    printf("%s: sunk in %.4f cells at most, %.4f at the end, speed at the end %.4f cells/s\n", name,
           r.overlap, r.late, r.speed);
    check_below(r.overlap, 0.1);
    check_below(r.speed, slow);
    check_near(r.off_plane, 0, 0);
}

static void pile_in_box(void **state) {
    (void)state;
    pile("eight kinds in a box", PILE_IN_BOX, 5);
}

static void pile_in_bowl(void **state) {
    (void)state;
    pile("eight kinds in a bowl", PILE_IN_BOWL, 15);
}

static void pile_in_the_plane(void **state) {
    (void)state;
    pile("twelve in the plane", PILE_IN_PLANE, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pile_in_box),
        cmocka_unit_test(pile_in_bowl),
        cmocka_unit_test(pile_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
