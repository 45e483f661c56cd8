/* What particles that mark a liquid know of heat: enthalpy, relative to that at the ambient temperature, the
 * temperature that follows from it, and the viscosity that follows from that.
 *
 * Sums are over blocks of particles whose number does not depend on threads. */
#include <math.h>
#include "sim/definition.h"
#include "sim/markers.h"

enum { GRAIN = 4096 };

double markers_mass(const markers *m, const rheo_sim *s) {
    return sim_density(s) * pow(s->g.dx, s->g.box.dim) / (double)m->full;
}

typedef struct warm_job {
    const markers *m;
    const rheo_sim *s;
    float *mu;
    const float *degrees;     /* given, of each; NULL: `temperature` holds */
    double time, temperature; /* given; NAN: that of the particle's fluid */
    uint32_t from;            /* ids */
    int fluid;
} warm_job;

#define FOR_PARTICLES(t, block, i)                                                                           \
    for (size_t i = (size_t)(block)*GRAIN, end_ = i + GRAIN; i < end_ && i < (t)->m->parts.count; ++i)

static void run(const warm_job *t, void (*task)(void *context, int block)) {
    warm_job copy = *t;
    parallel_for(t->s->g.pool, block_count((long)t->m->parts.count, GRAIN), task, &copy);
}

static float find_one(const markers *m, const rheo_sim *s, size_t i) {
    const particles *p = &m->parts;
    return (float)s->def.ambient +
           heat_temperature(&m->warmth.law[p->fluid[i]], p->extra[m->warmth.enthalpy][i]);
}

void markers_find_temperatures(markers *m, const rheo_sim *s) {
    heat_temperatures(m->parts.extra[m->warmth.temperature], m->warmth.law, s->def.fluid_count,
                      m->warmth.enthalpy, &m->parts, s->def.ambient, s->g.pool);
}

static void warm_task(void *context, int block) {
    const warm_job *t = context;
    const particles *p = &t->m->parts;
    FOR_PARTICLES(t, block, i) {
        const int fluid = p->fluid[i];
        const double common = isnan(t->temperature) ? t->s->def.fluids[fluid].temperature : t->temperature,
                     degrees = t->degrees ? (double)t->degrees[i] : common;
        if (p->id[i] < t->from) continue;
        p->extra[t->m->warmth.enthalpy][i] =
            (float)heat_enthalpy(&t->m->warmth.law[fluid], degrees - t->s->def.ambient);
        p->extra[t->m->warmth.rest][i] = 0;
        p->extra[t->m->warmth.temperature][i] = find_one(t->m, t->s, i);
    }
}

void markers_warm(markers *m, const rheo_sim *s, uint32_t from, double temperature) {
    if (m->warmth.law) run(&(warm_job){.m = m, .s = s, .from = from, .temperature = temperature}, warm_task);
}

void markers_warm_each(markers *m, const rheo_sim *s, const float *degrees) {
    if (m->warmth.law) run(&(warm_job){.m = m, .s = s, .degrees = degrees}, warm_task);
}

/* ---- viscosity ---- */

static void viscosity_task(void *context, int block) {
    const warm_job *t = context;
    const particles *p = &t->m->parts;
    const float *degrees = p->extra[t->m->warmth.temperature];
    FOR_PARTICLES(t, block, i)
    t->mu[i] = (float)rheo_evaluate_viscosity(&t->s->def.fluids[p->fluid[i]], (double)degrees[i], t->time);
}

float *markers_viscosity(markers *m, const rheo_sim *s, double time) {
    int follows = 0;
    for (int i = 0; i < s->def.fluid_count; ++i) follows |= s->def.fluids[i].law != RHEO_LAW_NONE;
    if (!follows || !m->warmth.law) return NULL;
    const warm_job t = {.m = m, .s = s, .time = time, .mu = m->parts.spare[0]};
    run(&t, viscosity_task);
    return t.mu;
}

/* ---- sums ---- */

static double heat_task(void *context, int block) {
    const warm_job *t = context;
    const particles *p = &t->m->parts;
    double sum = 0;
    FOR_PARTICLES(t, block, i)
    if (p->fluid[i] == t->fluid)
        sum += (double)p->extra[t->m->warmth.enthalpy][i] + (double)p->extra[t->m->warmth.rest][i];
    return sum;
}

static double degrees_task(void *context, int block) {
    const warm_job *t = context;
    const particles *p = &t->m->parts;
    double sum = 0;
    FOR_PARTICLES(t, block, i)
    if (p->fluid[i] == t->fluid) sum += (double)p->extra[t->m->warmth.temperature][i];
    return sum;
}

static double count_task(void *context, int block) {
    const warm_job *t = context;
    double sum = 0;
    FOR_PARTICLES(t, block, i) sum += t->m->parts.fluid[i] == t->fluid;
    return sum;
}

/* How far above absolute zero, and how far below what nothing reaches: both positive for parallel_max(). */
#define COLDEST (-273.15)
#define HOTTEST 1e5
static double most_task(void *context, int block) {
    const warm_job *t = context;
    const particles *p = &t->m->parts;
    double most = 0;
    FOR_PARTICLES(t, block, i)
    if (p->fluid[i] == t->fluid) most = fmax(most, (double)p->extra[t->m->warmth.temperature][i] - COLDEST);
    return most;
}
static double least_task(void *context, int block) {
    const warm_job *t = context;
    const particles *p = &t->m->parts;
    double most = 0;
    FOR_PARTICLES(t, block, i)
    if (p->fluid[i] == t->fluid) most = fmax(most, HOTTEST - (double)p->extra[t->m->warmth.temperature][i]);
    return most;
}

warm_sums markers_sum_heat(const markers *m, const rheo_sim *s, int fluid) {
    warm_job t = {.m = m, .s = s, .fluid = fluid};
    const int blocks = block_count((long)m->parts.count, GRAIN);
    const double count = parallel_sum(s->g.pool, blocks, count_task, &t);
    if (!(count > 0)) return (warm_sums){0, s->def.fluids[fluid].temperature, INFINITY, -INFINITY};
    return (warm_sums){
        .heat = markers_mass(m, s) * parallel_sum(s->g.pool, blocks, heat_task, &t),
        .mean = parallel_sum(s->g.pool, blocks, degrees_task, &t) / count,
        .least = HOTTEST - parallel_max(s->g.pool, blocks, least_task, &t),
        .most = COLDEST + parallel_max(s->g.pool, blocks, most_task, &t),
    };
}
