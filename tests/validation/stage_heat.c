/* Heat from cells to the particles in them: what particles take is what cells give, whatever the laws of the
 * fluids that share a cell and however many they are; nothing goes beyond what is around; any number of
 * threads is the same. */
#include "check.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "core/random.h"
#include "stage/heat/heat.h"

enum { WIDE = 11, MOST = 21, FLUIDS = 3 };

typedef struct rig {
    mac_grid g;
    particles p;
    heat_law law[FLUIDS];
    heat_cells cells;
    float *block, *change;
    double side[6];
    heat_input in;
} rig;

static double chance(uint64_t i, uint64_t what) {
    return (double)random_unit(7, i, what);
}

/* Cells of none to MOST particles, of as many fluids as asked; temperatures around 0, some of them melting.
 */
static void fill(rig *r, int fluids, double low, double high) {
    const box *b = &r->g.box;
    size_t count = 0;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const size_t cell = box_dense(b, i, j, k);
                const int many = (int)(chance(cell, 0) * (MOST + 1));
                for (int q = 0; q < many; ++q, ++count) {
                    assert_int_equal(particles_reserve(&r->p, count + 1 > 64 ? 2 * (count + 1) : 64), 0);
                    const double at[3] = {i, j, k};
                    for (int a = 0; a < b->dim; ++a)
                        r->p.x[a][count] = (float)(at[a] + 0.05 + 0.9 * chance(count, 1 + (uint64_t)a));
                    for (int a = 0; a < b->dim; ++a) r->p.v[a][count] = 0;
                    r->p.id[count] = (uint32_t)count;
                    r->p.spray[count] = 0;
                    r->p.fluid[count] = (uint8_t)(chance(count, 5) * fluids);
                    const double t = low + (high - low) * chance(count, 6);
                    r->p.extra[0][count] = (float)heat_enthalpy(&r->law[r->p.fluid[count]], t);
                    r->p.extra[1][count] = 0;
                    r->p.count = count + 1;
                }
            }
    assert_int_equal(particles_sort(&r->p, &r->g), 0);
}

static void make(rig *r, int dim, int fluids, int melting, double low, double high, int threads) {
    static const char *const names[] = {"enthalpy", "rest"};
    *r = (rig){.g = {.box = box_make(dim, (int[]){WIDE, 5, dim == 3 ? 4 : 1}), .dx = 0.1}};
    r->g.pool = pool_create(threads);
    assert_int_equal(particles_make(&r->p, &r->g, names, 2), 0);
    for (int f = 0; f < FLUIDS; ++f)
        r->law[f] = heat_law_of(1000 * (f + 1), 0.5 * f + 1, melting && f != 2 ? 2e5 : 0, -3 - f, 2 + f);
    r->block = mem_alloc((HEAT_CELL_ARRAYS + 1) * r->g.box.size * sizeof *r->block);
    r->cells = heat_cells_in(r->block, r->g.box.size);
    r->change = r->block + HEAT_CELL_ARRAYS * r->g.box.size;
    for (int i = 0; i < 6; ++i) r->side[i] = (double)NAN;
    r->in = (heat_input){.g = &r->g,
                         .law = r->law,
                         .laws = fluids,
                         .column = {0, 1},
                         .mass = 2,
                         .full = 8,
                         .dt = 5,
                         .side = r->side};
    fill(r, fluids, low, high);
}

static void drop(rig *r) {
    mem_free(r->block);
    particles_free(&r->p);
    pool_free(r->g.pool);
}

static double heat_of(const rig *r) {
    double sum = 0;
    for (size_t i = 0; i < r->p.count; ++i)
        sum += r->in.mass * ((double)r->p.extra[0][i] + (double)r->p.extra[1][i]);
    return sum;
}

static float temperature(const rig *r, size_t i) {
    return heat_temperature(&r->law[r->p.fluid[i]], r->p.extra[0][i]);
}

static void step(rig *r, int upwind, int turn) {
    r->in.upwind = upwind;
    r->in.farthest = heat_to_cells(&r->cells, &r->in, &r->p);
    heat_conduct(r->change, &r->cells, &r->in, turn);
    heat_to_particles(&r->p, &r->cells, r->change, &r->in);
}

static void check_kept(int dim, int fluids, int melting, int upwind) {
    rig r;
    make(&r, dim, fluids, melting, -20, 20, 1);
    const double before = heat_of(&r);
    double scale = 0, worst = 0;
    for (size_t i = 0; i < r.p.count; ++i) scale += r.in.mass * fabs((double)r.p.extra[0][i]);
    for (int i = 0; i < 40; ++i) step(&r, upwind, i & 1);
    for (size_t i = 0; i < r.p.count; ++i) worst = fmax(worst, (double)fabsf(temperature(&r, i)));
    print_message("%dD, %d fluids, melting %d, upwind %d: %zu particles, heat off by %.1e, at most %.2f K\n",
                  dim, fluids, melting, upwind, r.p.count, (heat_of(&r) - before) / scale, worst);
    check_near(heat_of(&r), before, 1e-6 * scale);
    check_below(worst, 20 + 1e-3);
    drop(&r);
}

static void test_kept(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int fluids = 1; fluids <= FLUIDS; fluids += 2)
            for (int melting = 0; melting < 2; ++melting)
                for (int upwind = 0; upwind < 2; ++upwind) check_kept(dim, fluids, melting, upwind);
}

/* Upwind, all particles of a cell come to its temperature, also where some melt. */
static void test_one_temperature(void **state) {
    (void)state;
    rig r;
    make(&r, 3, FLUIDS, 1, -20, 20, 1);
    step(&r, 1, 0);
    double most = 0;
    for (size_t c = 0; c < box_cells(&r.g.box); ++c)
        for (size_t i = r.p.cell_start[c]; i + 1 < r.p.cell_start[c + 1]; ++i)
            most = fmax(most, (double)fabsf(temperature(&r, i) - temperature(&r, i + 1)));
    check_below(most, 1e-4);
    drop(&r);
}

static void test_threads(void **state) {
    (void)state;
    rig one, five;
    make(&one, 3, FLUIDS, 1, -20, 20, 1);
    make(&five, 3, FLUIDS, 1, -20, 20, 5);
    for (int i = 0; i < 10; ++i) {
        step(&one, 0, i & 1);
        step(&five, 0, i & 1);
    }
    assert_int_equal(one.p.count, five.p.count);
    for (int e = 0; e < 2; ++e)
        assert_memory_equal(one.p.extra[e], five.p.extra[e], one.p.count * sizeof *one.p.extra[e]);
    drop(&one);
    drop(&five);
}

/* What has one temperature is left as it is, to the last bit. */
static void test_still(void **state) {
    (void)state;
    rig r;
    make(&r, 3, FLUIDS, 1, 7, 7, 2);
    float *before = mem_alloc(r.p.count * sizeof *before);
    memcpy(before, r.p.extra[0], r.p.count * sizeof *before);
    step(&r, 0, 0);
    assert_memory_equal(before, r.p.extra[0], r.p.count * sizeof *before);
    mem_free(before);
    drop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_one_temperature),
                                       cmocka_unit_test(test_threads), cmocka_unit_test(test_still)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
