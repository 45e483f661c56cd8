/* Five kernels of compact support, W(x) = c w(r), r = |x| in supports:
 *
 *   Wendland C2   (1 - r)^4 (1 + 4 r)            cubic spline  1 - 6 r^2 + 6 r^3 to r = 1/2, then 2 (1 - r)^3
 *   poly6         (1 - r^2)^3                    spiky         (1 - r)^3
 *   viscosity     -r^3/2 + r^2 + 1/(2r) - 1
 *
 * with c such that each integrates to 1 in its dimension (Wendland 1995; Monaghan 1992; Mueller et al. 2003;
 * Mao 2006, ch. 3, whose cubic spline and spiky lack this). A particle's volume V makes the sum of V W over a
 * lattice of half a support 1.
 *
 * A wall counts as the mirror image of the particles before it: a particle s off a flat wall sees the first
 * image layer at 2 s, so the wall's share is P(2 s), P(z) = V sum of W over one lattice layer at distance z.
 * On a lattice that begins half a spacing off the wall its density is exactly 1, and the slope -2 P' is that
 * of a wall whose images move with their particles: pressure and its mirror image both push. (A wall whose
 * share is that of a layer standing still has half this slope; a floor's particles then hear nothing of their
 * own pressure, as in any central difference, and rest only where they are pressed into the wall, at 1.9
 * times the pressure that is there.) Nearer than a quarter of a spacing it goes on straight.
 *
 * Limits: convex edges of solids count as flat. */
#include "stage/sph/kernel.h"

#include <assert.h>

static const double pi = 3.14159265358979323846;

static double scale_of(sph_kernel_kind kind, int dim) {
    switch (kind) {
    case SPH_WENDLAND: return dim == 3 ? 21 / (2 * pi) : 7 / pi;
    case SPH_CUBIC: return dim == 3 ? 8 / pi : 40 / (7 * pi);
    case SPH_POLY6: return dim == 3 ? 315 / (64 * pi) : 4 / pi;
    case SPH_SPIKY: return dim == 3 ? 15 / pi : 10 / pi;
    default: return dim == 3 ? 15 / (2 * pi) : 10 / (3 * pi);
    }
}

double sph_kernel_value(const sph_kernel *k, double r) {
    const double t = 1 - r, c = scale_of(k->kind, k->dim), u = 1 - r * r;
    if (!(r < 1)) return 0;
    switch (k->kind) {
    case SPH_WENDLAND: return c * t * t * t * t * (1 + 4 * r);
    case SPH_CUBIC: return c * (r <= 0.5 ? 1 + 6 * r * r * (r - 1) : 2 * t * t * t);
    case SPH_POLY6: return c * u * u * u;
    case SPH_SPIKY: return c * t * t * t;
    default: return c * (-0.5 * r * r * r + r * r + 0.5 / fmax(r, (double)SPH_NEAREST) - 1);
    }
}

double sph_kernel_over_r(const sph_kernel *k, double r) {
    const double t = 1 - r, c = scale_of(k->kind, k->dim), u = 1 - r * r, far = fmax(r, (double)SPH_NEAREST);
    if (!(r < 1)) return 0;
    switch (k->kind) {
    case SPH_WENDLAND: return -20 * c * t * t * t;
    case SPH_CUBIC: return c * (r <= 0.5 ? 6 * (3 * r - 2) : -6 * t * t / r);
    case SPH_POLY6: return -6 * c * u * u;
    case SPH_SPIKY: return -3 * c * t * t / far;
    default: return c * (-1.5 * r + 2 - 0.5 / (far * far * far));
    }
}

double sph_kernel_laplacian(const sph_kernel *k, double r) {
    const double t = 1 - r, c = scale_of(k->kind, k->dim), u = 1 - r * r;
    const double over = sph_kernel_over_r(k, r);
    double second; /* W'' */
    if (!(r < 1)) return 0;
    switch (k->kind) {
    case SPH_WENDLAND: second = c * (-20 * t * t * t + 60 * r * t * t); break;
    case SPH_CUBIC: second = c * (r <= 0.5 ? 36 * r - 12 : 12 * t); break;
    case SPH_POLY6: second = c * (-6 * u * u + 24 * r * r * u); break;
    case SPH_SPIKY: second = 6 * c * t; break;
    default: second = c * (-3 * r + 2 + 1 / (r * r * r)); break;
    }
    return second + (k->dim - 1) * over;
}

