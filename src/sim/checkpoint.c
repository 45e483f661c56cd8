/* What decides the future of a run: particles, bodies, the velocity that carries particles next, the warm
 * start, the clock; and what the frame under way says of itself so far, but for the time it took. */
#include "sim/state.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "sim/liquid.h"
#include "sim/method.h"

/* Numbers of the state that are no arrays travel as two short ones. */
enum {
    CLOCK_TIME,
    CLOCK_PUT_IN,
    CLOCK_EMITTED_VOLUME,
    CLOCK_OUTFLOW_VOLUME,
    CLOCK_Q_DT,
    CLOCK_NEXT_DT,
    CLOCK_STEP_RATE,
    CLOCK_CROWDED,
    CLOCK_RISEN,
    CLOCK_SPEED,
    CLOCK_REALS = CLOCK_SPEED + 3
};
enum {
    CLOCK_PARTICLES,
    CLOCK_FRAME,
    CLOCK_DONE,
    CLOCK_NEXT_ID,
    CLOCK_EMITTED,
    CLOCK_OUTFLOW,
    CLOCK_REJECTED,
    CLOCK_WHOLES
};

_Static_assert(CLOCK_REALS <= sizeof((rheo_sim *)0)->clock_reals / sizeof(double), "reals of the clock");
_Static_assert(CLOCK_WHOLES <= sizeof((rheo_sim *)0)->clock_wholes / sizeof(int64_t), "wholes of the clock");

static void write_clock(rheo_sim *s) {
    s->clock_reals[CLOCK_TIME] = s->time;
    s->clock_reals[CLOCK_PUT_IN] = s->volume_put_in;
    s->clock_reals[CLOCK_EMITTED_VOLUME] = s->emitted;
    s->clock_reals[CLOCK_OUTFLOW_VOLUME] = s->outflow;
    s->clock_reals[CLOCK_Q_DT] = s->q_dt;
    s->clock_reals[CLOCK_NEXT_DT] = s->next_dt;
    s->clock_reals[CLOCK_STEP_RATE] = s->step_rate;
    s->clock_reals[CLOCK_CROWDED] = s->crowded;
    s->clock_reals[CLOCK_RISEN] = s->risen;
    for (int a = 0; a < 3; ++a) s->clock_reals[CLOCK_SPEED + a] = s->speed[a];
    s->clock_wholes[CLOCK_PARTICLES] = (int64_t)s->parts.count;
    s->clock_wholes[CLOCK_FRAME] = s->frame;
    s->clock_wholes[CLOCK_DONE] = s->frame_done;
    s->clock_wholes[CLOCK_NEXT_ID] = s->next_id;
    s->clock_wholes[CLOCK_EMITTED] = s->stats.counts.emitted;
    s->clock_wholes[CLOCK_OUTFLOW] = s->stats.counts.outflow;
    s->clock_wholes[CLOCK_REJECTED] = s->stats.counts.rejected;
}

static void read_clock(rheo_sim *s) {
    s->time = s->clock_reals[CLOCK_TIME];
    s->volume_put_in = s->clock_reals[CLOCK_PUT_IN];
    s->emitted = s->clock_reals[CLOCK_EMITTED_VOLUME];
    s->outflow = s->clock_reals[CLOCK_OUTFLOW_VOLUME];
    s->q_dt = s->clock_reals[CLOCK_Q_DT];
    s->next_dt = s->clock_reals[CLOCK_NEXT_DT];
    s->step_rate = s->clock_reals[CLOCK_STEP_RATE];
    s->crowded = s->clock_reals[CLOCK_CROWDED];
    s->risen = s->clock_reals[CLOCK_RISEN];
    for (int a = 0; a < 3; ++a) s->speed[a] = s->clock_reals[CLOCK_SPEED + a];
    s->frame = (int)s->clock_wholes[CLOCK_FRAME];
    s->frame_done = (int)s->clock_wholes[CLOCK_DONE];
    s->next_id = (uint32_t)s->clock_wholes[CLOCK_NEXT_ID];
    s->stats.counts.emitted = s->clock_wholes[CLOCK_EMITTED];
    s->stats.counts.outflow = s->clock_wholes[CLOCK_OUTFLOW];
    s->stats.counts.rejected = s->clock_wholes[CLOCK_REJECTED];
}

