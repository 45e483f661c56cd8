/* The bodies of a scene. */
#include "solid/world.h"

#include <math.h>
#include <stdio.h>
#include "core/memory.h"
#include "core/report.h"
#include "solid/vector.h"

struct world {
    const rheo_scene *scene;
    shape *const *shapes;
    double dx;
    int count;
    body *bodies;
    body_state *states;
};

static rheo_status make_bodies(world *w, rheo_report *report) {
    const rheo_scene *s = w->scene;
    for (int i = 0; i < s->solid_count; ++i) {
        if (s->solids[i].motion != RHEO_DYNAMIC) continue;
        body *b = &w->bodies[w->count];
        if (body_make(b, &w->states[w->count], &s->solids[i], w->shapes[i], s->dim == 2, w->dx)) {
            char path[64];
            snprintf(path, sizeof path, "solids[%d].shape", i);
            report_fail(report, RHEO_INVALID, "a shape with a finite inside",
                        "a body without a finite volume");
            report_place(report, s->file, 0, 0, path);
            return RHEO_INVALID;
        }
        b->solid = i;
        ++w->count;
    }
    return RHEO_OK;
}

rheo_status world_create(world **out, const rheo_scene *scene, shape *const *shapes, double dx,
                         rheo_report *report) {
    size_t room = 1;
    for (int i = 0; i < scene->solid_count; ++i) room += scene->solids[i].motion == RHEO_DYNAMIC;
    world *w = *out = mem_alloc(sizeof *w);
    if (!w) return report_no_memory(report, "the bodies");
    w->scene = scene;
    w->shapes = shapes;
    w->dx = dx;
    w->bodies = mem_alloc(room * sizeof *w->bodies);
    w->states = mem_alloc(room * sizeof *w->states);
    rheo_status status =
        w->bodies && w->states ? make_bodies(w, report) : report_no_memory(report, "the bodies");
    if (status) {
        world_free(w);
        *out = NULL;
    }
    return status;
}

void world_free(world *w) {
    if (!w) return;
    mem_free(w->bodies);
    mem_free(w->states);
    mem_free(w);
}

int world_count(const world *w) {
    return w ? w->count : 0;
}

const body *world_body(const world *w, int index) {
    return &w->bodies[index];
}

const body *world_body_of(const world *w, int solid) {
    for (int i = 0; i < world_count(w); ++i)
        if (w->bodies[i].solid == solid) return &w->bodies[i];
    return NULL;
}

body_state *world_states(world *w) {
    return w->states;
}

double world_speed(const world *w) {
    double most = 0;
    for (int i = 0; i < world_count(w); ++i) {
        const body *b = &w->bodies[i];
        most = fmax(most, vec_length(b->now->velocity) + b->radius * vec_length(b->now->spin));
    }
    return most;
}

void world_accelerate(world *w, const double acceleration[3], double dt) {
    for (int i = 0; i < world_count(w); ++i)
        for (int c = 0; c < w->scene->dim; ++c) w->states[i].velocity[c] += dt * acceleration[c];
}

void world_step(world *w, double time, double dt) {
    (void)time;
    for (int i = 0; i < world_count(w); ++i) body_move(&w->bodies[i], dt);
}

void world_hold(world *w, double time, double dt) {
    (void)w;
    (void)time;
    (void)dt;
}
