/* Contact, friction and restitution by themselves; see dry_contact.h. Steps are those of the solvers: bodies
 * move, gravity acts, contacts hold what came of it. */
#include "dry_contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/memory.h"
#include "core/report.h"
#include "primitives.h"
#include "solid/contact.h"
#include "solid/vector.h"

#define PI 3.14159265358979323846

static double radians(double degrees) {
    return degrees * PI / 180;
}

static void floor_and_gravity(rig *r) {
    rig_start(r);
    r->scene.wall[RHEO_BOTTOM] = RHEO_WALL_CLOSED;
    r->gravity[1] = -DRY_GRAVITY;
}

/* ---- overlap ---- */

static void list_overlaps(touch_list *list, const thing *things, const rheo_scene *scene, double step) {
    const int count = scene->solid_count;
    for (int a = 0; a < count; ++a) {
        if (!things[a].body) continue;
        for (int b = 0; b < count; ++b)
            if (b != a && !(things[b].body && b < a)) touch_pair(list, things, a, b, 0, 0, step);
        for (int side = 0; side < 2 * scene->dim; ++side)
            if (scene->wall[side] == RHEO_WALL_CLOSED)
                touch_side(list, things, a, side, side % 2 ? scene->size[side / 2] : 0, 0);
    }
}

double contact_overlap(const rheo_scene *scene, shape *const *shapes, const world *w, double dx,
                       double time) {
    const int count = scene->solid_count;
    thing *things = mem_alloc(((size_t)count + 1) * sizeof *things);
    touch_list list = {0};
    double worst = 0;
    int bad = things == NULL;
    for (int i = 0; i < count && !bad; ++i) {
        bad = thing_make(&things[i], &scene->solids[i], shapes[i], world_body_of(w, i), 0.25 * dx);
        if (!bad) thing_place(&things[i], time, 0);
    }
    if (!bad) list_overlaps(&list, things, scene, 1e-3 * dx);
    for (int i = 0; i < list.count; ++i) worst = fmax(worst, -list.item[i].gap);
    if (bad || list.failed) worst = INFINITY;
    mem_free(list.item);
    for (int i = 0; i < count && things; ++i) thing_free(&things[i]);
    mem_free(things);
    return worst;
}

static double rig_overlap(const rig *r) {
    return contact_overlap(&r->scene, r->shapes, r->w, r->dx, r->time) / r->dx;
}

/* ---- one thing at a time ---- */

rheo_status dry_stack(stack_result *r, int boxes, double side, double gap, rheo_report *report) {
    rig w;
    double before[RIG_SOLIDS][3];
    *r = (stack_result){0};
    floor_and_gravity(&w);
    for (int i = 0; i < boxes; ++i) {
        const double half = 0.5 * side, x = 0.5 + 0.5 * gap * i, y = half + gap + (side + gap) * i;
        rig_add(&w, rig_box(x, y, 0.5, half, half, half), RHEO_DYNAMIC);
    }
    const rheo_status status = rig_begin(&w, report);
    for (int i = 0; i < 120 && !status; ++i) {
        if (i == 60)
            for (int b = 0; b < boxes; ++b)
                memcpy(before[b], world_body(w.w, b)->now->position, sizeof before[b]);
        rig_advance(&w, 1.0 / 60, 1.0 / 120);
        r->overlap = fmax(r->overlap, rig_overlap(&w));
    }
    for (int i = 0; i < boxes && !status; ++i) {
        double moved[3];
        vec_sub(moved, world_body(w.w, i)->now->position, before[i]);
        r->drift = fmax(r->drift, vec_length(moved) / w.dx);
        r->turn = fmax(r->turn, 1 - fabs(world_body(w.w, i)->now->orientation[0]));
    }
    rig_end(&w);
    return status;
}

rheo_status dry_roll(roll_result *r, double length, double degrees, double friction, int on_box,
                     rheo_report *report) {
    const double s = sin(radians(degrees)), c = cos(radians(degrees)), radius = 0.1, seconds = 0.6;
    rig w;
    rig_start(&w);
    w.gravity[1] = -DRY_GRAVITY;
    rheo_shape ramp = rig_shape(RHEO_SHAPE_PLANE, (double[]){0, 0, 0}, (double[]){s, c, 0}, 0);
    if (on_box) {
        ramp = rig_box(0.4 * c - 0.2 * s, -0.2 * c - 0.4 * s, 0.5, 0.6, 0.2, 0.4);
        ramp.rotate_axis[2] = 1;
        ramp.rotate_degrees = -degrees;
    }
    rheo_solid *slope = rig_add(&w, ramp, RHEO_STATIC);
    const double from[3] = {radius * s, radius * c, 0.5 - 0.5 * length},
                 to[3] = {radius * s, radius * c, 0.5 + 0.5 * length};
    const rheo_shape_kind kind = length > 0 ? RHEO_SHAPE_CYLINDER : RHEO_SHAPE_SPHERE;
    rheo_solid *ball = rig_add(&w, rig_shape(kind, from, to, radius), RHEO_DYNAMIC);
    slope->friction = ball->friction = friction;
    const rheo_status status = rig_begin(&w, report);
    if (!status) {
        rig_advance(&w, seconds, 1.0 / 240);
        const body_state *now = world_body(w.w, 0)->now;
        const double v = c * now->velocity[0] - s * now->velocity[1];
        r->acceleration = v / seconds / (DRY_GRAVITY * s);
        r->spin = -now->spin[2] * radius / v;
        r->off = fabs(s * now->position[0] + c * now->position[1] - radius) / w.dx;
        r->aside = fabs(now->velocity[2] / v);
    }
    rig_end(&w);
    return status;
}