/* All that runs over the steps of a frame travels as a third. */
enum { FRAME_STEPS, FRAME_RESCUED, FRAME_REFUSED, FRAME_REFUSING, FRAME_SOLVES, SOLVE_REALS = 9 };

_Static_assert(FRAME_SOLVES + 2 * SOLVE_REALS == sizeof((rheo_sim *)0)->frame_reals / sizeof(double),
               "reals of the frame");

static void write_solve(double to[SOLVE_REALS], const rheo_solve_stats *s) {
    const double reals[SOLVE_REALS] = {(double)s->unknowns, s->iterations,        s->residual,
                                       s->converged,        s->closed_regions,    s->incompatible,
                                       s->rounds,           (double)s->separated, s->violation};
    memcpy(to, reals, sizeof reals);
}

static void read_solve(rheo_solve_stats *s, const double from[SOLVE_REALS]) {
    *s = (rheo_solve_stats){(int64_t)from[0], (int)from[1], from[2],          from[3] != 0, (int)from[4],
                            from[5],          (int)from[6], (int64_t)from[7], from[8]};
}

static void write_frame(rheo_sim *s) {
    const rheo_frame_stats *f = &s->stats;
    s->frame_reals[FRAME_STEPS] = f->steps;
    s->frame_reals[FRAME_RESCUED] = (double)f->counts.rescued;
    s->frame_reals[FRAME_REFUSED] = (double)f->counts.refused;
    s->frame_reals[FRAME_REFUSING] = f->refusing;
    write_solve(s->frame_reals + FRAME_SOLVES, &f->pressure);
    write_solve(s->frame_reals + FRAME_SOLVES + SOLVE_REALS, &f->density);
}

static void read_frame(rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    f->steps = (int)s->frame_reals[FRAME_STEPS];
    f->counts.rescued = (int64_t)s->frame_reals[FRAME_RESCUED];
    f->counts.refused = (int64_t)s->frame_reals[FRAME_REFUSED];
    f->refusing = (int)s->frame_reals[FRAME_REFUSING];
    read_solve(&f->pressure, s->frame_reals + FRAME_SOLVES);
    read_solve(&f->density, s->frame_reals + FRAME_SOLVES + SOLVE_REALS);
}

/* The clock, the frame and the bodies: of every method. */
static int list_shared(state_array *list, rheo_sim *s) {
    list[0] = (state_array){"clock_reals", STATE_F64, CLOCK_REALS, s->clock_reals};
    list[1] = (state_array){"clock_wholes", STATE_I64, CLOCK_WHOLES, s->clock_wholes};
    list[2] = (state_array){"frame_reals", STATE_F64, sizeof s->frame_reals / sizeof(double), s->frame_reals};
    if (!world_count(s->world)) return 3;
    const size_t reals = (size_t)world_count(s->world) * BODY_STATE_REALS;
    list[3] = (state_array){"bodies", STATE_F64, reals, world_states(s->world)};
    return 4;
}

int liquid_list_state(state_array *list, rheo_sim *s) {
    static const char *const names[3][4] = {
        {"x", "v_x", "vel_x", "carry_x"}, {"y", "v_y", "vel_y", "carry_y"}, {"z", "v_z", "vel_z", "carry_z"}};
    const size_t count = s->parts.count, size = s->g.box.size;
    int n = 0;
    for (int a = 0; a < s->g.box.dim; ++a) {
        list[n++] = (state_array){names[a][0], STATE_F32, count, s->parts.x[a]};
        list[n++] = (state_array){names[a][1], STATE_F32, count, s->parts.v[a]};
        list[n++] = (state_array){names[a][2], STATE_F32, size, s->vel.value[a]};
        list[n++] = (state_array){names[a][3], STATE_F32, size, s->carry.value[a]};
    }
    for (int e = 0; e < s->parts.extra_count; ++e)
        list[n++] = (state_array){s->parts.extra_name[e], STATE_F32, count, s->parts.extra[e]};
    list[n++] = (state_array){"id", STATE_U32, count, s->parts.id};
    list[n++] = (state_array){"fluid", STATE_U8, count, s->parts.fluid};
    list[n++] = (state_array){"spray", STATE_U8, count, s->parts.spray};
    list[n++] = (state_array){"phi", STATE_F32, size, s->phi};
    list[n++] = (state_array){"density", STATE_F32, size, s->density};
    list[n++] = (state_array){"q", STATE_F32, size, s->q};
    return n;
}

