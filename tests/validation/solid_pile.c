/* Piles of every kind of shape in a box, a bowl and the plane: they come to rest, nothing sinks in. */
#include "check.h"
#include <unistd.h>
#include "core/memory.h"
#include "core/timer.h"
#include "geom/primitives.h"
#include "rig.h"
#include "solid/contact.h"
#include "solid/vector.h"

/* The deepest overlap of the present state, found with points twice as dense as the contacts' own, m. */
static double deepest(const rig *r) {
    thing things[RIG_SOLIDS];
    touch_list list = {0};
    const int count = r->scene.solid_count;
    double worst = 0;
    for (int i = 0; i < count; ++i) {
        assert_int_equal(
            thing_make(&things[i], &r->solids[i], r->shapes[i], world_body_of(r->w, i), 0.25 * r->dx), 0);
        thing_place(&things[i], r->time);
    }
    for (int a = 0; a < count; ++a) {
        if (!things[a].body) continue;
        for (int b = 0; b < count; ++b)
            if (b != a && !(things[b].body && b < a)) touch_pair(&list, things, a, b, 0, 0, 1e-3 * r->dx);
        for (int side = 0; side < 2 * r->scene.dim; ++side)
            if (r->scene.wall[side] == RHEO_WALL_CLOSED)
                touch_side(&list, things, a, side, side % 2 ? r->scene.size[side / 2] : 0, 0);
    }
    for (int i = 0; i < list.count; ++i) worst = fmax(worst, -list.item[i].gap);
    mem_free(list.item);
    for (int i = 0; i < count; ++i) thing_free(&things[i]);
    return worst;
}

static void write_obj(const char *file, const tri_mesh *m) {
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    for (size_t v = 0; v < m->vertex_count; ++v)
        fprintf(f, "v %.17g %.17g %.17g\n", m->vertex[v][0], m->vertex[v][1], m->vertex[v][2]);
    for (size_t t = 0; t < m->triangle_count; ++t)
        fprintf(f, "f %u %u %u\n", m->triangle[t][0] + 1, m->triangle[t][1] + 1, m->triangle[t][2] + 1);
    fclose(f);
}

/* One of eight kinds about (x, y, z), some 0.08 in size. */
static rheo_shape kind(int k, double x, double y, double z, const char *mesh, rheo_shape parts[2]) {
    const double low[3] = {x - 0.05, y, z}, high[3] = {x + 0.05, y, z}, at[3] = {x, y, z};
    rheo_shape s;
    switch (k % 8) {
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
        s.child_count = 2;
        return s;
    }
}

static void settle(rig *r, const char *name, double seconds, double slow) {
    double worst = 0, late = 0, cost = 0;
    const double dt = 1.0 / 100;
    const int steps = (int)lround(seconds / dt);
    for (int i = 0; i < steps; ++i) {
        const double start = timer_now();
        rig_advance(r, dt, dt);
        cost += (timer_now() - start) / steps;
        if (i % 4 == 0) worst = fmax(worst, deepest(r));
        if (i % 16 == 0 && i > steps - 50) late = fmax(late, deepest(r));
    }
    printf("%s: sunk in %.4f cells at most, %.4f at the end, speed at the end %.4f cells/s, %.2f ms a step\n",
           name, worst / r->dx, late / r->dx, world_speed(r->w) / r->dx, 1e3 * cost);
    check_below(worst / r->dx, 0.1);
    check_below(world_speed(r->w) / r->dx, slow);
}

static void pile(const char *name, int bowl) {
    rig r;
    rheo_shape parts[16][2];
    char mesh[] = "/tmp/rheo-torus-XXXXXX.obj";
    tri_mesh m;
    close(mkstemps(mesh, 4));
    mesh_make_torus(&m, (double[]){0, 0, 0}, 0.05, 0.025, 20, 12);
    write_obj(mesh, &m);
    mesh_free(&m);
    rig_start(&r);
    r.gravity[1] = -9.81;
    for (int side = 0; side < 6 && !bowl; ++side) r.scene.wall[side] = RHEO_WALL_CLOSED;
    if (!bowl) memcpy(r.scene.size, (double[]){0.35, 1.2, 0.35}, sizeof r.scene.size);
    for (int i = 0; i < 8; ++i) {
        const double x = 0.175 + 0.05 * ((i * 3) % 4 - 1.5) / 1.5, z = 0.175 + 0.05 * ((i * 5) % 3 - 1);
        rheo_shape s = kind(i, x, 0.12 + 0.13 * i, z, mesh, parts[i]);
        s.rotate_axis[0] = 1;
        s.rotate_degrees = 17 * i;
        if (bowl) s.move[0] += 0.325, s.move[2] += 0.325, s.move[1] -= 0.015 * i;
        rheo_solid *b = rig_add(&r, s, RHEO_DYNAMIC);
        b->density = 300 + 400 * (i % 3);
    }
    if (bowl) rig_add(&r, rig_ball(0.5, 0.55, 0.5, 0.52), RHEO_STATIC)->inside_fluid = true;
    rig_make(&r);
    settle(&r, name, 2, bowl ? 15 : 5);
    unlink(mesh);
    rig_end(&r);
}

static void pile_in_box(void **state) {
    (void)state;
    pile("eight kinds in a box", 0);
}

static void pile_in_bowl(void **state) {
    (void)state;
    pile("eight kinds in a bowl", 1);
}

static void pile_in_the_plane(void **state) {
    (void)state;
    rig r;
    rheo_shape parts[16][2];
    rig_start(&r);
    r.scene.dim = 2;
    r.gravity[1] = -9.81;
    memcpy(r.scene.size, (double[]){0.5, 2, 1}, sizeof r.scene.size);
    for (int side = 0; side < 4; ++side) r.scene.wall[side] = RHEO_WALL_CLOSED;
    for (int i = 0; i < 12; ++i) {
        const int kinds[6] = {0, 1, 2, 3, 6, 7};
        rheo_shape s =
            kind(kinds[i % 6], 0.25 + 0.1 * ((i * 3) % 4 - 1.5) / 1.5, 0.12 + 0.13 * i, 0, NULL, parts[i]);
        s.rotate_degrees = 17 * i;
        rig_add(&r, s, RHEO_DYNAMIC);
    }
    rig_make(&r);
    settle(&r, "twelve in the plane", 2, 5);
    for (int i = 0; i < 12; ++i) {
        const body_state *now = world_body(r.w, i)->now;
        check_near(now->position[2], 0, 0);
        check_near(fabs(now->orientation[1]) + fabs(now->orientation[2]), 0, 0);
    }
    rig_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pile_in_box),
        cmocka_unit_test(pile_in_bowl),
        cmocka_unit_test(pile_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
