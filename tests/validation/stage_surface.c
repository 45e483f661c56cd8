/* Distances to a straight surface beside an oblique wall, from the weights that liquid spread evenly below
 * the one and outside of the other would leave. Read as if no wall was there, cut cells are wrong by half a
 * cell along the contact line, and stay so on finer grids. */
#include "check.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "stage/walls/solids.h"
#include "stage/surface/surface.h"

enum { N = 14, FINE = 4 }; /* cells a side; samples of the liquid along the side of a cell */

typedef struct plane {
    double normal[3], at; /* normal . x > at is air, or open */
} plane;

typedef struct scene {
    mac_grid g;
    openings open;
    mac_field weight;
    float *solid, *free_share, *density, *phi;
    plane wall, surface;
} scene;

static plane plane_through(const double normal[3], const double x[3], int dim) {
    plane p = {{0, 0, 0}, 0};
    double size = 0;
    for (int a = 0; a < dim; ++a) size += normal[a] * normal[a];
    for (int a = 0; a < dim; ++a) p.normal[a] = normal[a] / sqrt(size);
    for (int a = 0; a < dim; ++a) p.at += p.normal[a] * x[a];
    return p;
}

/* Distance in cells of a place in cells. */
static double above(const plane *p, const double x[3]) {
    return p->normal[0] * x[0] + p->normal[1] * x[1] + p->normal[2] * x[2] - p->at;
}

/* What a sample at x leaves on the faces across an axis. */
static void leave_weights(scene *s, const double x[3], double amount, int axis) {
    const box *b = &s->g.box;
    int low[3] = {0, 0, 0};
    double part[3] = {0, 0, 0};
    for (int a = 0; a < b->dim; ++a) {
        const double y = x[a] - (a == axis ? 0 : 0.5);
        low[a] = (int)floor(y);
        part[a] = y - low[a];
    }
    for (int c = 0; c < 1 << b->dim; ++c) {
        double w = amount;
        int at[3] = {low[0], low[1], low[2]};
        for (int a = 0; a < b->dim; ++a) {
            w *= c >> a & 1 ? part[a] : 1 - part[a];
            at[a] += c >> a & 1;
        }
        s->weight.value[axis][box_at(b, at[0], at[1], at[2])] += (float)w;
    }
}

static void fill(scene *s) {
    const box *b = &s->g.box;
    const double amount = 1 / pow(FINE, b->dim);
    for (int k = 0; k < (b->dim == 3 ? N * FINE : 1); ++k)
        for (int j = 0; j < N * FINE; ++j)
            for (int i = 0; i < N * FINE; ++i) {
                const double x[3] = {(i + 0.5) / FINE, (j + 0.5) / FINE, b->dim == 3 ? (k + 0.5) / FINE : 0};
                if (above(&s->surface, x) > 0 || above(&s->wall, x) < 0) continue;
                for (int a = 0; a < b->dim; ++a) leave_weights(s, x, amount, a);
            }
}

static void make(scene *s, int dim, const plane *wall, const plane *surface) {
    *s = (scene){.wall = *wall, .surface = *surface};
    s->g =
        (mac_grid){.box = box_make(dim, (int[3]){N, N, dim == 3 ? N : 1}), .dx = 0.1, .pool = pool_create(2)};
    const size_t bytes = s->g.box.size * sizeof(float);
    s->solid = mem_alloc(bytes);
    s->free_share = mem_alloc(bytes);
    s->density = mem_alloc(bytes);
    s->phi = mem_alloc(bytes);
    assert_false(mac_field_make(&s->open.open, &s->g) | mac_field_make(&s->weight, &s->g));
    memset(s->open.open_wall, 1, sizeof s->open.open_wall);
    const int deep = dim == 3 ? GHOST : 0;
    for (int k = -deep; k < s->g.box.n[2] + deep; ++k)
        for (int j = -GHOST; j < N + GHOST; ++j)
            for (int i = -GHOST; i < N + GHOST; ++i)
                s->solid[box_at(&s->g.box, i, j, k)] = (float)(0.1 * above(&s->wall, (double[3]){i, j, k}));
    solids_open_faces(&s->open, &s->g, s->solid);
    solids_free_share(s->free_share, NULL, &s->g, s->solid, &s->open, NULL, 0);
    fill(s);
    surface_from_weights(s->density, s->phi, &s->g, &s->weight, s->free_share, 1);
}

static void drop(scene *s) {
    mem_free(s->solid);
    mem_free(s->free_share);
    mem_free(s->density);
    mem_free(s->phi);
    mac_field_free(&s->open.open);
    mac_field_free(&s->weight);
    pool_free(s->g.pool);
}

