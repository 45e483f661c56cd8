/* Viscous flows with exact answers, by the stage alone: steady ones in a single huge time step. */
#include "check.h"
#include "core/memory.h"
#include "stage/viscosity/viscosity.h"

enum { MOST = 2000 };

typedef struct flow {
    mac_grid g;
    float *phi, *node_phi, *mu;
    mac_field u, wall;
    viscosity_input in;
} flow;

static flow flow_make(int dim, const int n[3], double dx) {
    flow f = {.g = {.box = box_make(dim, n), .dx = dx}};
    assert_int_equal(field_make(&f.phi, &f.g) | field_make(&f.node_phi, &f.g) | field_make(&f.mu, &f.g), 0);
    assert_int_equal(mac_field_make(&f.u, &f.g) | mac_field_make(&f.wall, &f.g), 0);
    for (size_t i = 0; i < f.g.box.size; ++i) {
        f.phi[i] = -10;
        f.node_phi[i] = 10;
        f.mu[i] = 1;
    }
    f.in = (viscosity_input){.dt = 1, .density = 1, .phi = f.phi, .mu = f.mu};
    return f;
}

static void flow_drop(flow *f) {
    mem_free(f->phi);
    mem_free(f->node_phi);
    mem_free(f->mu);
    mac_field_free(&f->u);
    mac_field_free(&f->wall);
}

static viscous_result flow_step(flow *f, double tolerance) {
    viscosity *v = viscosity_create(&f->g, VISCOUS_MULTIGRID);
    assert_non_null(v);
    assert_int_equal(viscosity_assemble(v, &f->g, &f->in), 0);
    const viscous_result r = viscosity_solve(&f->u, NULL, NULL, v, &f->g, &f->in, tolerance, MOST);
    viscosity_free(v);
    assert_true(r.converged);
    return r;
}

/* Every sample of every field, the border's first one included. */
#define EACH_SAMPLE(f, i, j, k)                                                                              \
    for (int k = (f)->g.box.dim == 3 ? -1 : 0; k <= ((f)->g.box.dim == 3 ? (f)->g.box.n[2] + 1 : 0); ++k)    \
        for (int j = -1; j <= (f)->g.box.n[1] + 1; ++j)                                                      \
            for (int i = -1; i <= (f)->g.box.n[0] + 1; ++i)

static void face_place(double x[3], const flow *f, int c, int i, int j, int k) {
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; ++a) x[a] = (at[a] + (a == c ? 0 : 0.5)) * f->g.dx;
}

/* ---- annular Couette: radii .17 and .41, the inner wall turns with 1 rad/s ---- */

static const double INNER = 0.17, OUTER = 0.41;
static double middle; /* of both, along x and y */

static bool is_inner(const void *user, int axis, const int at[3]) {
    double x[3];
    face_place(x, user, axis, at[0], at[1], at[2]);
    return hypot(x[0] - middle, x[1] - middle) < 0.5 * (INNER + OUTER);
}

/* The torque about the middle of both, of what pulls on the inner one. */
typedef struct inner_pull {
    const void *flow;
    double torque;
} inner_pull;
static void pull_inner(void *user, int axis, const int at[3], const double x[3], double force) {
    inner_pull *p = user;
    if (is_inner(p->flow, axis, at))
        p->torque += axis == 1 ? (x[0] - middle) * force : -(x[1] - middle) * force;
}

static double annular_exact(const double x[3], int c) {
    const double r = hypot(x[0] - middle, x[1] - middle), all = OUTER * OUTER - INNER * INNER;
    const double turn = INNER * INNER / all * (OUTER * OUTER / (r * r) - 1);
    return c == 0 ? -turn * (x[1] - middle) : turn * (x[0] - middle);
}

