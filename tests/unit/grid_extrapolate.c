/* Breadth-first extrapolation against the definition written down plainly. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "core/random.h"
#include "grid/extrapolate.h"
#include "grid/rows.h"

static int inside(const cell_range *r, int i, int j, int k) {
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; ++a)
        if (at[a] < r->lower[a] || at[a] >= r->upper[a]) return 0;
    return 1;
}

/* One layer: every unknown sample with an earlier neighbour becomes the mean of these. */
static void plain_layer(float *value, uint8_t *layer, const mac_grid *g, const cell_range *r, int number) {
    const box *b = &g->box;
    uint8_t *before = malloc(b->size);
    memcpy(before, layer, b->size);
    for (int k = r->lower[2]; k < r->upper[2]; ++k)
        for (int j = r->lower[1]; j < r->upper[1]; ++j)
            for (int i = r->lower[0]; i < r->upper[0]; ++i) {
                const ptrdiff_t at = box_at(b, i, j, k);
                float sum = 0;
                int count = 0;
                if (before[at] != EXTRAPOLATE_UNKNOWN) continue;
                for (int d = 0; d < 2 * b->dim; ++d) {
                    const ptrdiff_t from = at + (d % 2 ? b->step[d / 2] : -b->step[d / 2]);
                    if (before[from] >= number) continue;
                    sum += value[from];
                    ++count;
                }
                if (!count) continue;
                value[at] = sum / (float)count;
                if (layer[at] != number) layer[at] = (uint8_t)number;
            }
    free(before);
}

static void compare(int dim, const int n[3], int axis, float known_share, int layers, int far_layers) {
    mac_grid g = {.box = box_make(dim, n), .dx = 1};
    const size_t size = g.box.size;
    front f;
    assert_int_equal(front_make(&f, &g), 0);
    float *near = malloc(size * sizeof *near), *far = malloc(size * sizeof *far);
    float *want_near = malloc(size * sizeof *near), *want_far = malloc(size * sizeof *far);
    uint8_t *layer_near = malloc(size), *layer_far = malloc(size);
    cell_range faces = range_faces(&g, axis), reach = range_grow(faces, &g, GHOST - 1);
    cell_range whole = range_grow(faces, &g, GHOST);
    /* twice with the same scratch: what an earlier call left behind must not matter */
    for (int round = 0; round < 2; ++round) {
        for (int k = whole.lower[2]; k < whole.upper[2]; ++k)
            for (int j = whole.lower[1]; j < whole.upper[1]; ++j)
                for (int i = whole.lower[0]; i < whole.upper[0]; ++i) {
                    const ptrdiff_t at = box_at(&g.box, i, j, k);
                    const float u = random_unit(7, (uint64_t)round, (uint64_t)at);
                    const int known = inside(&faces, i, j, k) && u < known_share;
                    const int fixed = inside(&faces, i, j, k) && u > 0.98f;
                    f.layer[at] = known ? 0 : fixed ? EXTRAPOLATE_FIXED : EXTRAPOLATE_UNKNOWN;
                    near[at] = want_near[at] = u;
                    far[at] = want_far[at] = 1 - u * u;
                    layer_near[at] = layer_far[at] = f.layer[at];
                }
        extrapolate(near, layers, far, far_layers, &f, &g, axis);
        for (int l = 1; l <= layers; ++l) plain_layer(want_near, layer_near, &g, &reach, l);
        for (int l = 1; l <= far_layers; ++l) plain_layer(want_far, layer_far, &g, &reach, l);
        for (int k = reach.lower[2]; k < reach.upper[2]; ++k)
            for (int j = reach.lower[1]; j < reach.upper[1]; ++j)
                for (int i = reach.lower[0]; i < reach.upper[0]; ++i) {
                    const ptrdiff_t at = box_at(&g.box, i, j, k);
                    assert_true(near[at] == want_near[at]);
                    assert_true(far[at] == want_far[at]);
                    assert_int_equal(f.layer[at], layer_far[at]);
                }
    }
    front_free(&f);
    free(near);
    free(far);
    free(want_near);
    free(want_far);
    free(layer_near);
    free(layer_far);
}

static void matches_the_definition(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        compare(3, (const int[3]){70, 9, 5}, axis, 0.002f, 3, 6);
        compare(3, (const int[3]){5, 12, 21}, axis, 0.05f, 2, 2);
    }
    for (int axis = 0; axis < 2; ++axis) compare(2, (const int[3]){131, 17, 1}, axis, 0.01f, 2, 9);
}

static void nothing_known_changes_nothing(void **state) {
    (void)state;
    compare(3, (const int[3]){8, 8, 8}, 1, 0, 3, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_definition),
        cmocka_unit_test(nothing_known_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
