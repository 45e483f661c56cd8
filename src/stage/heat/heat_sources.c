/* Shapes that hold the liquid in them at a temperature, or that give it power.
 *
 * Power goes to particles by m c_p, so that all of them warm alike, and in whole: what is given is what the
 * particles' enthalpies gain. Limits: a particle is in a shape or it is not; nothing spreads over its edge.
 */
#include <math.h>
#include "grid/rows.h"
#include "stage/heat/heat.h"

typedef struct source_job {
    particles *p;
    const heat_input *in;
    const shape *s;
    double temperature; /* K; of heat_give(): by how much */
    int add;            /* 0: only sums are asked for */
    cell_range range;
} source_job;

static cell_range range_of(const source_job *t) {
    const mac_grid *g = t->in->g;
    double low[3], high[3], middle[3], reach = 0;
    shape_bounds(low, high, t->s);
    for (int a = 0; a < 3; ++a) {
        if (a >= g->box.dim) low[a] = high[a] = 0;
        if (!isfinite(low[a]) || !isfinite(high[a])) return range_cells(g);
        middle[a] = 0.5 * (low[a] + high[a]);
        reach += 0.25 * (high[a] - low[a]) * (high[a] - low[a]);
    }
    return range_in_ball(range_cells(g), g, middle, sqrt(reach));
}

static int is_inside(const source_job *t, size_t i) {
    double x[3];
    const particles *p = t->p;
    mac_place(x, t->in->g, (double)p->x[0][i], (double)p->x[1][i], p->dim == 3 ? (double)p->x[2][i] : 0);
    return shape_distance(t->s, x) < 0;
}

/* What holding a particle takes, or sharing gives it, J. */
static double change_particle(const source_job *t, size_t i, int hold) {
    const heat_law *law = &t->in->law[t->p->fluid[i]];
    float *h = &t->p->extra[t->in->column.enthalpy][i], *rest = &t->p->extra[t->in->column.rest][i];
    const double was = (double)*h + (double)*rest;
    const double slope =
        (double)(*h > law->cold[1] && *h < law->warm[1] ? law->melting_capacity : law->capacity);
    if (!hold && !t->add) return t->in->mass * slope;
    const double now = hold ? heat_enthalpy(law, t->temperature) : was + slope * t->temperature;
    *h = (float)now;
    *rest = (float)(now - (double)*h);
    return t->in->mass * (now - was);
}

static double change_row(const source_job *t, int block, int hold) {
    double sum = 0;
    FOR_ROWS(&t->range, block, j, k) {
        const uint32_t *start = t->p->cell_start + box_dense(&t->in->g->box, 0, j, k);
        for (size_t i = start[t->range.lower[0]]; i < start[t->range.upper[0]]; ++i)
            if (is_inside(t, i)) sum += change_particle(t, i, hold);
    }
    return sum;
}

static double hold_task(void *context, int block) {
    return change_row(context, block, 1);
}

static double give_task(void *context, int block) {
    return change_row(context, block, 0);
}

double heat_hold(particles *p, const heat_input *in, const shape *s, double temperature) {
    source_job t = {.p = p, .in = in, .s = s, .temperature = temperature};
    t.range = range_of(&t);
    return parallel_sum(in->g->pool, range_blocks(&t.range), hold_task, &t);
}

double heat_give(particles *p, const heat_input *in, const shape *s, double joules) {
    source_job t = {.p = p, .in = in, .s = s};
    t.range = range_of(&t);
    const double takes = parallel_sum(in->g->pool, range_blocks(&t.range), give_task, &t);
    if (!(takes > 0)) return 0;
    t.add = 1;
    t.temperature = joules / takes;
    return parallel_sum(in->g->pool, range_blocks(&t.range), give_task, &t);
}
