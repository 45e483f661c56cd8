/* Conduction in liquid at rest against exact temperatures.
 *
 *   slab:    a slab of 20 degrees whose one side is brought to 60: the series of sines, at kappa t = 0.1 L^2
 *   lod:     a product of cosines on cells alone, which dies by exp(- sum lambda t) with the grid's own
 * lambda: what is left is the error in time of sweeps one after the other contact: two liquids that touch: T
 * = (e1 T1 + e2 T2) / (e1 + e2), e = sqrt(k rho c), until it reaches a side stefan:  a solid at its melting
 * point, heated from a side: the front is at 2 a sqrt(kappa t) with a exp(a^2) erf(a) sqrt(pi) = c (T - Tm) /
 * latent heat (Neumann) */
#include "cases.h"

#include <math.h>
#include "core/memory.h"
#include "core/report.h"
#include "thick.h"

#define PI       3.14159265358979324
#define LENGTH   0.1    /* m */
#define DENSITY  1000.0 /* kg/m3 */
#define CAPACITY 2000.0 /* J/(kg K) */
#define WALL     60.0   /* degrees C */
#define COLD     20.0

/* Temperature of a cell as the last rheo_read_stats() left it. */
static double cell_temperature(const thick *t, int i, int j) {
    return COLD + (double)liquid_of(t->s)->heat.cells.temperature[box_at(&t->s->g.box, i, j, 0)];
}

static void look(const thick *t) {
    rheo_frame_stats stats;
    rheo_read_stats(&stats, t->s);
}

/* The mean over a row across the slab. */
static double layer_temperature(const thick *t, int i) {
    const int rows_of = t->s->g.box.n[1];
    double sum = 0;
    for (int j = 0; j < rows_of; ++j) sum += cell_temperature(t, i, j);
    return sum / rows_of;
}

/* ---- slab ---- */

/* kappa in m2/s; the run lasts 1 s. */
static rheo_status open_slab(thick *t, rows *out, int n, double kappa, const char *more) {
    return thick_open(
        t, out,
        "domain: { dim: 2, size: [%g, %g], cells: %d }\n"
        "time: { frames: 2, fps: 1 }\ngravity: [0, 0, 0]\n"
        "solver: { method: apic, viscosity: none }\n"
        "fluids: [ { name: wax, density: %g, viscosity: 0, heat_capacity: %g, conductivity: %.9g,"
        " %s fill: [ { box: { min: [0, 0], max: [1, 1] } } ] } ]\n"
        "heat: { ambient: %g, walls: { left: %g } }\n",
        LENGTH, LENGTH / 4, n, DENSITY, CAPACITY, kappa * DENSITY * CAPACITY, more, COLD, WALL);
}

static double slab_exact(double x, double fourier) {
    double sum = 0;
    for (int m = 0; m < 60; ++m) {
        const double k = (m + 0.5) * PI;
        sum += 2 / k * sin(k * x / LENGTH) * exp(-k * k * fourier);
    }
    return WALL - (WALL - COLD) * sum;
}

static rheo_status slab_error(double *error, rows *out, int n) {
    const double fourier = 0.1, kappa = fourier * LENGTH * LENGTH, dx = LENGTH / n;
    thick t;
    rheo_status status = open_slab(&t, out, n, kappa, "");
    if (!status) status = thick_advance(&t, out, 0.25 * dx * dx / kappa);
    if (!status) {
        double square = 0;
        look(&t);
        for (int i = 0; i < n; ++i) {
            const double off = layer_temperature(&t, i) - slab_exact((i + 0.5) * dx, fourier);
            square += off * off / n;
        }
        *error = sqrt(square) / (WALL - COLD);
    }
    thick_close(&t);
    return status;
}

rheo_status reproduce_slab_heat(rows *out) {
    double before = NAN, error = NAN;
    rheo_status status = RHEO_OK;
    rows_title(out, "a slab heated from one side, kappa t = 0.1 L^2; rms error over the difference");
    rows_put_header(out);
    for (int n = 8; n <= (out->quick ? 32 : 64) && !status; n *= 2) {
        status = slab_error(&error, out, n);
        if (status) break;
        const double order = rows_order(before, error, 2);
        thick_row(out, "slab-heat", "temperature", n, (double[]){error, 0, error}, order,
                  n == 32 ? "order 2 (1.7 and more), error <= 1e-3" : NULL, order >= 1.7 && error <= 1e-3);
        before = error;
    }
    return status;
}

/* ---- sweeps ---- */

typedef struct cube {
    mac_grid g;
    mac_field open;
    heat_cells cells;
    float *block, *change;
} cube;

