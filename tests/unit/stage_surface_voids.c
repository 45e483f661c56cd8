/* Films of air that liquid and walls shut in are liquid; bubbles, and what hangs together with the air, stay.
 */
#include <string.h>
#include "check.h"
#include "stage/surface/surface.h"

enum { N = 12 };

typedef struct {
    mac_grid g;
    openings o;
    float *phi, *density, *free_share;
    uint8_t *mark;
} tank;

static ptrdiff_t at(const tank *t, int i, int j) {
    return box_at(&t->g.box, i, j, 0);
}

/* Full up to 8 cells, with a wall that takes nine tenths of the column i = 0; closed sides. */
static void fill(tank *t) {
    *t = (tank){.g = {.box = box_make(2, (int[3]){N, N, 1}), .dx = 0.1}};
    const size_t size = t->g.box.size;
    t->phi = malloc(3 * size * sizeof *t->phi);
    t->mark = malloc(size);
    assert_non_null(t->phi);
    assert_non_null(t->mark);
    assert_int_equal(mac_field_make(&t->o.open, &t->g), 0);
    t->density = t->phi + size;
    t->free_share = t->density + size;
    for (size_t c = 0; c < size; ++c) {
        t->phi[c] = 0.1f;
        t->density[c] = 0;
        t->free_share[c] = 1;
    }
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            const ptrdiff_t c = at(t, i, j);
            t->phi[c] = j < 8 ? -0.1f : 0.1f;
            t->density[c] = j < 8;
            t->free_share[c] = i == 0 ? 0.2f : 1;
            t->o.open.value[0][c] = i > 0;
            t->o.open.value[1][c] = j == 0 ? 0 : i == 0 ? 0.1f : 1;
        }
}

static void empty(tank *t, int i, int j, float density) {
    t->phi[at(t, i, j)] = 0.05f;
    t->density[at(t, i, j)] = density;
}

static void look(tank *t, const float *q) {
    surface_fill_voids(t->phi, t->mark, &t->g, t->density, t->free_share, &t->o, q, 0.1);
}

static void end(tank *t) {
    mac_field_free(&t->o.open);
    free(t->phi);
    free(t->mark);
}

static void films_are_liquid(void **state) {
    (void)state;
    tank t;
    fill(&t);
    for (int j = 1; j < 7; ++j) empty(&t, 0, j, 0.1f);
    empty(&t, 1, 3, 0.4f); /* and a cell beside them */
    look(&t, NULL);
    for (int j = 1; j < 7; ++j) check_near((double)t.phi[at(&t, 0, j)], -0.1, 1e-6);
    check_near((double)t.phi[at(&t, 1, 3)], -0.1, 1e-6);
    check_below(0, (double)t.phi[at(&t, 0, 8)]); /* above the surface is air */
    end(&t);
}

static void bubbles_stay(void **state) {
    (void)state;
    tank t;
    fill(&t);
    for (int j = 2; j < 6; ++j)
        for (int i = 0; i < 4; ++i) empty(&t, i, j, 0.1f);
    look(&t, NULL);
    for (int j = 2; j < 6; ++j)
        for (int i = 0; i < 4; ++i) check_below(0, (double)t.phi[at(&t, i, j)]);
    end(&t);
}

/* Also where no wall is near there is no question. */
static void air_stays(void **state) {
    (void)state;
    tank t;
    fill(&t);
    for (int j = 1; j < 8; ++j) empty(&t, 0, j, 0.1f); /* up to the surface */
    empty(&t, 6, 3, 0.4f);
    look(&t, NULL);
    for (int j = 1; j < 8; ++j) check_below(0, (double)t.phi[at(&t, 0, j)]);
    check_below(0, (double)t.phi[at(&t, 6, 3)]);
    end(&t);
}

static void open_sides_lead_to_air(void **state) {
    (void)state;
    tank t;
    fill(&t);
    for (int j = 0; j < 3; ++j) empty(&t, 0, j, 0.1f);
    t.o.open.value[1][at(&t, 0, 0)] = 0.1f; /* through the floor */
    look(&t, NULL);
    for (int j = 0; j < 3; ++j) check_below(0, (double)t.phi[at(&t, 0, j)]);
    end(&t);
}

/* A slot behind a wall that no liquid touches. */
static void dry_slots_stay(void **state) {
    (void)state;
    tank t;
    fill(&t);
    for (int j = 0; j < N; ++j) {
        empty(&t, 0, j, 0);
        t.o.open.value[0][at(&t, 1, j)] = 0;
    }
    look(&t, NULL);
    for (int j = 0; j < N; ++j) check_below(0, (double)t.phi[at(&t, 0, j)]);
    end(&t);
}

/* What opens to liquid at its mouth only: dry, and hardly filled. */
static void cracks_stay(void **state) {
    (void)state;
    for (int filled = 0; filled < 2; ++filled) {
        tank t;
        fill(&t);
        for (int j = 1; j < 8; ++j) {
            empty(&t, 0, j, filled ? 0.4f : 0);
            t.free_share[at(&t, 0, j)] = 0.6f;
            if (j > 1) t.o.open.value[0][at(&t, 1, j)] = 0;
        }
        t.o.open.value[1][at(&t, 0, 8)] = 0;
        look(&t, NULL);
        for (int j = 1; j < 8; ++j) check_below(0, (double)t.phi[at(&t, 0, j)]);
        end(&t);
    }
}

/* The answer does not depend on where the search begins: a film up to a bubble, mirrored. */
static void bubbles_keep_their_films(void **state) {
    (void)state;
    for (int up = 0; up < 2; ++up) {
        tank t;
        fill(&t);
        for (int j = 0; j < 7; ++j) empty(&t, 0, j, 0.3f);
        for (int i = 1; i < 4; ++i)
            for (int j = 0; j < 2; ++j) empty(&t, i, up ? 6 - j : j, 0);
        look(&t, NULL);
        for (int j = 0; j < 7; ++j) check_below(0, (double)t.phi[at(&t, 0, j)]);
        end(&t);
    }
}

/* Where walls let go, only what is pressed on is liquid. */
static void voids_that_open_stay(void **state) {
    (void)state;
    tank t;
    fill(&t);
    float *q = malloc(t.g.box.size * sizeof *q);
    assert_non_null(q);
    for (size_t c = 0; c < t.g.box.size; ++c) q[c] = 0.05f;
    empty(&t, 0, 4, 0.1f);
    look(&t, q);
    check_below(0, (double)t.phi[at(&t, 0, 4)]);
    for (size_t c = 0; c < t.g.box.size; ++c) q[c] = 0.3f;
    look(&t, q);
    check_below((double)t.phi[at(&t, 0, 4)], 0);
    free(q);
    end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(films_are_liquid),
                                       cmocka_unit_test(bubbles_stay),
                                       cmocka_unit_test(air_stays),
                                       cmocka_unit_test(open_sides_lead_to_air),
                                       cmocka_unit_test(dry_slots_stay),
                                       cmocka_unit_test(cracks_stay),
                                       cmocka_unit_test(bubbles_keep_their_films),
                                       cmocka_unit_test(voids_that_open_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