rheo_status dry_slide(double *acceleration, double degrees, double friction, double static_friction,
                      rheo_report *report) {
    const double half = 0.05, seconds = 0.5;
    rig w;
    rig_start(&w);
    w.gravity[0] = DRY_GRAVITY * sin(radians(degrees));
    w.gravity[1] = -DRY_GRAVITY * cos(radians(degrees));
    rheo_solid *slope = rig_add(&w, rig_box(0.5, -0.1, 0.5, 3, 0.1, 3), RHEO_STATIC);
    rheo_solid *box = rig_add(&w, rig_box(0, half, 0.5, half, half, half), RHEO_DYNAMIC);
    slope->friction = box->friction = friction;
    slope->static_friction = box->static_friction = static_friction;
    const rheo_status status = rig_begin(&w, report);
    if (!status) {
        rig_advance(&w, seconds, 1.0 / 120);
        *acceleration = world_body(w.w, 0)->now->velocity[0] / seconds / DRY_GRAVITY;
    }
    rig_end(&w);
    return status;
}

rheo_status dry_stop(double *way, double speed, double friction, double static_friction,
                     rheo_report *report) {
    const double half = 0.05;
    rig w;
    floor_and_gravity(&w);
    rheo_solid *box = rig_add(&w, rig_box(0.2, half, 0.5, half, half, half), RHEO_DYNAMIC);
    box->friction = friction;
    box->static_friction = static_friction;
    box->velocity[0] = speed;
    const rheo_status status = rig_begin(&w, report);
    if (!status) {
        rig_advance(&w, 1.5 * speed / (friction * DRY_GRAVITY), 1.0 / 120);
        *way = world_body(w.w, 0)->now->position[0] - 0.2;
    }
    rig_end(&w);
    return status;
}

rheo_status dry_bounce(bounce_result *r, double restitution, rheo_report *report) {
    const double drop = 0.5, radius = 0.1;
    int rising = 0;
    double top = 0, low = 1;
    rig w;
    floor_and_gravity(&w);
    rig_add(&w, rig_ball(0.5, radius + drop, 0.5, radius), RHEO_DYNAMIC)->restitution = restitution;
    const rheo_status status = rig_begin(&w, report);
    for (int i = 0; i < 2000 && !status; ++i) {
        rig_advance(&w, 1.0 / 1000, 1.0 / 1000);
        const body_state *now = world_body(w.w, 0)->now;
        low = fmin(low, now->position[1] - radius);
        if (now->velocity[1] > 0) rising = 1;
        if (rising && now->velocity[1] < 0) break;
        if (rising) top = now->position[1] - radius;
    }
    *r = (bounce_result){.height = top / drop, .sunk = fmax(0, -low / w.dx)};
    rig_end(&w);
    return status;
}

/* ---- piles ---- */

rheo_status pile_mesh_write(char path[PILE_PATH], rheo_report *report) {
    const char *folder = getenv("TMPDIR");
    tri_mesh m;
    snprintf(path, PILE_PATH, "%s/rheo-torus-XXXXXX.obj", folder && *folder ? folder : "/tmp");
    const int file = mkstemps(path, 4);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    if (!f)
        return report_fail(report, RHEO_IO, "a folder in TMPDIR that can be written", "cannot write '%s'",
                           path);
    if (mesh_make_torus(&m, (double[]){0, 0, 0}, 0.05, 0.025, 20, 12)) {
        fclose(f);
        return report_no_memory(report, "a mesh");
    }
    for (size_t v = 0; v < m.vertex_count; ++v)
        fprintf(f, "v %.17g %.17g %.17g\n", m.vertex[v][0], m.vertex[v][1], m.vertex[v][2]);
    for (size_t t = 0; t < m.triangle_count; ++t)
        fprintf(f, "f %u %u %u\n", m.triangle[t][0] + 1, m.triangle[t][1] + 1, m.triangle[t][2] + 1);
    mesh_free(&m);
    return fclose(f) ? report_fail(report, RHEO_IO, "room on the disk", "cannot write '%s'", path) : RHEO_OK;
}