static double cube_shape(const cube *q, int i, int j, int k) {
    const int *n = q->g.box.n;
    return cos(PI * (i + 0.5) / n[0]) * cos(2 * PI * (j + 0.5) / n[1]) * cos(PI * (k + 0.5) / n[2]);
}

#define EACH_CELL(q, i, j, k)                                                                                \
    for (int k = 0; k < (q)->g.box.n[2]; ++k)                                                                \
        for (int j = 0; j < (q)->g.box.n[1]; ++j)                                                            \
            for (int i = 0; i < (q)->g.box.n[0]; ++i)

static int cube_make(cube *q, int n) {
    *q = (cube){.g = {.box = box_make(3, (int[]){n, n, n}), .dx = 1.0 / n}};
    q->block = mem_alloc((HEAT_CELL_ARRAYS + 1) * q->g.box.size * sizeof *q->block);
    if (!q->block || mac_field_make(&q->open, &q->g)) return -1;
    q->cells = heat_cells_in(q->block, q->g.box.size);
    q->change = q->block + HEAT_CELL_ARRAYS * q->g.box.size;
    for (size_t c = 0; c < 3 * q->g.box.size; ++c) q->open.value[0][c] = 1;
    const float capacity = (float)pow(q->g.dx, 3);
    EACH_CELL(q, i, j, k) {
        const ptrdiff_t c = box_at(&q->g.box, i, j, k);
        q->cells.fill[c] = q->cells.conductivity[c] = 1;
        q->cells.capacity[c] = capacity;
        q->cells.temperature[c] = (float)cube_shape(q, i, j, k);
    }
    return 0;
}

static void cube_drop(cube *q) {
    mem_free(q->block);
    mac_field_free(&q->open);
}