static void annular(double *rms, double *torque_error, int n) {
    flow f = flow_make(2, (int[3]){n, n, 1}, 1.0 / n);
    f.in.dt = 1e5;
    f.in.node_phi = f.node_phi;
    f.in.wall = &f.wall;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        const double r = hypot(i * f.g.dx - middle, j * f.g.dx - middle);
        f.node_phi[q] = (float)fmin(r - INNER, OUTER - r);
        for (int c = 0; c < 2; ++c) {
            double x[3];
            face_place(x, &f, c, i, j, k);
            if (is_inner(&f, c, (int[3]){i, j, k}))
                f.wall.value[c][q] = (float)(c == 0 ? middle - x[1] : x[0] - middle);
        }
    }
    viscosity *v = viscosity_create(&f.g, VISCOUS_MULTIGRID);
    assert_int_equal(viscosity_assemble(v, &f.g, &f.in), 0);
    const viscous_result r = viscosity_solve(&f.u, NULL, NULL, v, &f.g, &f.in, 1e-8, MOST);
    assert_true(r.converged);
    double sum = 0, count = 0;
    inner_pull pulled = {.flow = &f};
    EACH_SAMPLE(&f, i, j, k)
    for (int c = 0; c < 2; ++c) {
        double x[3];
        face_place(x, &f, c, i, j, k);
        const double radius = hypot(x[0] - middle, x[1] - middle);
        if (radius <= INNER || radius >= OUTER) continue;
        const double e = (double)f.u.value[c][box_at(&f.g.box, i, j, k)] - annular_exact(x, c);
        sum += e * e;
        count += 1;
    }
    viscosity_pulls(v, &f.g, &f.in, &f.u, pull_inner, &pulled);
    const double exact = -4 * acos(-1) * INNER * INNER * OUTER * OUTER / (OUTER * OUTER - INNER * INNER);
    *rms = sqrt(sum / count);
    *torque_error = fabs(pulled.torque / exact - 1);
    printf("annular couette %3d: rms %.3e torque %.6f exact %.6f (%.3f %%) iterations %d\n", n, *rms,
           pulled.torque, exact, 100 * *torque_error, r.iterations);
    viscosity_free(v);
    flow_drop(&f);
}

/* How walls lie on the grid matters as much as its size: the mean of five places. */
static void test_annular_couette(void **state) {
    (void)state;
    enum { PLACES = 5, SIZES = 4 };
    double mean[SIZES] = {0};
    for (int place = 0; place < PLACES; ++place)
        for (int i = 0; i < SIZES; ++i) {
            double rms, torque;
            middle = 0.5 + 0.0035 * place;
            annular(&rms, &torque, 16 << i);
            mean[i] += rms / PLACES;
            if (i > 1) check_below(torque, i == 2 ? 0.01 : 0.004);
        }
    const double order = log2(mean[0] / mean[SIZES - 1]) / (SIZES - 1);
    printf("annular couette: mean rms");
    for (int i = 0; i < SIZES; ++i) printf(" %.3e", mean[i]);
    printf(", order %.2f\n", order);
    assert_true(order >= 1.5);
}

/* ---- plane flows between walls that move with the exact answer ---- */

typedef struct plane {
    const char *name;
    double (*exact)(double y); /* u; v = 0 */
    double force;              /* m/s2 along x; INFINITY: 16 times u */
    double low, high;          /* walls across y; the sides of the domain are walls too */
    double layer;              /* above it mu is 1e4 instead of 1; 0: nowhere */
} plane;

static void plane_fill(flow *f, const plane *p) {
    f->in.node_phi = f->node_phi;
    f->in.wall = &f->wall;
    EACH_SAMPLE(f, i, j, k) {
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        const double y = j * f->g.dx;
        f->node_phi[q] = (float)fmin(y - p->low, p->high - y);
        f->mu[q] = p->layer > 0 && y + 0.5 * f->g.dx > p->layer ? 1e4f : 1;
        const double u = p->exact(y + 0.5 * f->g.dx);
        f->u.value[0][q] = (float)((isinf(p->force) ? 16 * u : p->force) * f->in.dt);
        f->wall.value[0][q] = (float)u;
    }
}

/* The largest error of any face in the liquid. */
static double plane_error(const plane *p, int n) {
    flow f = flow_make(2, (int[3]){n, n, 1}, 1.0 / n);
    f.in.dt = 1e4;
    plane_fill(&f, p);
    const viscous_result r = flow_step(&f, 1e-7);
    double most = 0;
    EACH_SAMPLE(&f, i, j, k)
    for (int c = 0; c < 2; ++c) {
        double x[3];
        face_place(x, &f, c, i, j, k);
        if (x[0] <= 0 || x[0] >= 1 || x[1] <= p->low || x[1] >= p->high) continue;
        const double exact = c == 0 ? p->exact(x[1]) : 0;
        most = larger(most, fabs((double)f.u.value[c][box_at(&f.g.box, i, j, k)] - exact));
    }
    printf("%s %3d: error %.3e iterations %d\n", p->name, n, most, r.iterations);
    flow_drop(&f);
    return most;
}

static double parabola(double y) {
    return y * (1 - y);
}
static double ramp(double y) {
    return y - 0.2;
}
static double kinked(double y) {
    return y < 0.5 ? y - 0.25 : 0.25 + 1e-4 * (y - 0.5);
}

static void test_poiseuille(void **state) {
    (void)state;
    const plane p = {"poiseuille", parabola, 2, 0, 1, 0};
    for (int n = 16; n <= 64; n *= 2) check_below(plane_error(&p, n), 1e-5); /* exact: u is a parabola */
}

static double wave(double y) {
    return sin(4 * y) / 16;
}