rheo_shape pile_shape(int kind, double x, double y, double z, const char *mesh,
                      rheo_shape parts[PILE_PARTS]) {
    const double low[3] = {x - 0.05, y, z}, high[3] = {x + 0.05, y, z}, at[3] = {x, y, z};
    rheo_shape s;
    switch (kind % PILE_KINDS) {
    case 0: return rig_box(x, y, z, 0.06, 0.04, 0.05);
    case 1: return rig_ball(x, y, z, 0.06);
    case 2: return rig_shape(RHEO_SHAPE_CAPSULE, low, high, 0.035);
    case 3: return rig_shape(RHEO_SHAPE_CYLINDER, low, high, 0.05);
    case 4:
        s = rig_shape(RHEO_SHAPE_TORUS, at, (double[]){0.2, 1, 0}, 0.06);
        s.tube = 0.025;
        return s;
    case 5:
        s = rig_shape(RHEO_SHAPE_MESH, at, NULL, 0);
        s.file = mesh;
        memcpy(s.move, at, sizeof at);
        return s;
    case 6:
        s = rig_ball(x, y, z, 0.05);
        memcpy(s.scale, (double[]){1.4, 0.7, 1}, sizeof s.scale);
        return s;
    default: /* an L */
        parts[0] = rig_box(x, y - 0.03, z, 0.06, 0.02, 0.03);
        parts[1] = rig_box(x - 0.04, y + 0.02, z, 0.02, 0.05, 0.03);
        s = rig_shape(RHEO_SHAPE_UNION, at, NULL, 0);
        s.children = parts;
        s.child_count = PILE_PARTS;
        return s;
    }
}

static void settle(pile_result *r, rig *w, double seconds) {
    const double dt = 1.0 / 100;
    const int steps = (int)lround(seconds / dt);
    *r = (pile_result){0};
    for (int i = 0; i < steps; ++i) {
        rig_advance(w, dt, dt);
        if (i % 4 == 0) r->overlap = fmax(r->overlap, rig_overlap(w));
        if (i % 16 == 0 && i > steps - 50) r->late = fmax(r->late, rig_overlap(w));
    }
    r->speed = world_speed(w->w) / w->dx;
    for (int i = 0; i < world_count(w->w) && w->scene.dim == 2; ++i) {
        const body_state *now = world_body(w->w, i)->now;
        r->off_plane += fabs(now->position[2]) + fabs(now->orientation[1]) + fabs(now->orientation[2]);
    }
}

static void fill_space(rig *w, int bowl, const char *mesh, rheo_shape parts[][PILE_PARTS]) {
    for (int side = 0; side < 6 && !bowl; ++side) w->scene.wall[side] = RHEO_WALL_CLOSED;
    if (!bowl) memcpy(w->scene.size, (double[]){0.35, 1.2, 0.35}, sizeof w->scene.size);
    for (int i = 0; i < PILE_KINDS; ++i) {
        const double x = 0.175 + 0.05 * ((i * 3) % 4 - 1.5) / 1.5, z = 0.175 + 0.05 * ((i * 5) % 3 - 1);
        rheo_shape s = pile_shape(i, x, 0.12 + 0.13 * i, z, mesh, parts[i]);
        s.rotate_axis[0] = 1;
        s.rotate_degrees = 17 * i;
        if (bowl) s.move[0] += 0.325, s.move[2] += 0.325, s.move[1] -= 0.015 * i;
        rig_add(w, s, RHEO_DYNAMIC)->density = 300 + 400 * (i % 3);
    }
    if (bowl) rig_add(w, rig_ball(0.5, 0.55, 0.5, 0.52), RHEO_STATIC)->inside_fluid = true;
}

static void fill_plane(rig *w, rheo_shape parts[][PILE_PARTS]) {
    static const int kinds[6] = {0, 1, 2, 3, 6, 7};
    w->scene.dim = 2;
    memcpy(w->scene.size, (double[]){0.5, 2, 1}, sizeof w->scene.size);
    for (int side = 0; side < 4; ++side) w->scene.wall[side] = RHEO_WALL_CLOSED;
    for (int i = 0; i < 12; ++i) {
        rheo_shape s = pile_shape(kinds[i % 6], 0.25 + 0.1 * ((i * 3) % 4 - 1.5) / 1.5, 0.12 + 0.13 * i, 0,
                                  NULL, parts[i]);
        s.rotate_degrees = 17 * i;
        rig_add(w, s, RHEO_DYNAMIC);
    }
}

rheo_status dry_pile(pile_result *r, pile_place place, rheo_report *report) {
    rig w;
    rheo_shape parts[16][PILE_PARTS];
    char mesh[PILE_PATH];
    rheo_status status = pile_mesh_write(mesh, report);
    if (status) return status;
    rig_start(&w);
    w.gravity[1] = -DRY_GRAVITY;
    if (place == PILE_IN_PLANE) fill_plane(&w, parts);
    else fill_space(&w, place == PILE_IN_BOWL, mesh, parts);
    status = rig_begin(&w, report);
    if (!status) settle(r, &w, 2);
    unlink(mesh);
    rig_end(&w);
    return status;
}