/* Relative error of the amplitude after kappa t = 0.02 in some steps. */
static rheo_status sweep_error(double *error, rows *out, int n, int steps) {
    cube q;
    const double time = 0.02, side[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    double rate = 0, sum = 0, squares = 0;
    if (cube_make(&q, n)) {
        cube_drop(&q);
        return report_no_memory(out->report, "a cube of cells");
    }
    const openings open = {.open = q.open};
    const heat_input in = {.g = &q.g, .open = &open, .dt = time / steps, .side = side};
    for (int s = 0; s < steps; ++s) {
        heat_conduct(q.change, &q.cells, &in, s % 2);
        for (size_t c = 0; c < q.g.box.size; ++c) q.cells.temperature[c] += q.change[c];
    }
    for (int a = 0; a < 3; ++a) rate += pow(2 * n * sin(0.5 * PI * (a == 1 ? 2 : 1) / n), 2);
    EACH_CELL(&q, i, j, k) {
        const double form = cube_shape(&q, i, j, k);
        sum += form * (double)q.cells.temperature[box_at(&q.g.box, i, j, k)];
        squares += form * form;
    }
    *error = sum / squares / exp(-rate * time) - 1;
    cube_drop(&q);
    return RHEO_OK;
}

rheo_status reproduce_lod_order(rows *out) {
    double before = NAN, error = NAN;
    rheo_status status = RHEO_OK;
    rows_title(out, "sweeps along x, y and z in turn: amplitude of a product of cosines, kappa t = 0.02");
    rows_put_header(out);
    for (int steps = 4; steps <= 64 && !status; steps *= 2) {
        char quantity[32];
        status = sweep_error(&error, out, 16, steps);
        const double order = rows_order(before, fabs(error), 2);
        rows_format(quantity, sizeof quantity, "3D, %d steps", steps);
        thick_row(out, "lod-order", quantity, 16, (double[]){1 + error, 1, error}, order,
                  steps == 64 ? "order 1 (0.95 and more)" : NULL, order >= 0.95);
        before = fabs(error);
    }
    return status;
}

/* ---- contact ---- */

typedef struct half {
    double conductivity, capacity, temperature;
} half;

static rheo_status contact(rows *out, int n, const half *a, const half *b) {
    const double ea = sqrt(a->conductivity * a->capacity), eb = sqrt(b->conductivity * b->capacity);
    const double exact = (ea * a->temperature + eb * b->temperature) / (ea + eb);
    const double kappa = fmax(a->conductivity / a->capacity, b->conductivity / b->capacity) / DENSITY;
    const double time = 0.01 * LENGTH * LENGTH / kappa; /* it has come a tenth of the way */
    char quantity[64];
    thick t;
    rheo_status status =
        thick_open(&t, out,
                   "domain: { dim: 2, size: [%g, %g], cells: %d }\n"
                   "time: { frames: 2, fps: 1 }\ngravity: [0, 0, 0]\n"
                   "solver: { method: apic, viscosity: none }\nheat: { ambient: %g, speed: %.9g }\n"
                   "fluids:\n"
                   "  - { name: a, density: %g, viscosity: 0, conductivity: %g, heat_capacity: %g,"
                   " temperature: %g, fill: [ { box: { min: [0, 0], max: [%g, 1] } } ] }\n"
                   "  - { name: b, density: %g, viscosity: 0, conductivity: %g, heat_capacity: %g,"
                   " temperature: %g, fill: [ { box: { min: [%g, 0], max: [1, 1] } } ] }\n",
                   LENGTH, LENGTH / 4, n, COLD, time, DENSITY, a->conductivity, a->capacity, a->temperature,
                   LENGTH / 2, DENSITY, b->conductivity, b->capacity, b->temperature, LENGTH / 2);
    if (!status) status = thick_advance(&t, out, 0.005);
    if (!status) {
        look(&t);
        const double left = layer_temperature(&t, n / 2 - 1), right = layer_temperature(&t, n / 2);
        const double middle =
            (a->conductivity * left + b->conductivity * right) / (a->conductivity + b->conductivity);
        const double error = (middle - exact) / (a->temperature - b->temperature);
        rows_format(quantity, sizeof quantity, "conductivity %g to 1, capacity %g to 1",
                    a->conductivity / b->conductivity, a->capacity / b->capacity);
        thick_row(out, "contact-heat", quantity, n, (double[]){middle, exact, error}, NAN,
                  "within 2 % of the difference", fabs(error) <= 0.02);
    }
    thick_close(&t);
    return status;
}

rheo_status reproduce_contact_heat(rows *out) {
    static const half pairs[][2] = {{{1, 2000, 80}, {1, 2000, COLD}},
                                    {{4, 1000, 80}, {1, 4000, COLD}},
                                    {{10, 1000, 80}, {0.5, 2000, COLD}}};
    rheo_status status = RHEO_OK;
    rows_title(out, "temperature where two liquids touch, degrees C");
    rows_put_header(out);
    for (int i = 0; i < 3 && !status; ++i)
        status = contact(out, out->quick ? 40 : 80, &pairs[i][0], &pairs[i][1]);
    return status;
}

/* ---- melting ---- */

#define LATENT 1.6e5 /* J/kg */
#define ZONE   0.5   /* K */

static double neumann(double stefan) {
    double low = 0, high = 5;
    for (int i = 0; i < 60; ++i) {
        const double a = 0.5 * (low + high), here = a * exp(a * a) * erf(a) * sqrt(PI);
        *(here < stefan ? &low : &high) = a;
    }
    return low;
}

/* How much has melted, as a length: of each particle the share of the latent heat that it has taken. */
static double melted(const thick *t) {
    const markers *m = &liquid_of(t->s)->markers;
    const heat_law *law = m->warmth.law;
    double sum = 0;
    for (size_t i = 0; i < m->parts.count; ++i) {
        const double h = (double)m->parts.extra[m->warmth.enthalpy][i];
        const double share = (h - (double)law->cold[1]) / (double)(law->warm[1] - law->cold[1]);
        sum += fmin(fmax(share, 0), 1);
    }
    return LENGTH * sum / (double)m->parts.count;
}

rheo_status reproduce_stefan(rows *out) {
    const double a = neumann(CAPACITY * (WALL - COLD) / (LATENT + CAPACITY * ZONE));
    const double reach = 0.6, kappa = pow(reach * LENGTH / (2 * a), 2); /* after 1 s */
    rheo_status status = RHEO_OK;
    char melting[80];
    rows_format(melting, sizeof melting, "latent_heat: %g, melting: [%g, %g],", LATENT, COLD, COLD + ZONE);
    rows_title(out, "melting front of a solid at its melting point, heated from a side: cells melted, in m");
    rows_put_header(out);
    for (int n = 16; n <= (out->quick ? 32 : 64) && !status; n *= 2) {
        thick t;
        status = open_slab(&t, out, n, kappa, melting);
        if (!status) status = thick_advance(&t, out, 0.02);
        if (!status) {
            const double s = melted(&t), exact = reach * LENGTH;
            thick_row(out, "stefan", "front", n, (double[]){s, exact, s / exact - 1}, NAN,
                      n >= 32 ? "within 2 %" : NULL, fabs(s / exact - 1) <= 0.02);
        }
        thick_close(&t);
    }
    return status;
}