/* Forced by what balances it, between walls off the grid. */
static void test_wave(void **state) {
    (void)state;
    const plane p = {"sine, walls off the grid", wave, INFINITY, 0.113, 0.893, 0};
    double error[3];
    for (int i = 0; i < 3; ++i) error[i] = plane_error(&p, 16 << i);
    const double order = log2(error[0] / error[2]) / 2;
    printf("sine: order %.2f\n", order);
    assert_true(order > 1.7);
}

static void test_couette(void **state) {
    (void)state;
    const plane p = {"couette, walls off the grid", ramp, 0, 0.213, 0.807, 0};
    for (int n = 16; n <= 64; n *= 2) check_below(plane_error(&p, n), 2e-5);
}

static void test_two_layers(void **state) {
    (void)state;
    const plane p = {"two layers", kinked, 0, 0, 1, 0.5};
    for (int n = 16; n <= 64; n *= 2) check_below(plane_error(&p, n), 2e-5);
}

/* ---- free liquid ---- */

/* A ball or a disc of radius .31 about (.52, .47, .5), u = U + turn x r. */
static void blob_fill(flow *f, double turn, double speed) {
    EACH_SAMPLE(f, i, j, k) {
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        double x[3];
        face_place(x, f, 3, i, j, k);
        const double z = f->g.box.dim == 3 ? x[2] - 0.5 : 0;
        f->phi[q] =
            (float)(sqrt((x[0] - 0.52) * (x[0] - 0.52) + (x[1] - 0.47) * (x[1] - 0.47) + z * z) - 0.31);
        for (int c = 0; c < f->g.box.dim; ++c) {
            face_place(x, f, c, i, j, k);
            const double rigid = c == 0 ? 0.47 - x[1] : c == 1 ? x[0] - 0.52 : 0;
            f->u.value[c][q] = (float)(turn * rigid + (c == 1 ? speed : 0));
        }
    }
}

/* The largest change of a face in the liquid. */
static double blob_change(int dim, int n, double turn, double speed, viscosity_model model) {
    flow f = flow_make(dim, (int[3]){n, n, dim == 3 ? n : 1}, 1.0 / n),
         was = flow_make(dim, f.g.box.n, f.g.dx);
    f.in.model = model;
    blob_fill(&f, turn, speed);
    blob_fill(&was, turn, speed);
    const viscous_result r = flow_step(&f, 1e-6);
    double most = 0;
    EACH_SAMPLE(&f, i, j, k)
    for (int c = 0; c < dim; ++c) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        if (f.phi[q] < 0) most = larger(most, fabs((double)f.u.value[c][q] - (double)was.u.value[c][q]));
    }
    printf("blob %dD %d turning %g falling %g %s: change %.3e iterations %d\n", dim, n, turn, speed,
           model == VISCOSITY_FULL ? "full" : "laplacian", most, r.iterations);
    flow_drop(&f);
    flow_drop(&was);
    return most;
}

static void test_rigid_motion(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        const int n = dim == 3 ? 32 : 64;
        check_below(blob_change(dim, n, 1, 0, VISCOSITY_FULL), 1e-5);
        assert_true(blob_change(dim, n, 1, 0, VISCOSITY_LAPLACIAN) > 0.2); /* held against turning */
        check_below(blob_change(dim, n, 0, 9.81, VISCOSITY_FULL), 1e-4);
        check_below(blob_change(dim, n, 0, 9.81, VISCOSITY_LAPLACIAN), 1e-4);
    }
}

/* ---- a body that is free in free liquid ---- */

static void hollow(flow *f, uint16_t *solid[3], viscous_body *body) {
    const double r = 0.14, at[3] = {0.55, 0.5, 0.5},
                 m = f->g.box.dim == 3 ? 4 * acos(-1) / 3 * r * r * r : acos(-1) * r * r;
    for (int c = 0; c < f->g.box.dim; ++c) solid[c] = mem_alloc(f->g.box.size * sizeof(uint16_t));
    *body = (viscous_body){
        .centre = {at[0] / f->g.dx, at[1] / f->g.dx, f->g.box.dim == 3 ? at[2] / f->g.dx : 0.5}};
    for (int i = 0; i < 6; ++i)
        body->mass[7 * i] =
            0.3 * m / pow(f->g.dx, f->g.box.dim) * (i < 3 ? 1 : 0.4 * r * r / (f->g.dx * f->g.dx));
    EACH_SAMPLE(f, i, j, k) {
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        const double x[3] = {i * f->g.dx, j * f->g.dx, f->g.box.dim == 3 ? k * f->g.dx : 0.5};
        f->node_phi[q] =
            (float)(sqrt(pow(x[0] - at[0], 2) + pow(x[1] - at[1], 2) + pow(x[2] - at[2], 2)) - r);
    }
    EACH_SAMPLE(f, i, j, k) /* as stages tell it: by the mean of a face's nodes */
    for (int c = 0; c < f->g.box.dim; ++c) {
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        double sum = 0;
        for (int corner = 0; corner < 4; ++corner) {
            const int p = c == 0 ? 1 : 0, o = c == 2 ? 1 : 2;
            const ptrdiff_t there = q + (corner & 1 ? f->g.box.step[p] : 0) +
                                    (corner & 2 && f->g.box.dim == 3 ? f->g.box.step[o] : 0);
            sum += 0.25 * (double)f->node_phi[there];
        }
        solid[c][q] = sum <= 0.02 * f->g.dx;
    }
    for (int c = 0; c < f->g.box.dim; ++c) f->in.solid[c] = solid[c];
    f->in.node_phi = f->node_phi;
    f->in.body = body;
    f->in.bodies = 1;
}