/* The error in cells (2-norm), of cut cells within 0.6 of the surface and off the domain's sides. */
static double error(const scene *s) {
    double sum = 0;
    int count = 0;
    const int dim = s->g.box.dim;
    for (int k = dim == 3 ? 3 : 0; k < (dim == 3 ? N - 3 : 1); ++k)
        for (int j = 3; j < N - 3; ++j)
            for (int i = 3; i < N - 3; ++i) {
                const ptrdiff_t c = box_at(&s->g.box, i, j, k);
                const double exact =
                    above(&s->surface, (double[3]){i + 0.5, j + 0.5, dim == 3 ? k + 0.5 : 0});
                if (s->free_share[c] < 0.15f || s->free_share[c] > 0.97f || fabs(exact) > 0.6) continue;
                const double off = (double)s->phi[c] / 0.1 - exact;
                sum += off * off;
                ++count;
            }
    return sqrt(sum / fmax(1, count));
}

static void check_walls(int dim) {
    const double walls[][3] = {{1, 0, 0}, {0.5, 0.866, 0}, {0.5, -0.866, 0}, {1, 1, 0},        {-1, -1, 0},
                               {1, 1, 1}, {-1, -1, 1},     {0.3, -0.5, 0.8}, {-0.7, 0.4, -0.6}};
    const double surfaces[][3] = {{0, 1, 0}, {0.2, 1, -0.1}};
    double sum = 0, sum_before = 0;
    int count = 0;
    for (size_t w = 0; w < sizeof walls / sizeof *walls; ++w)
        for (size_t n = 0; n < 2; ++n)
            for (int h = 0; h < 4; ++h) {
                scene s;
                const double middle[3] = {7.1, 6.9, dim == 3 ? 7.2 : 0};
                const double level[3] = {7.1, 6.5 + 0.25 * h, dim == 3 ? 7.2 : 0};
                const plane wall = plane_through(walls[w], middle, dim);
                const plane surface = plane_through(surfaces[n], level, dim);
                make(&s, dim, &wall, &surface);
                const double before = error(&s);
                surface_beside_walls(s.phi, &s.g, s.density, s.free_share, s.solid, &s.open);
                const double after = error(&s);
                print_message("%dD wall %g %g %g, surface %g, height %g: %.3f cells, %.3f before\n", dim,
                              walls[w][0], walls[w][1], walls[w][2], surfaces[n][0], level[1], after, before);
                check_below(after, before + 0.05);
                sum += after * after;
                sum_before += before * before;
                ++count;
                drop(&s);
            }
    print_message("%dD, all: %.3f cells, %.3f before\n", dim, sqrt(sum / count), sqrt(sum_before / count));
    check_below(sqrt(sum / count), 0.2);
    check_below(0.28, sqrt(sum_before / count));
}

/* The largest change of a distance, in cells, when the liquid beside a wall becomes a hundredth denser. */
static double largest_jump(scene *s) {
    enum { STEPS = 100 };
    float *density = mem_alloc(s->g.box.size * sizeof(float)),
          *before = mem_alloc(s->g.box.size * sizeof(float));
    double most = 0;
    for (int t = 0; t < STEPS; ++t) {
        for (size_t c = 0; c < s->g.box.size; ++c) density[c] = s->density[c] * (0.2f + 0.01f * (float)t);
        surface_from_density(s->phi, &s->g, density);
        surface_beside_walls(s->phi, &s->g, density, s->free_share, s->solid, &s->open);
        for (int k = 3; k < N - 3; ++k)
            for (int j = 3; j < N - 3; ++j)
                for (int i = 3; i < N - 3; ++i) {
                    const ptrdiff_t c = box_at(&s->g.box, i, j, k);
                    if (t) most = larger(most, fabs((double)(s->phi[c] - before[c])) / s->g.dx);
                    before[c] = s->phi[c];
                }
    }
    mem_free(density);
    mem_free(before);
    return most;
}

/* A pocket of a few particles gets fuller and emptier all the time: its distance must follow and not jump
 * where some cell gets half full, which shows a surface through its centre only without a wall. */
static void test_smooth(void **state) {
    (void)state;
    const double walls[][3] = {{0.5, 0.866, 0}, {1, 1, 0}, {1, 1, 1}, {0.3, 0.5, 0.8}};
    for (size_t w = 0; w < sizeof walls / sizeof *walls; ++w) {
        scene s;
        const plane wall = plane_through(walls[w], (double[3]){7.1, 6.9, 7.2}, 3);
        const plane surface = plane_through((double[3]){0, 1, 0}, (double[3]){7.1, 6.7, 7.2}, 3);
        make(&s, 3, &wall, &surface);
        const double jump = largest_jump(&s);
        print_message("3D wall %g %g %g: largest jump %.3f cells\n", walls[w][0], walls[w][1], walls[w][2],
                      jump);
        check_below(jump, 0.25);
        drop(&s);
    }
}

static void test_flat(void **state) {
    (void)state;
    check_walls(2);
}

static void test_solid(void **state) {
    (void)state;
    check_walls(3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flat), cmocka_unit_test(test_solid),
                                       cmocka_unit_test(test_smooth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
