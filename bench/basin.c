/* A box of water with solids; see basin.h. */
#include "basin.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "sim/liquid.h"
#include "solid/vector.h"

basin basin_make(int dim, double width, double height, double depth, int cells, double level) {
    basin b = {.scene = rheo_default_scene(), .water = rheo_default_fluid()};
    b.scene.dim = dim;
    b.scene.size[0] = width;
    b.scene.size[1] = height;
    b.scene.size[2] = depth;
    b.scene.cells = cells;
    b.scene.method = RHEO_APIC;
    b.scene.frames = 100000; /* in so long even water's friction would count */
    b.scene.viscosity = RHEO_VISCOSITY_NONE;
    b.water.density = BASIN_DENSITY;
    b.fill = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) {
        b.fill.a[a] = 0;
        b.fill.b[a] = a == 1 ? level : b.scene.size[a];
    }
    return b;
}

rheo_solid *basin_add(basin *b, rheo_shape form, double relative) {
    rheo_solid *s = &b->solids[b->scene.solid_count++];
    *s = rheo_default_solid();
    s->shape = form;
    s->motion = relative > 0 ? RHEO_DYNAMIC : RHEO_STATIC;
    if (relative > 0) s->density = relative * b->water.density;
    return s;
}

rheo_status basin_run(rheo_sim **sim, basin *b, int threads, rheo_report *report) {
    b->water.fill = &b->fill;
    b->water.fill_count = 1;
    b->scene.fluids = &b->water;
    b->scene.fluid_count = 1;
    b->scene.solids = b->solids;
    return rheo_create_sim(sim, &b->scene, threads, report);
}

rheo_shape basin_ball(double x, double y, double z, double radius) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_SPHERE);
    s.a[0] = x;
    s.a[1] = y;
    s.a[2] = z;
    s.radius = radius;
    return s;
}

rheo_shape basin_box(double x, double y, double z, double half_x, double half_y, double half_z) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    const double middle[3] = {x, y, z}, half[3] = {half_x, half_y, half_z};
    for (int a = 0; a < 3; ++a) {
        s.a[a] = middle[a] - half[a];
        s.b[a] = middle[a] + half[a];
    }
    return s;
}

rheo_shape basin_turned(rheo_shape form, double x, double y, double z, double degrees) {
    form.rotate_axis[0] = x;
    form.rotate_axis[1] = y;
    form.rotate_axis[2] = z;
    form.rotate_degrees = degrees;
    return form;
}

double basin_level(const rheo_sim *sim, double x, double z) {
    enum { SAMPLES = 512 };
    const double top = sim->g.dx * sim->g.box.n[1];
    rheo_probe line = {.samples = SAMPLES, .of = RHEO_OF_PHI, .from = {x, 0, z}, .to = {x, top, z}};
    static double rows[SAMPLES][4];
    rheo_sample_probe(&rows[0][0], sim, &line);
    for (int i = SAMPLES - 1; i > 0; --i)
        if (rows[i - 1][3] < 0 && rows[i][3] >= 0)
            return rows[i - 1][1] +
                   (rows[i][1] - rows[i - 1][1]) * rows[i - 1][3] / (rows[i - 1][3] - rows[i][3]);
    return (double)NAN;
}

rheo_status basin_measure(basin_volume *v, const rheo_sim *sim, int solid, rheo_report *report) {
    enum { SIDE = 64 };
    const obstacle *o = &sim->solids[solid];
    const int dim = sim->g.box.dim, layers = dim == 3 ? SIDE : 1;
    const double radius = o->body->radius, h = 2 * radius / SIDE;
    *v = (basin_volume){.spacing = h};
    v->point = mem_alloc((size_t)layers * SIDE * SIDE * sizeof *v->point);
    if (!v->point) return report_no_memory(report, "the points of a body");
    for (int k = 0; k < layers; ++k)
        for (int j = 0; j < SIDE; ++j)
            for (int i = 0; i < SIDE; ++i) {
                const double own[3] = {h * (i + 0.5) - radius, h * (j + 0.5) - radius,
                                       dim == 3 ? h * (k + 0.5) - radius : 0};
                double x[3];
                mat_times(x, o->now.rotation, own);
                for (int a = 0; a < 3; ++a) x[a] += o->body->now->position[a];
                const double inside = 0.5 - placement_distance(&o->now, o->shape, x) / h;
                if (inside <= 0) continue;
                memcpy(v->point[v->count], own, sizeof own);
                v->point[v->count++][3] = fmin(1, inside);
            }
    return RHEO_OK;
}

void basin_volume_free(basin_volume *v) {
    mem_free(v->point);
    *v = (basin_volume){0};
}

double basin_submerged(const basin_volume *v, const rheo_sim *sim, int solid, double level) {
    const obstacle *o = &sim->solids[solid];
    const double *turn = o->now.rotation, centre = o->body->now->position[1];
    double all = 0, below = 0;
    for (int i = 0; i < v->count; ++i) {
        const double *p = v->point[i];
        const double y = centre + turn[3] * p[0] + turn[4] * p[1] + turn[5] * p[2];
        all += p[3];
        below += p[3] * fmax(0, fmin(1, (level - y) / v->spacing + 0.5)); /* as if along the axes */
    }
    return below / all;
}
