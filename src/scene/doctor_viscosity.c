/* What viscosity will be solved as, and whether pressure and viscosity may be solved in turn.
 *
 * Solving them in turn in a step of dt errs by about nu dt / L^2 of a feature of size L: 2 % at a tenth, 12 %
 * at one, a third and more from a thousand on (measured on one step against the coupled solve). The size is
 * the thinnest extent of what the scene fills or lets in.
 *
 * Limits: what liquid is drawn out to in the run, threads and sheets, is thinner than what it starts as. */
#include <math.h>
#include <stdio.h>
#include "grid/tree.h"
#include "scene/doctor.h"
#include "sim/definition.h"
#include "sim/engine.h"
#include "solid/obstacle.h"

#define TURNS_WRONG 0.1 /* nu dt / L^2 */

static double diffusivity(const rheo_fluid *f) {
    return definition_thickest(f) / f->density;
}

static double thickest_diffusivity(const rheo_scene *s) {
    double most = 0;
    for (int i = 0; i < s->fluid_count; ++i) most = fmax(most, diffusivity(&s->fluids[i]));
    return most;
}

static double thinnest_side(const shape *of, int dim) {
    double low[3], high[3], least = INFINITY;
    shape_bounds(low, high, of);
    for (int a = 0; a < dim; ++a) least = fmin(least, high[a] - low[a]);
    return least;
}

/* The largest nu / L^2 of the scene, 1/s; its L, m. */
static double fastest_rate(double *size, const doctor *d) {
    const rheo_scene *s = d->scene;
    double most = 0;
    int fill = 0;
    for (int i = 0; i < s->fluid_count; ++i)
        for (int j = 0; j < s->fluids[i].fill_count; ++j, ++fill) {
            const double side = thinnest_side(d->fill[fill], s->dim);
            const double rate = diffusivity(&s->fluids[i]) / (side * side);
            if (rate > most) most = rate, *size = side;
        }
    for (int i = 0; i < s->emitter_count; ++i) {
        const double side = thinnest_side(d->emitter[i], s->dim);
        const double rate = diffusivity(&s->fluids[s->emitters[i].fluid]) / (side * side);
        if (rate > most) most = rate, *size = side;
    }
    return most;
}

