/* What heat will do in the run: how long things take to melt, whether what is cold stands, what finds no
 * liquid.
 *
 * A slab of thickness L that is heated from a side has melted through after t = L^2 / (4 a^2 kappa), with
 * a exp(a^2) erf(a) sqrt(pi) = c (T_hot - T_melt) / (latent heat + c (T_melt - T_cold)) (Neumann, with what
 * warms the solid put to the latent heat). What stands sinks by rho g H / (6 mu) of its height a second
 * (reproduce sag).
 *
 * Limits: the thinnest extent of the largest fill stands for the thing; power, air and shape do not count. */
#include <math.h>
#include <stdio.h>
#include "scene/doctor.h"

#define PI 3.14159265358979324

static double largest(const rheo_curve *c, double least) {
    for (int k = 0; k < c->count; ++k) least = fmax(least, c->values[k]);
    return least;
}

/* The hottest that anything in the scene is held at or comes in. */
static double hottest(const rheo_scene *s) {
    double most = s->ambient;
    for (int i = 0; i < s->heat_source_count; ++i) most = largest(&s->heat_sources[i].temperature, most);
    for (int i = 0; i < s->solid_count; ++i) most = largest(&s->solids[i].temperature, most);
    for (int i = 0; i < 2 * s->dim; ++i) most = largest(&s->side_temperature[i], most);
    for (int i = 0; i < s->fluid_count; ++i) most = fmax(most, s->fluids[i].temperature);
    return most;
}

/* Where it runs: the end of its melting zone, or of its law. */
static double runs_at(const rheo_fluid *f) {
    return f->latent_heat > 0 ? f->melting[1] : f->law_temperature[1];
}

static double neumann(double stefan) {
    double low = 0, high = 5;
    for (int i = 0; i < 60; ++i) {
        const double a = 0.5 * (low + high);
        *(a * exp(a * a) * erf(a) * sqrt(PI) < stefan ? &low : &high) = a;
    }
    return 0.5 * (low + high);
}

/* The fill of a fluid that is thickest where it is thinnest, m; its height. */
static double thickness(double *height, const doctor *d, int fluid) {
    const rheo_scene *s = d->scene;
    double most = 0;
    int fill = 0;
    *height = 0;
    for (int i = 0; i < s->fluid_count; ++i)
        for (int j = 0; j < s->fluids[i].fill_count; ++j, ++fill) {
            double low[3], high[3], least = INFINITY;
            if (i != fluid) continue;
            shape_bounds(low, high, d->fill[fill]);
            for (int a = 0; a < s->dim; ++a) least = fmin(least, fmin(high[a], s->size[a]) - fmax(low[a], 0));
            most = fmax(most, least);
            *height = fmax(*height, fmin(high[1], s->size[1]) - fmax(low[1], 0));
        }
    return most;
}

static void look_at_melting(doctor *d, int i) {
    const rheo_scene *s = d->scene;
    const rheo_fluid *f = &s->fluids[i];
    const double hot = hottest(s), melts = runs_at(f), cold = f->temperature;
    double height;
    const double thick = thickness(&height, d, i);
    char path[40];
    if (!(thick > 0) || !(cold < melts) || !(f->conductivity > 0)) return;
    snprintf(path, sizeof path, "fluids[%d].temperature", i);
    if (!(hot > melts)) {
        if (s->heat_source_count == 0)
            doctor_find(d, RHEO_NOTE, path, NULL, "nothing in the scene is hot enough to melt it: %g of %g",
                        hot, melts);
        return;
    }
    const double a =
        neumann(f->heat_capacity * (hot - melts) / (f->latent_heat + f->heat_capacity * (melts - cold)));
    const double kappa = f->conductivity / (f->density * f->heat_capacity) * s->heat_speed;
    doctor_find(
        d, RHEO_NOTE, path, NULL,
        "%.3g m of it melt in about %.3g s with heat.speed %g, %.3g s as it would be; the run lasts %.3g s",
        thick, thick * thick / (4 * a * a * kappa), s->heat_speed,
        thick * thick / (4 * a * a * kappa) * s->heat_speed, s->frames / s->fps);
}

static void look_at_standing(doctor *d, int i) {
    const rheo_scene *s = d->scene;
    const rheo_fluid *f = &s->fluids[i];
    double height, pull = 0;
    char path[40];
    const double mu = rheo_evaluate_viscosity(f, f->temperature, 0);
    thickness(&height, d, i);
    for (int k = 0; k < s->gravity.count; ++k) pull = fmax(pull, fabs(s->gravity.values[3 * k + 1]));
    if (!f->law || !(height > 0) || !(f->temperature <= f->law_temperature[0])) return;
    const double sinks = f->density * pull * height * height / (6 * mu) * s->frames / s->fps / d->out->dx;
    snprintf(path, sizeof path, "fluids[%d].viscosity", i);
    if (sinks > 1)
        doctor_find(d, RHEO_WARNING, path, "more at the cold end",
                    "what is cold cannot stand: at %.3g Pa s its top sinks by %.3g cells in the run", mu,
                    sinks);
    else
        doctor_find(d, RHEO_NOTE, path, NULL, "what is cold stands: at %.3g Pa s its top sinks by %.2g cells",
                    mu, sinks);
}

/* Sources that no fill or emitter touches heat nothing, at least at the start. */
static void look_at_sources(doctor *d) {
    const rheo_scene *s = d->scene;
    for (int i = 0; i < s->heat_source_count; ++i) {
        const rheo_shape *shape_of = &s->heat_sources[i].shape;
        shape *made = NULL;
        double low[3], high[3];
        int touched = s->emitter_count > 0;
        char path[40];
        if ((s->dim == 2 ? shape_make_flat : shape_make)(&made, shape_of, NULL)) continue;
        shape_bounds(low, high, made);
        for (int f = 0; f < d->fill_count && !touched; ++f) {
            double from[3], to[3];
            shape_bounds(from, to, d->fill[f]);
            touched = 1;
            for (int a = 0; a < s->dim; ++a) touched &= from[a] < high[a] && low[a] < to[a];
        }
        shape_free(made);
        snprintf(path, sizeof path, "heat.sources[%d].shape", i);
        if (!touched)
            doctor_find(d, RHEO_WARNING, path, "a shape in the liquid",
                        "there is no liquid in it at the start: %s",
                        s->heat_sources[i].power.count ? "its power goes nowhere" : "it heats nothing");
    }
}

void doctor_heat(doctor *d) {
    const rheo_scene *s = d->scene;
    if (!rheo_solves_heat(s)) return;
    if (s->heat_speed != 1)
        doctor_find(d, RHEO_NOTE, "heat.speed", NULL, "heat goes %g times as fast as it would",
                    s->heat_speed);
    for (int i = 0; i < s->fluid_count; ++i) {
        if (s->fluids[i].law || s->fluids[i].latent_heat > 0) look_at_melting(d, i);
        look_at_standing(d, i);
    }
    look_at_sources(d);
}
