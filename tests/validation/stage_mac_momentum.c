#include "check.h"
#include "linear/poisson.h"
#include "stage/mac/mac.h"
#include "stage/pressure/pressure.h"

#define PI 3.14159265358979323846

typedef struct {
    mac_grid g;
    mac_field u, next;
    openings o;
    pressure_work work;
    float *phi, *q;
    uint8_t *kind;
    poisson *solver;
} tank;

/* A box full of liquid between closed sides; open sides lead into more liquid. */
static tank tank_make(int dim, int n, unsigned open_sides) {
    tank t = {.g = {.box = box_make(dim, (int[3]){n, n, dim == 3 ? n : 1}), .dx = 1.0 / n}};
    const size_t size = t.g.box.size;
    assert_int_equal(mac_field_make(&t.u, &t.g) | mac_field_make(&t.next, &t.g) |
                         mac_field_make(&t.o.open, &t.g) | mac_field_make(&t.work.face, &t.g),
                     0);
    t.phi = calloc(size, sizeof(float));
    t.q = calloc(size, sizeof(float));
    t.work.extra = calloc(size, sizeof(float));
    t.work.rhs = calloc(size, sizeof(float));
    t.work.unknown = calloc(size, 1);
    t.kind = malloc(size);
    t.solver = poisson_create(&t.g.box, NULL, POISSON_MULTIGRID);
    memset(t.kind, MAC_SOLID, size);
    for (int k = 0; k < t.g.box.n[2]; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = -1; i <= n; ++i) {
                if ((i < 0 && !(open_sides & 1)) || (i == n && !(open_sides & 2))) continue;
                t.kind[box_at(&t.g.box, i, j, k)] = MAC_LIQUID;
            }
    for (int a = 0; a < dim; ++a)
        for (int k = 0; k < t.g.box.n[2] + (a == 2); ++k)
            for (int j = 0; j < n + (a == 1); ++j)
                for (int i = 0; i < n + (a == 0); ++i) {
                    const int at = a == 0   ? i
                                   : a == 1 ? j
                                            : k,
                              through = a == 0 && (at ? open_sides & 2 : open_sides & 1);
                    t.o.open.value[a][box_at(&t.g.box, i, j, k)] = (at == 0 || at == n) && !through ? 0 : 1;
                }
    mac_cell_distance(t.phi, &t.g, t.kind);
    return t;
}

static void tank_free(tank *t) {
    mac_field *const fields[] = {&t->u, &t->next, &t->o.open, &t->work.face};
    for (int i = 0; i < 4; ++i) mac_field_free(fields[i]);
    void *const blocks[] = {t->phi, t->q, t->work.extra, t->work.rhs, t->work.unknown, t->kind};
    for (int i = 0; i < 6; ++i) free(blocks[i]);
    poisson_free(t->solver);
}

static void tank_swap(tank *t) {
    const mac_field kept = t->u;
    t->u = t->next;
    t->next = kept;
}

/* The same profile in every column, border included. */
static void set_profile(tank *t, double (*profile)(double y)) {
    for (int j = 0; j < t->g.box.n[1]; ++j)
        for (int i = -GHOST; i < t->g.box.n[0] + GHOST; ++i)
            t->u.value[0][box_at(&t->g.box, i, j, 0)] = (float)profile((j + 0.5) * t->g.dx);
}

static double sine(double y) {
    return sin(PI * y);
}
static double cosine(double y) {
    return cos(PI * y);
}

/* u(y) exp(-nu pi^2 t) between walls at 0 and 1, in an endless channel along x. The error of the profile at
 * nu t = 0.05. */
static double shear_error(int n, double (*profile)(double), int no_slip) {
    const double nu = 0.1, end = 0.5, still[3] = {0, 0, 0};
    tank t = tank_make(2, n, 3);
    set_profile(&t, profile);
    /* below mac_stable_dt() with the flow at rest: nothing is carried across parallel streams */
    const int steps = (int)ceil(end / mac_stable_dt(&t.g, 0, 0, nu, 1));
    for (int s = 0; s < steps; ++s) {
        /* the flow along x needs its share of viscosity only: u is the same upstream */
        mac_momentum(&t.next, &t.g, &t.u, t.kind, &t.o, NULL, nu, still, no_slip, NULL, end / steps);
        for (int j = 0; j < n; ++j)
            for (int i = -GHOST; i < n + GHOST; ++i)
                t.next.value[0][box_at(&t.g.box, i, j, 0)] = t.next.value[0][box_at(&t.g.box, n / 2, j, 0)];
        tank_swap(&t);
    }
    double worst = 0;
    for (int j = 0; j < n; ++j) {
        const double exact = profile((j + 0.5) * t.g.dx) * exp(-nu * PI * PI * end);
        worst = larger(worst, fabs((double)t.u.value[0][box_at(&t.g.box, n / 2, j, 0)] - exact));
    }
    tank_free(&t);
    return worst;
}

