/* Resolved liquid is measured by its surface, not by how many particles it has: a pool under a plane, level
 * or slanted, above a floor that is a solid or under a lid that hangs over it, has the volume of its
 * geometry; a cloud of particles has its own, and one within a solid none. */
#include "check.h"
#include "core/memory.h"
#include "stage/surface/enclosed.h"

enum { N = 20 };

typedef struct {
    mac_grid g;
    particles p;
    float *phi, *solid, *scratch[2];
    uint8_t *marks[2];
} setting;

static void set(setting *s, int dim) {
    const int n[3] = {N, N, dim == 3 ? N : 1};
    *s = (setting){.g = {.dx = 1.0 / N, .pool = pool_create(1)}};
    s->g.box = box_make(dim, n);
    assert_int_equal(particles_make(&s->p, &s->g, NULL, 0), 0);
    float **const fields[] = {&s->phi, &s->solid, &s->scratch[0], &s->scratch[1]};
    for (int i = 0; i < 4; ++i) *fields[i] = mem_alloc(s->g.box.size * sizeof(float));
    for (int i = 0; i < 2; ++i) s->marks[i] = mem_alloc(s->g.box.size);
}

static void unset(setting *s) {
    void *const blocks[] = {s->phi, s->solid, s->scratch[0], s->scratch[1], s->marks[0], s->marks[1]};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    particles_free(&s->p);
    pool_free(s->g.pool);
}

/* Liquid below y = height + slope (x - 1/2), capped at a cell as the surface stage does; solid below `floor`.
 */
static void fill(setting *s, double height, double slope, double floor) {
    const box *b = &s->g.box;
    const double dx = s->g.dx, steep = sqrt(1 + slope * slope);
    for (int k = -3 * (b->dim == 3); k < b->n[2] + 3 * (b->dim == 3); ++k)
        for (int j = -3; j < N + 3; ++j)
            for (int i = -3; i < N + 3; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                const double d = ((j + 0.5) * dx - height - slope * ((i + 0.5) * dx - 0.5)) / steep;
                s->phi[c] = (float)fmax(-dx, fmin(dx, d));
                s->solid[c] = (float)(j * dx - floor);
            }
}

static double measure(setting *s, double particle_volume) {
    if (particles_sort(&s->p, &s->g)) fail_msg("no memory");
    return enclosed_volume(&s->g, s->phi, s->solid, NULL, NULL, &s->p, particle_volume, s->scratch,
                           s->marks) /
           (s->g.box.dim == 3 ? 1 : s->g.dx);
}

static void pools(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setting s;
        set(&s, dim);
        for (int i = 0; i < 7; ++i) {
            const double height = 0.5 + 0.17 * i / N;
            fill(&s, height, 0, -1);
            check_near(measure(&s, 1e-3), height, 2e-3);
            fill(&s, height, 0.31, -1);
            check_near(measure(&s, 1e-3), height, 2e-3);
            fill(&s, height, 0.2, 0.213);
            check_near(measure(&s, 1e-3), height - 0.213, 2e-3);
        }
        unset(&s);
    }
}

/* Solid above y = lid instead. */
static void hang(setting *s, double lid) {
    const box *b = &s->g.box;
    for (int k = -3 * (b->dim == 3); k < b->n[2] + 3 * (b->dim == 3); ++k)
        for (int j = -3; j < N + 3; ++j)
            for (int i = -3; i < N + 3; ++i) s->solid[box_at(b, i, j, k)] = (float)(lid - j * s->g.dx);
}

static void pools_under_lids(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        setting s;
        set(&s, dim);
        for (int i = 0; i < 7; ++i)
            for (double gap = 1.6; gap < 2.7; gap += 0.2) {
                const double height = 0.5 + 0.17 * i / N;
                fill(&s, height, 0, -1);
                hang(&s, height + gap / N);
                check_near(measure(&s, 1e-3), height, 2e-3);
            }
        unset(&s);
    }
}

static void cloud(void **state) {
    (void)state;
    setting s;
    set(&s, 3);
    fill(&s, -1, 0, -2);
    assert_int_equal(particles_reserve(&s.p, 50), 0);
    s.p.count = 50;
    for (size_t q = 0; q < 50; ++q)
        for (int a = 0; a < 3; ++a) s.p.x[a][q] = 1 + (float)((q * (7 + 4 * (size_t)a)) % 17);
    check_near(measure(&s, 1e-4), 50e-4, 1e-9);
    hang(&s, -0.1); /* all of the box is solid */
    check_near(measure(&s, 1e-4), 0, 1e-9);
    unset(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools),
        cmocka_unit_test(pools_under_lids),
        cmocka_unit_test(cloud),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