int sim_list_state(state_array *arrays, rheo_sim *s) {
    write_clock(s);
    write_frame(s);
    const int shared = list_shared(arrays, s);
    return shared + s->method->list_state(arrays + shared, s);
}

rheo_status liquid_restored(rheo_sim *s, rheo_report *report) {
    const rheo_status status = liquid_place_solids(s, s->time, report);
    if (status) return status;
    if (particles_sort(&s->parts, &s->g)) return report_no_memory(report, "particles");
    return RHEO_OK;
}

rheo_status sim_restore_state(rheo_sim *s, int (*read)(void *context, const state_array *into), void *context,
                              rheo_report *report) {
    state_array list[STATE_ARRAYS_MAX];
    const char *const fits = "a checkpoint of this scene, whole";
    int n = list_shared(list, s);
    for (int i = 0; i < n; ++i)
        if (read(context, &list[i]))
            return report_fail(report, RHEO_INVALID, fits, "checkpoint array '%s' cannot be read",
                               list[i].name);
    const int64_t count = s->clock_wholes[CLOCK_PARTICLES];
    if (count < 0 || count > UINT32_MAX)
        return report_fail(report, RHEO_INVALID, fits, "checkpoint with %lld particles", (long long)count);
    if (count && particles_reserve(&s->parts, (size_t)count)) return report_no_memory(report, "particles");
    s->parts.count = (size_t)count;
    n = s->method->list_state(list, s);
    for (int i = 0; i < n; ++i)
        if (read(context, &list[i]))
            return report_fail(report, RHEO_INVALID, fits, "checkpoint array '%s' cannot be read",
                               list[i].name);
    read_clock(s);
    read_frame(s);
    return s->method->restored(s, report);
}

rheo_status sim_place_particles(rheo_sim *s, int frame, const sim_particles *from, rheo_report *report) {
    particles *to = &s->parts;
    if (particles_reserve(to, from->count)) return report_no_memory(report, "particles");
    to->count = from->count;
    for (int a = 0; a < to->dim; ++a) {
        const float most = nextafterf((float)s->g.box.n[a], 0.0f);
        for (size_t i = 0; i < from->count; ++i) {
            const float cells = (float)(((double)from->position[i][a] - s->g.origin[a]) / s->g.dx);
            to->x[a][i] = fminf(fmaxf(cells, 0.0f), most);
            to->v[a][i] = from->velocity[i][a];
        }
    }
    for (int e = 0; e < to->extra_count; ++e) memset(to->extra[e], 0, to->count * sizeof *to->extra[e]);
    memcpy(to->id, from->id, to->count * sizeof *to->id);
    memcpy(to->fluid, from->fluid, to->count * sizeof *to->fluid);
    memset(to->spray, 0, to->count);
    s->frame = frame;
    s->time = frame / s->def.fps;
    return liquid_begin(s, report);
}

void sim_place_bodies(rheo_sim *s, const rheo_body_stats *bodies) {
    for (int i = 0; i < s->def.solid_count; ++i) {
        const obstacle *o = &s->solids[s->solid_place[i]];
        if (o->def->motion == RHEO_STATIC) continue;
        const rheo_body_stats *from = bodies++;
        if (!o->body) continue; /* keyed: the time alone says where it is */
        placement p = {.position = {0}};
        memcpy(p.position, from->position, sizeof p.position);
        memcpy(p.orientation, from->orientation, sizeof p.orientation);
        memcpy(p.velocity, from->velocity, sizeof p.velocity);
        memcpy(p.spin, from->spin, sizeof p.spin);
        body_set_placement(o->body, &p);
    }
}