static void check_orders(const char *name, double (*error)(int n), int first, int count, double least) {
    double before = 0;
    for (int l = 0; l < count; ++l) {
        const int n = first << l;
        const double e = error(n), order = l ? log2(before / e) : NAN;
        printf("%-24s N %4d  error %.3e  order %.2f\n", name, n, e, order);
        if (l) assert_true(order > least);
        before = e;
    }
}

static double no_slip_error(int n) {
    return shear_error(n, sine, 1);
}
static double free_slip_error(int n) {
    return shear_error(n, cosine, 0);
}

static void shear_layers_decay_as_they_should(void **state) {
    (void)state;
    check_orders("no-slip shear", no_slip_error, 8, 3, 1.9);
    check_orders("free-slip shear", free_slip_error, 8, 3, 1.9);
}

static double vortex_u(double x, double y) {
    return sin(PI * x) * cos(PI * y);
}

static void set_vortex(tank *t) {
    const int n = t->g.box.n[0];
    const double h = t->g.dx;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
            const ptrdiff_t c = box_at(&t->g.box, i, j, 0);
            if (j < n) t->u.value[0][c] = (float)vortex_u(i * h, (j + 0.5) * h);
            if (i < n) t->u.value[1][c] = (float)-vortex_u(j * h, (i + 0.5) * h);
        }
    mac_set_walls(&t->u, &t->g, &t->o);
}

/* Taylor and Green's vortex fits a closed box with free slip exactly: u(t) = u(0) exp(-2 nu pi^2 t). */
static double vortex_error(int n, double nu) {
    const double end = 0.25, still[3] = {0, 0, 0};
    tank t = tank_make(2, n, 0);
    set_vortex(&t);
    assert_int_equal(pressure_assemble(t.solver, &t.work, &t.g, &t.o, t.phi), 0);
    const int steps = (int)ceil(end / mac_stable_dt(&t.g, 2, 0, nu, 1));
    for (int s = 0; s < steps; ++s) {
        mac_momentum(&t.next, &t.g, &t.u, t.kind, &t.o, NULL, nu, still, 0, NULL, end / steps);
        tank_swap(&t);
        pressure_project(&t.u, t.q, t.solver, &t.work, &t.g, &t.o, t.phi, 1e-6, 100);
    }
    double sum = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i <= n; ++i) {
            const double exact = vortex_u(i * t.g.dx, (j + 0.5) * t.g.dx) * exp(-2 * nu * PI * PI * end);
            const double e = (double)t.u.value[0][box_at(&t.g.box, i, j, 0)] - exact;
            sum += e * e;
        }
    tank_free(&t);
    return sqrt(sum / (n * (n + 1)));
}

static double thick_vortex(int n) {
    return vortex_error(n, 0.1);
}
static double thin_vortex(int n) {
    return vortex_error(n, 1e-6);
}

static void vortex_decays_as_it_should(void **state) {
    (void)state;
    check_orders("vortex, nu 0.1", thick_vortex, 8, 3, 1.8);
    check_orders("vortex, nu 1e-6", thin_vortex, 16, 3, 0.8);
}

/* Heun on a rigid rotation about the box's centre, which linear interpolation reproduces exactly. */
static double rotation_error(int steps) {
    const int n = 32;
    tank t = tank_make(2, n, 0);
    for (int j = -GHOST; j < n + GHOST; ++j)
        for (int i = -GHOST; i < n + GHOST; ++i) {
            t.u.value[0][box_at(&t.g.box, i, j, 0)] = (float)(-(j + 0.5 - n / 2) * t.g.dx);
            t.u.value[1][box_at(&t.g.box, i, j, 0)] = (float)((i + 0.5 - n / 2) * t.g.dx);
        }
    particles p = {0};
    assert_int_equal(particles_make(&p, &t.g, NULL, 0), 0);
    assert_int_equal(particles_reserve(&p, 1), 0);
    p.count = 1;
    p.x[0][0] = 26;
    p.x[1][0] = 16;
    for (int s = 0; s < steps; ++s) mac_move_markers(&p, &t.g, &t.u, t.kind, NULL, 1.0 / steps);
    const double e = hypot((double)p.x[0][0] - 16 - 10 * cos(1), (double)p.x[1][0] - 16 - 10 * sin(1));
    particles_free(&p);
    tank_free(&t);
    return e;
}

static void markers_move_to_second_order(void **state) {
    (void)state;
    check_orders("marker, steps a radian", rotation_error, 4, 4, 1.9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_layers_decay_as_they_should),
        cmocka_unit_test(vortex_decays_as_it_should),
        cmocka_unit_test(markers_move_to_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
