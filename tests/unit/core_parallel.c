#include "check.h"
#include "core/parallel.h"

enum { BLOCKS = 1000 };

static void mark(void *context, int b) {
    ((int *)context)[b] += 1;
}

static double value(void *context, int b) {
    (void)context;
    return 1.0 / (1 + b * b % 977) * (b % 3 ? 1 : -1e-7);
}

static void test_every_block_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 5; threads += 2) {
        pool *p = pool_create(threads);
        int seen[BLOCKS] = {0};
        for (int round = 0; round < 200; ++round) parallel_for(p, BLOCKS, mark, seen);
        for (int b = 0; b < BLOCKS; ++b) assert_int_equal(seen[b], 200);
        pool_free(p);
    }
}

/* Jobs so short that threads come late to them, when the next one has begun: each has a context of its own,
 * which only its own blocks may touch. */
static void test_late_threads_find_the_job_at_hand(void **state) {
    (void)state;
    pool *p = pool_create(16);
    for (int round = 0; round < 5000; ++round) {
        int seen[7] = {0}, blocks = 2 + round % 6;
        parallel_for(p, blocks, mark, seen);
        for (int b = 0; b < 7; ++b) assert_int_equal(seen[b], b < blocks);
    }
    pool_free(p);
}

static void test_sum_does_not_depend_on_threads(void **state) {
    (void)state;
    double serial = parallel_sum(NULL, BLOCKS, value, NULL);
    for (int threads = 2; threads <= 5; ++threads) {
        pool *p = pool_create(threads);
        double sum = parallel_sum(p, BLOCKS, value, NULL);
        assert_memory_equal(&sum, &serial, sizeof sum);
        check_near(parallel_max(p, BLOCKS, value, NULL), parallel_max(NULL, BLOCKS, value, NULL), 0);
        pool_free(p);
    }
}

/* Sizes around whole blocks, and nothing beside what was asked for. */
static void test_memory_in_parts(void **state) {
    (void)state;
    static char from[200002], to[200002];
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
    pool *p = pool_create(3);
    for (size_t i = 0; i < sizeof from; ++i) from[i] = (char)(1 + i % 97);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        memset(to, -1, sizeof to);
        parallel_copy(p, to + 1, from + 1, sizes[s]);
        assert_memory_equal(to + 1, from + 1, sizes[s]);
        assert_true(to[0] == -1 && to[1 + sizes[s]] == -1);
        parallel_zero(p, to + 1, sizes[s]);
        for (size_t i = 1; i <= sizes[s]; ++i) assert_true(to[i] == 0);
        assert_true(to[0] == -1 && to[1 + sizes[s]] == -1);
    }
    pool_free(p);
}

/* The block that the context names is not a number; the others are larger the later they come. */
static double broken(void *context, int b) {
    return b == *(const int *)context ? (double)NAN : b;
}

static void test_max_keeps_what_is_no_number(void **state) {
    (void)state;
    pool *p = pool_create(3);
    static const int places[] = {0, 1, BLOCKS / 2, BLOCKS - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        int at = places[i];
        assert_true(isnan(parallel_max(p, BLOCKS, broken, &at)));
        assert_true(isnan(parallel_max(NULL, BLOCKS, broken, &at)));
    }
    int none = -1;
    check_near(parallel_max(p, BLOCKS, broken, &none), BLOCKS - 1, 0);
    pool_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_block_once),
        cmocka_unit_test(test_late_threads_find_the_job_at_hand),
        cmocka_unit_test(test_sum_does_not_depend_on_threads),
        cmocka_unit_test(test_memory_in_parts),
        cmocka_unit_test(test_max_keeps_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