/* The step of liquid that hardly moves, s. */
static double slow_step(const doctor *d) {
    const rheo_scene *s = d->scene;
    double most = 0;
    for (int k = 0; k < s->gravity.count; ++k) {
        const double *g = &s->gravity.values[3 * k];
        most = fmax(most, sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    }
    const double step = sim_engine_of(s->method)->foretell_step(s, d->out->dx, 0, most);
    return fmin(fmin(step, 1 / s->fps), s->dt_max > 0 ? s->dt_max : INFINITY);
}

/* Whether a slip asks for drag. */
static bool holds(double slip) {
    return slip >= 0 && slip < RHEO_SLIP_FREE;
}

static void look_at_unused(doctor *d, rheo_viscosity chosen) {
    const rheo_scene *s = d->scene;
    const rheo_method_info *method = rheo_describe_method(s->method);
    if (chosen != RHEO_VISCOSITY_NONE || method->gridless) return;
    if (holds(s->slip) && !(method->shears && s->slip == 0))
        doctor_find(d, RHEO_WARNING, "domain.slip", "solver.viscosity: full, method: mac",
                    "slip: %s has no effect where no viscosity is solved", s->slip == 0 ? "no" : "a length");
    for (int i = 0; i < s->solid_count; ++i) {
        char path[NODE_PATH_MAX];
        snprintf(path, sizeof path, "solids[%d].slip", i);
        if (holds(s->solids[i].slip))
            doctor_find(d, RHEO_WARNING, path, "solver.viscosity: full",
                        "the solid's slip has no effect where no viscosity is solved");
    }
    if (s->viscosity == RHEO_VISCOSITY_AUTO && method->viscosity && definition_is_viscous(s))
        doctor_find(d, RHEO_WARNING, "solver.viscosity", NULL,
                    "no viscosity is solved: it does not go together with %s yet",
                    definition_bars_viscosity(s));
}

/* Faces of a row of cells that liquid touches, of leaves or of the grid. */
typedef struct tally {
    int64_t grid, tree;
} tally;

/* Whether a cell lies in a fill and outside solids, by `deep`. */
static bool is_liquid(const doctor *d, const double x[3], double deep) {
    bool wet = false;
    for (int i = 0; i < d->fill_count; ++i) wet = wet || shape_distance(d->fill[i], x) < -deep;
    for (int i = 0; i < d->scene->solid_count && wet; ++i)
        wet =
            obstacle_distance(
                &(obstacle){.shape = d->solid[i], .def = &d->scene->solids[i], .now = d->place[i]}, x) > deep;
    return wet;
}

/* How many unknowns the liquid that is there at the start has on a tree, and on its grid. */
static bool count_unknowns(tally *sum, const doctor *d) {
    tree t;
    int n[3];
    const double dx = definition_cells(n, d->scene);
    *sum = (tally){0};
    if (tree_make(&t, d->scene->dim, n, d->scene->viscous_levels, NULL)) return false;
    uint8_t *most = mem_alloc(2 * t.size), *wet = most + t.size;
    for (int k = 0; k < t.n[2] && most; ++k)
        for (int j = 0; j < t.n[1]; ++j)
            for (int i = 0; i < t.n[0]; ++i) {
                const int at[3] = {i, j, k};
                double x[3];
                bool inside = true;
                for (int a = 0; a < 3; ++a) {
                    x[a] = (at[a] + 0.5) * dx;
                    inside &= a >= d->scene->dim || (at[a] > 1 && at[a] < n[a] - 2);
                }
                const ptrdiff_t c = tree_at(&t, at);
                wet[c] = is_liquid(d, x, 0);
                most[c] = (uint8_t)(inside && wet[c] && is_liquid(d, x, 1.5 * dx) ? t.levels - 1 : 0);
                sum->grid += wet[c] * d->scene->dim;
            }
    const bool good = most && !tree_build(&t, most);
    for (int i = 0; i < t.leaves && good; ++i) sum->tree += wet[tree_at(&t, t.leaf[i].at)] * d->scene->dim;
    mem_free(most);
    tree_free(&t);
    return good;
}

static void tell_of_tree(doctor *d) {
    tally sum;
    if (d->scene->viscosity != RHEO_VISCOSITY_TREE || !count_unknowns(&sum, d) || sum.tree == 0) return;
    const double share = (double)sum.tree / (double)sum.grid;
    doctor_find(
        d, RHEO_NOTE, "solver.viscosity", NULL,
        "the liquid at the start has about %.3g unknowns of viscosity on cells of 1 to %d, %.3g on the "
        "grid's own: %.0f %%",
        (double)sum.tree, 1 << (d->scene->viscous_levels - 1), (double)sum.grid, 100 * share);
}

void doctor_viscosity(doctor *d) {
    const rheo_scene *s = d->scene;
    const rheo_viscosity chosen = rheo_choose_viscosity(s);
    const double nu = thickest_diffusivity(s), dt = slow_step(d);
    double size = INFINITY;
    look_at_unused(d, chosen);
    if (chosen == RHEO_VISCOSITY_NONE) return;
    if (s->viscosity == RHEO_VISCOSITY_AUTO)
        doctor_find(
            d, RHEO_NOTE, "solver.viscosity", "none, laplacian, full, stokes",
            "viscosity is solved as 'full': %.3g m2/s moves momentum by %.3g cells in the run; walls %s", nu,
            sqrt(nu * s->frames / s->fps) / d->out->dx,
            definition_slip(s, NULL) < RHEO_SLIP_FREE ? "hold it" : "let it slide");
    tell_of_tree(d);
    const double rate = fastest_rate(&size, d);
    if (chosen != RHEO_VISCOSITY_STOKES && rate * dt > TURNS_WRONG)
        doctor_find(
            d, RHEO_NOTE, "solver.viscosity", "stokes",
            "pressure and viscosity are solved in turn, and nu dt / L^2 is %.2g at L = %.3g m: what flows "
            "by its own weight is too fast or too slow; 'stokes' solves them together",
            rate * dt, size);
}
