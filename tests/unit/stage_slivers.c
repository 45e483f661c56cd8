/* Slivers of faces: closed beside the surface, left alone below it. */
#include "check.h"
#include "stage/rest/rest.h"

static void closed_beside_the_surface_only(void **state) {
    (void)state;
    enum { N = 6 };
    const mac_grid g = {.box = box_make(2, (int[3]){N, N, 1}), .dx = 0.1};
    const ptrdiff_t top = box_at(&g.box, 3, 4, 0), deep = box_at(&g.box, 3, 1, 0),
                    wide = box_at(&g.box, 2, 4, 0);
    openings o = {0};
    slivers list = {0};
    float *phi = calloc(g.box.size, sizeof *phi);
    assert_non_null(phi);
    assert_int_equal(mac_field_make(&o.open, &g), 0);
    for (int j = -GHOST; j < N + GHOST; ++j)
        for (int i = -GHOST; i < N + GHOST; ++i) {
            const ptrdiff_t c = box_at(&g.box, i, j, 0);
            phi[c] = fmaxf(-0.1f, 0.1f * ((float)j - 4.2f));
            for (int a = 0; a < 2; ++a) o.open.value[a][c] = 1;
        }
    o.open.value[0][top] = o.open.value[0][deep] = o.open.value[1][top] = 0.1f;
    o.open.value[0][wide] = 0.3f;
    for (int twice = 0; twice < 2; ++twice) { /* a list is made anew */
        assert_int_equal(slivers_list(&list, &g, &o), 0);
        assert_int_equal(list.count, 3);
    }
    slivers_close(&o, &list, &g, phi);
    check_near((double)o.open.value[0][top], 0, 0);
    check_near((double)o.open.value[1][top], 0, 0);
    check_near((double)o.open.value[0][deep], (double)0.1f, 0);
    check_near((double)o.open.value[0][wide], (double)0.3f, 0);
    slivers_free(&list);
    mac_field_free(&o.open);
    free(phi);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_beside_the_surface_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
