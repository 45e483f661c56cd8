/* A small dry world: solids filled in by hand, steps in the order of the solvers. */
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include <math.h>
#include <stdlib.h>
#include "solid/world.h"

enum { RIG_SOLIDS = 40 };

typedef struct rig {
    rheo_scene scene;
    rheo_solid solids[RIG_SOLIDS];
    shape *shapes[RIG_SOLIDS];
    double gravity[3];
    double dx, time;
    world *w;
} rig;

static inline rheo_shape rig_shape(rheo_shape_kind kind, const double a[3], const double b[3],
                                   double radius) {
    rheo_shape s = {
        .kind = kind, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}, .file_scale = 1, .radius = radius};
    for (int c = 0; c < 3; ++c) {
        s.a[c] = a[c];
        s.b[c] = b ? b[c] : 0;
    }
    return s;
}
static inline rheo_shape rig_box(double x, double y, double z, double hx, double hy, double hz) {
    return rig_shape(RHEO_SHAPE_BOX, (double[]){x - hx, y - hy, z - hz}, (double[]){x + hx, y + hy, z + hz},
                     0);
}
static inline rheo_shape rig_ball(double x, double y, double z, double radius) {
    return rig_shape(RHEO_SHAPE_SPHERE, (double[]){x, y, z}, NULL, radius);
}
static inline rheo_solid *rig_add(rig *r, rheo_shape s, rheo_motion motion) {
    rheo_solid *added = &r->solids[r->scene.solid_count++];
    *added = (rheo_solid){.shape = s,
                          .motion = motion,
                          .density = 1000,
                          .friction = 0.5,
                          .rotation_axis = {0, 0, 1},
                          .position = {.width = 3},
                          .rotation_degrees = {.width = 1}};
    return added;
}
/* A unit domain of 32 cells with all sides open, weightless. */
static inline void rig_start(rig *r) {
    *r = (rig){.scene = {.dim = 3, .size = {1, 1, 1}}, .dx = 1.0 / 32};
    for (int side = 0; side < 6; ++side) r->scene.wall[side] = RHEO_WALL_OPEN;
}
/* Whatever comes of it, rig_end() frees what was made. */
static inline rheo_status rig_begin(rig *r, rheo_report *report) {
    rheo_status status = RHEO_OK;
    r->scene.solids = r->solids;
    r->scene.gravity = (rheo_curve){.count = 1, .values = r->gravity, .width = 3};
    for (int i = 0; i < r->scene.solid_count && !status; ++i)
        status = r->scene.dim == 2 ? shape_make_flat(&r->shapes[i], &r->solids[i].shape, report)
                                   : shape_make(&r->shapes[i], &r->solids[i].shape, report);
    return status ? status : world_create(&r->w, &r->scene, r->shapes, r->dx, report);
}
static inline void rig_end(rig *r) {
    world_free(r->w);
    for (int i = 0; i < r->scene.solid_count; ++i) shape_free(r->shapes[i]);
}
static inline void rig_advance(rig *r, double seconds, double dt) {
    const int steps = (int)lround(seconds / dt);
    for (int i = 0; i < steps; ++i) {
        int bad = world_step(r->w, r->time, dt);
        world_accelerate(r->w, r->gravity, dt);
        r->time += dt;
        bad |= world_constrain(r->w, r->time, dt, dt);
        if (bad) abort(); /* no memory for a handful of contacts */
    }
}
#endif