/* Sum of W over a layer of the lattice at a distance; slope: by the distance; moment: of -W'/r x^2. */
static double layer_sum(const sph_kernel *k, double z, double *slope, double *moment) {
    const int reach = (int)(1 / SPH_SPACING), deep = k->dim == 3 ? reach : 0;
    double sum = 0;
    *slope = *moment = 0;
    for (int j = -deep; j <= deep; ++j)
        for (int i = -reach; i <= reach; ++i) {
            const double x = SPH_SPACING * i, y = SPH_SPACING * j, r = sqrt(x * x + y * y + z * z);
            sum += sph_kernel_value(k, r);
            *slope += sph_kernel_over_r(k, r) * z;
            if (i) *moment -= sph_kernel_over_r(k, r) * x * x;
        }
    return sum;
}

/* The sum of -(W'/r) x^2 y^2 / r^2 over the layers above and below that slide by, whatever they are shifted.
 */
static double sliding_sum(const sph_kernel *k) {
    enum { N = 200 };
    const double y = SPH_SPACING, h = 1.0 / N, cell = k->dim == 3 ? h * h / (y * y) : h / y;
    double sum = 0;
    for (int c = k->dim == 3 ? -N : 0; c <= (k->dim == 3 ? N : 0); ++c)
        for (int a = -N; a < N; ++a) {
            const double x = (a + 0.5) * h, z = c * h, r2 = x * x + y * y + z * z;
            if (r2 < 1) sum -= sph_kernel_over_r(k, sqrt(r2)) * x * x * y * y / r2 * cell;
        }
    return 2 * sum;
}

static void sum_lattice(sph_kernel *k) {
    const int reach = (int)(1 / SPH_SPACING), deep = k->dim == 3 ? reach : 0;
    double sum = 0, smooth = 0, moment = 0;
    for (int c = -deep; c <= deep; ++c)
        for (int b = -reach; b <= reach; ++b)
            for (int a = -reach; a <= reach; ++a) {
                const double x = SPH_SPACING * a, y = SPH_SPACING * b, z = SPH_SPACING * c;
                const double r2 = x * x + y * y + z * z, r = sqrt(r2);
                sum += sph_kernel_value(k, r);
                if (r2 == 0) continue;
                smooth -= sph_kernel_over_r(k, r);
                moment -= sph_kernel_over_r(k, r) * x * x;
            }
    k->volume = (float)(1 / sum);
    k->self = (float)(sph_kernel_value(k, 0) / sum);
    k->smooth = (float)(sum / smooth);
    k->moment = (float)(moment / sum);
    k->shear = (float)(sum / sliding_sum(k));
}

static void tabulate_wall(sph_kernel *k) {
    const double nearest = 0.25 * SPH_SPACING;
    double steepest, moment, at_nearest = layer_sum(k, 2 * nearest, &steepest, &moment);
    for (int i = 0; i <= SPH_WALL_TABLE; ++i) {
        const double s = -0.5 + (double)i / SPH_WALL_TABLE;
        double slope, sum = layer_sum(k, 2 * fmax(s, nearest), &slope, &moment);
        if (s < nearest) {
            sum = at_nearest + 2 * steepest * (s - nearest);
            slope = steepest;
        }
        k->wall[i] = (float)((double)k->volume * sum);
        k->wall_slope[i] = (float)((double)k->volume * 2 * slope);
        k->along[i] = (float)(1 / (1 - (double)k->volume * moment / (double)k->moment));
    }
}

sph_kernel sph_kernel_make(sph_kernel_kind kind, int dim) {
    assert(dim == 2 || dim == 3);
    sph_kernel k = {.kind = kind, .dim = dim, .scale = (float)scale_of(kind, dim)};
    sum_lattice(&k);
    tabulate_wall(&k);
    return k;
}

void sph_kernel_wall(float *share, float *slope, const sph_kernel *k, float s) {
    const float at = (s + 0.5f) * SPH_WALL_TABLE;
    if (!(at < SPH_WALL_TABLE)) {
        *share = *slope = 0;
        return;
    }
    const int i = at > 0 ? (int)at : 0; /* deeper than the table goes straight on */
    const float t = at - (float)i;
    *share = k->wall[i] + t * (k->wall[i + 1] - k->wall[i]);
    *slope = k->wall_slope[i] + (at > 0 ? t * (k->wall_slope[i + 1] - k->wall_slope[i]) : 0);
}

float sph_kernel_along(const sph_kernel *k, float s) {
    const float at = (s + 0.5f) * SPH_WALL_TABLE;
    if (!(at < SPH_WALL_TABLE)) return 1;
    const int i = at > 0 ? (int)at : 0;
    return k->along[i] + (at > 0 ? (at - (float)i) * (k->along[i + 1] - k->along[i]) : 0);
}
