/* Viscous scenes from text: opened, advanced by equal steps, compared with exact velocities. */
#include "thick.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/report.h"
#include "grid/rows.h"

enum { TEXT = 4096 };

thick_models thick_coupled(void) {
    static const char *const names[] = {"full", "stokes"};
    return (thick_models){names, (int)(sizeof names / sizeof *names)};
}

rheo_status thick_open(thick *t, rows *out, const char *format, ...) {
    char text[TEXT];
    va_list arguments;
    *t = (thick){0};
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= TEXT)
        return report_fail(out->report, RHEO_INTERNAL, NULL, "the text of a case is too long");
    const rheo_status status = rheo_parse_scene(&t->scene, text, (size_t)length, "case", out->report);
    return status ? status : rheo_create_sim(&t->s, t->scene, out->threads, out->report);
}

void thick_close(thick *t) {
    rheo_free_sim(t->s);
    rheo_free_scene(t->scene);
    *t = (thick){0};
}

rheo_status thick_advance(thick *t, rows *out, double dt) {
    rheo_status status = RHEO_OK;
    while (!status && t->s->clock.frame < 1) status = rheo_advance_step(t->s, dt, out->report);
    return status;
}

/* ---- velocities ---- */

static void face_place(double x[3], const mac_grid *g, int axis, const int at[3]) {
    mac_place(x, g, at[0] + (axis == 0 ? 0 : 0.5), at[1] + (axis == 1 ? 0 : 0.5),
              g->box.dim == 3 ? at[2] + (axis == 2 ? 0 : 0.5) : 0);
}

static void set_particles(thick *t, thick_velocity *velocity, const void *of) {
    particles *p = &liquid_of(t->s)->markers.parts;
    const double dx = t->s->g.dx, reach = 0.5 * dx;
    for (size_t i = 0; i < p->count; ++i)
        for (int a = 0; a < p->dim; ++a) {
            double x[3] = {0, 0, 0};
            for (int b = 0; b < p->dim; ++b) x[b] = t->s->g.origin[b] + (double)p->x[b][i] * dx;
            p->v[a][i] = (float)velocity(x, a, of);
            for (int b = 0; b < p->dim && p->extra_count; ++b) {
                double high[3] = {x[0], x[1], x[2]}, low[3] = {x[0], x[1], x[2]};
                high[b] += reach;
                low[b] -= reach;
                p->extra[p->dim * a + b][i] =
                    (float)((velocity(high, a, of) - velocity(low, a, of)) / (2 * reach));
            }
        }
}

void thick_set(thick *t, thick_velocity *velocity, const void *of) {
    liquid *l = liquid_of(t->s);
    const mac_grid *g = &t->s->g;
    const int deep = g->box.dim == 3 ? GHOST : 0;
    set_particles(t, velocity, of);
    for (int a = 0; a < g->box.dim; ++a)
        for (int k = -deep; k < g->box.n[2] + deep; ++k)
            for (int j = -GHOST; j < g->box.n[1] + GHOST; ++j)
                for (int i = -GHOST; i < g->box.n[0] + GHOST; ++i) {
                    double x[3];
                    face_place(x, g, a, (int[3]){i, j, k});
                    const ptrdiff_t f = box_at(&g->box, i, j, k);
                    l->vel.value[a][f] = l->carry.value[a][f] = (float)velocity(x, a, of);
                }
}

/* Outside solids, liquid in front and behind. */
static bool is_wet_face(const thick *t, int axis, const int at[3], const double x[3]) {
    const mac_grid *g = &t->s->g;
    const float *phi = liquid_of(t->s)->markers.phi;
    const ptrdiff_t q = box_at(&g->box, at[0], at[1], at[2]);
    if (at[axis] < 1 || at[axis] >= g->box.n[axis]) return false;
    if (!(phi[q] < 0 && phi[q - g->box.step[axis]] < 0)) return false;
    for (int i = 0; i < t->s->wall_count; ++i)
        if (obstacle_distance(&t->s->solids[i], x) <= 0) return false;
    return true;
}

thick_error thick_compare(const thick *t, const thick *half, thick_velocity *exact, thick_place *where,
                          const void *of) {
    const mac_grid *g = &t->s->g;
    double off = 0, all = 0;
    thick_error e = {0};
    for (int a = 0; a < g->box.dim; ++a)
        for (int k = 0; k < g->box.n[2]; ++k)
            for (int j = 0; j < g->box.n[1]; ++j)
                for (int i = 0; i < g->box.n[0]; ++i) {
                    const int at[3] = {i, j, k};
                    double x[3];
                    face_place(x, g, a, at);
                    if ((where && !where(x, of)) || !is_wet_face(t, a, at, x)) continue;
                    const ptrdiff_t f = box_at(&g->box, i, j, k);
                    const double u = exact(x, a, of), ours = (double)liquid_of(t->s)->vel.value[a][f];
                    const double d =
                        (half ? 2 * (double)liquid_of(half->s)->vel.value[a][f] - ours : ours) - u;
                    off += d * d;
                    all += u * u;
                    e.worst = fmax(e.worst, fabs(d));
                    e.faces += 1;
                }
    const double share = e.faces ? 1.0 / e.faces : NAN;
    e.rms = sqrt(off * share);
    e.scale = sqrt(all * share);
    return e;
}

void thick_row(rows *out, const char *name, const char *quantity, int n, const double ours_reference_error[3],
               double order, const char *wanted, bool pass) {
    rows_put(out, &(row){.name = name,
                         .quantity = quantity,
                         .n = n,
                         .ours = ours_reference_error[0],
                         .reference = ours_reference_error[1],
                         .error = ours_reference_error[2],
                         .order = order,
                         .informative = !wanted,
                         .wanted = wanted,
                         .pass = pass});
}