/* Liquid and body turn together, and go on so. */
static void test_turning_with_a_body(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        const int n = dim == 3 ? 32 : 64;
        flow f = flow_make(dim, (int[3]){n, n, dim == 3 ? n : 1}, 1.0 / n);
        uint16_t *solid[3] = {NULL};
        viscous_body body;
        blob_fill(&f, 1, 0);
        hollow(&f, solid, &body);
        for (int c = 0; c < dim; ++c)
            memcpy(f.wall.value[c], f.u.value[c], f.g.box.size * sizeof(float)); /* all turns */
        f.in.wall = &f.wall;
        double V[1][6] = {{0.47 - 0.5, 0.55 - 0.52, 0, 0, 0, f.g.dx}}, rhs[1][6], most = 0;
        for (int i = 0; i < 6; ++i) rhs[0][i] = body.mass[7 * i] * V[0][i];
        V[0][0] = V[0][1] = V[0][5] = 0; /* not told */
        viscosity *v = viscosity_create(&f.g, VISCOUS_MULTIGRID);
        assert_int_equal(viscosity_assemble(v, &f.g, &f.in), 0);
        const viscous_result r =
            viscosity_solve(&f.u, V, (const double(*)[6])rhs, v, &f.g, &f.in, 1e-7, MOST);
        assert_true(r.converged);
        for (int i = 0; i < 6; ++i)
            if (dim == 3 || i < 2 || i == 5)
                most = larger(most, fabs(V[0][i] * body.mass[7 * i] - rhs[0][i]) / body.mass[7 * i]);
        printf("turning with a body %dD: change of its velocity %.2e iterations %d\n", dim, most,
               r.iterations);
        check_below(most, 1e-5);
        viscosity_free(v);
        for (int c = 0; c < dim; ++c) mem_free(solid[c]);
        flow_drop(&f);
    }
}

/* ---- wedges ---- */

/* Level liquid on a slope, or in a bowl, thins out to nothing along its rim: what shear there holds nothing
 * but a face in the air must not cost iterations, however thick the liquid is. */
static int wedge_iterations(int n, double nu, bool bowl) {
    flow f = flow_make(3, (int[3]){n, n, n}, 1.0 / n);
    f.in.node_phi = f.node_phi;
    f.in.dt = nu;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        const double x = i * f.g.dx - 0.5, y = j * f.g.dx, z = k * f.g.dx - 0.5;
        f.node_phi[q] = (float)(bowl ? 0.47 - sqrt(x * x + (y - 0.5) * (y - 0.5) + z * z)
                                     : 0.5 * (x + 0.4) + sqrt(0.75) * y - 0.1);
        f.phi[q] = (float)((j + 0.5) * f.g.dx - 0.25);
        for (int c = 0; c < 3; ++c) f.u.value[c][q] = c == 1 ? -1 : 0;
    }
    const viscous_result r = flow_step(&f, 1e-6);
    printf("wedge %s %d nu dt %g: iterations %d\n", bowl ? "bowl" : "slope", n, nu, r.iterations);
    flow_drop(&f);
    return r.iterations;
}

static void test_wedges(void **state) {
    (void)state;
    for (int n = 16; n <= 32; n *= 2)
        for (int bowl = 0; bowl < 2; ++bowl) {
            assert_in_range(wedge_iterations(n, 1, bowl), 1, 20);
            assert_in_range(wedge_iterations(n, 100, bowl), 1, 20);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wedges),       cmocka_unit_test(test_annular_couette),
        cmocka_unit_test(test_poiseuille),   cmocka_unit_test(test_couette),
        cmocka_unit_test(test_wave),         cmocka_unit_test(test_two_layers),
        cmocka_unit_test(test_rigid_motion), cmocka_unit_test(test_turning_with_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
