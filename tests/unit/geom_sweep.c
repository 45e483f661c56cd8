/* Overlapping boxes by sweep and prune are those that asking every pair finds, in the same order. */
#include "geom/sweep.h"
#include "check.h"
#include "core/random.h"

static int overlap(const sweep_box *a, const sweep_box *b) {
    int apart = 0;
    for (int c = 0; c < 3; ++c) apart |= a->lower[c] > b->upper[c] || b->lower[c] > a->upper[c];
    return !apart;
}

static void check_lists(const sweep *s, int count) {
    for (int i = 0; i < count; ++i) {
        size_t k = s->start[i];
        for (int j = 0; j < count; ++j)
            if (j != i && overlap(&s->box[i], &s->box[j])) {
                assert_true(k < s->start[i + 1]);
                assert_int_equal(s->near[k++], j);
            }
        assert_true(k == s->start[i + 1]);
    }
}

static void scatter(sweep *s, int count, double size, uint32_t seed) {
    for (int i = 0; i < count; ++i)
        for (int c = 0; c < 3; ++c) {
            const double at = (double)random_unit(seed, (uint64_t)i, (uint64_t)c);
            s->box[i].lower[c] = at - size;
            s->box[i].upper[c] = at + size;
        }
}

static void same_as_every_pair(void **state) {
    (void)state;
    sweep s = {0};
    for (int count = 0; count <= 120; count += 30)
        for (int k = 0; k < 4; ++k) { /* from none to all overlapping */
            assert_int_equal(sweep_reserve(&s, count), 0);
            scatter(&s, count, 0.01 * pow(5, k), (uint32_t)(7 + k));
            assert_int_equal(sweep_overlaps(&s, count), 0);
            check_lists(&s, count);
        }
    sweep_free(&s);
}

static void what_has_no_end_is_near_all(void **state) {
    (void)state;
    enum { COUNT = 40 };
    sweep s = {0};
    assert_int_equal(sweep_reserve(&s, COUNT), 0);
    scatter(&s, COUNT, 0.02, 3);
    for (int c = 0; c < 3; ++c) {
        s.box[11].lower[c] = -INFINITY;
        s.box[11].upper[c] = INFINITY;
        s.box[25].lower[c] = s.box[25].upper[c] = NAN;
        s.box[30] = s.box[31]; /* the same place twice */
    }
    assert_int_equal(sweep_overlaps(&s, COUNT), 0);
    check_lists(&s, COUNT);
    assert_true(s.start[12] - s.start[11] == COUNT - 1);
    assert_true(s.start[26] - s.start[25] == COUNT - 1);
    sweep_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_every_pair),
                                       cmocka_unit_test(what_has_no_end_is_near_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
