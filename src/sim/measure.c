/* Statistics, probes, the drawn mesh: everything read from a state and nothing changed in it. */
#include "sim/measure.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/report.h"
#include "geom/marching.h"
#include "geom/mesh_facing.h"
#include "grid/sample.h"
#include "sim/method.h"
#include "sim/smoke.h"
#include "stage/walls/meet.h"
#include "stage/surface/surface.h"

enum { DRAWN_GRAIN = 1024 }; /* vertices a block */

void measure_reset(rheo_sim *s) {
    const rheo_particle_counts kept = s->stats.counts;
    s->stats = (rheo_frame_stats){.counts = kept};
    s->stats.counts.rescued = s->stats.counts.refused = 0;
    s->stats.pressure.converged = s->stats.density.converged = true;
    s->surface_area = 0;
    timer_reset(&s->timer);
}

static size_t sim_bytes(const rheo_sim *s) {
    const size_t field = s->g.box.size * sizeof(float);
    size_t fields = 8 + 3 * (size_t)s->g.box.dim;
    if (s->before.value[0]) fields += (size_t)s->g.box.dim;
    if (s->cell_phi) fields += 1;
    if (s->moving) fields += (size_t)s->g.box.dim + (s->room_still ? 2 : 1);
    if (s->queue) fields += 1;
    if (s->source) fields += 2 * (size_t)s->g.box.dim + 1;
    size_t marks = s->g.box.size * (s->cells ? 2 : 1); /* unknowns, and what MAC's cells hold */
    if (s->moving) marks += s->g.box.size * (size_t)s->g.box.dim * sizeof *s->open.mover[0];
    const size_t walls = s->separation ? lcp_bytes(s->separation) + s->g.box.size : 0;
    return fields * field + marks + walls + front_bytes(&s->g) + coupling_bytes(&s->coupling) +
           rigid_fluid_bytes(&s->rigid) + solids_meet_bytes(&s->open) + films_bytes(&s->films, &s->g) +
           thin_bytes(&s->thin, &s->g) + s->keep_room + particles_bytes(&s->parts) +
           poisson_bytes(s->solver) + s->text.held;
}

/* The drawn surface: psi and rhs are free between steps. NULL: no memory. */
static const float *draw(rheo_sim *s, rheo_surface kind) {
    float *phi = s->work.rhs, *drawn = s->def.solid_count ? s->psi : phi;
    const double radius =
        0.5 * sqrt((double)s->g.box.dim); /* of a cell's diagonal: no gaps between neighbours */
    int failed = 0;
    switch (kind) {
    case RHEO_SURFACE_SPHERES: failed = surface_spheres(phi, &s->g, &s->parts, radius); break;
    case RHEO_SURFACE_AVERAGE: failed = surface_average(phi, &s->g, &s->parts, radius); break;
    case RHEO_SURFACE_PRESSURE: surface_pressure(phi, &s->g, s->q, s->phi); break;
    case RHEO_SURFACE_DENSITY: memcpy(phi, s->phi, s->g.box.size * sizeof *phi); break;
    }
    if (s->def.solid_count) {
        if (kind == RHEO_SURFACE_DENSITY) surface_into_solids(phi, &s->front, &s->g, s->room, s->solid);
        surface_drawn(drawn, &s->g, phi, s->solid, s->room);
    }
    if (s->thin.count) thin_drawn(drawn, &s->thin, &s->g, phi);
    surface_to_sides(drawn, &s->g);
    return failed ? NULL : drawn;
}

void rheo_read_stats(rheo_frame_stats *stats, rheo_sim *s) {
    rheo_frame_stats *f = &s->stats;
    const double *speed = s->speed;
    f->frame = s->frame;
    f->time = s->time;
    f->speed = sqrt(speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]); /* a bound */
    f->emitted = s->emitted;
    f->outflow = s->outflow;
    s->method->measure(s);
    f->surface_area = s->surface_area;
    f->body_count = 0;
    for (int i = 0; i < s->def.solid_count; ++i) f->body_count += s->def.solids[i].motion != RHEO_STATIC;
    f->stage_count = 0;
    f->seconds = 0;
    for (int i = 0; i < s->timer.count && i < RHEO_STAGES_MAX; ++i) {
        f->stages[f->stage_count++] = (rheo_stage_time){s->timer.stage[i].name, s->timer.stage[i].seconds};
        f->seconds += s->timer.stage[i].seconds;
    }
    f->memory = s->smoke ? smoke_bytes(s) : sim_bytes(s);
    *stats = *f;
}

void rheo_read_body(rheo_body_stats *out, const char **name, const rheo_sim *s, int index) {
    *out = (rheo_body_stats){0};
    if (name) *name = NULL;
    for (int i = 0; i < s->def.solid_count; ++i) {
        const obstacle *o = &s->solids[s->solid_place[i]];
        if (o->def->motion == RHEO_STATIC || index-- > 0) continue;
        const placement now = o->body ? body_placement(o->body) /* with the step's last velocity */
                                      : placement_of_solid(o->def, o->shape, s->time, 0);
        if (name) *name = o->def->name;
        memcpy(out->position, now.position, sizeof out->position);
        memcpy(out->velocity, now.velocity, sizeof out->velocity);
        memcpy(out->spin, now.spin, sizeof out->spin);
        memcpy(out->orientation, now.orientation, sizeof out->orientation);
        return;
    }
}

typedef struct {
    const rheo_sim *s;
    rheo_mesh *mesh;
} drawing;

/* The velocity at a block of vertices. */
HOT static void velocity_task(void *context, int block) {
    const drawing *d = context;
    const mac_grid *g = &d->s->g;
    const size_t from = (size_t)block * DRAWN_GRAIN;
    for (size_t v = from; v < from + DRAWN_GRAIN && v < d->mesh->vertex_count; ++v) {
        float x[3] = {0, 0, 0};
        for (int a = 0; a < g->box.dim; ++a)
            x[a] = (float)(((double)d->mesh->position[3 * v + (size_t)a] - g->origin[a]) / g->dx);
        sample_faces(d->mesh->velocity + 3 * v, &d->s->vel, g, x);
    }
}

rheo_status rheo_make_mesh(rheo_mesh *mesh, rheo_sim *s, rheo_report *report) {
    if (s->smoke)
        return report_fail(report, RHEO_USAGE,
                           "liquids; smoke is drawn by `rheo render` and read as a volume",
                           "smoke has no surface to make a mesh of");
    const float *drawn = draw(s, s->def.surface);
    if (!drawn) return report_no_memory(report, "the surface");
    const rheo_status status =
        marching_cubes(mesh, &s->g.box, s->g.dx, s->g.origin, drawn, s->g.pool, report);
    if (status) return status;
    if (s->def.solid_count) surface_onto_solids(mesh, &s->g, s->solid);
    if (mesh_face_outwards(mesh, &s->surface_area, s->g.pool)) {
        rheo_free_mesh(mesh);
        return report_no_memory(report, "a surface");
    }
    drawing d = {s, mesh};
    parallel_for(s->g.pool, block_count((long)mesh->vertex_count, DRAWN_GRAIN), velocity_task, &d);
    return RHEO_OK;
}

void rheo_view_particles(rheo_particle_view *view, const rheo_sim *s) {
    const particles *p = &s->parts;
    *view = (rheo_particle_view){
        .count = p->count,
        .position = {p->x[0], p->x[1], p->x[2]},
        .velocity = {p->v[0], p->v[1], p->v[2]},
        .id = p->id,
        .fluid = p->fluid,
        .spray = p->spray,
        .dx = s->g.dx,
        .origin = {s->g.origin[0], s->g.origin[1], s->g.origin[2]},
        .radius = cbrt(s->particle_volume * 3 / (4 * 3.14159265358979323846)),
    };
}

void rheo_view_volume(rheo_volume_view *view, const rheo_sim *s) {
    const box *b = &s->g.box;
    *view = (rheo_volume_view){.cells = {b->n[0], b->n[1], b->n[2]},
                               .row = b->step[1],
                               .plane = b->step[2],
                               .dx = s->g.dx,
                               .origin = {s->g.origin[0], s->g.origin[1], s->g.origin[2]}};
    if (!s->smoke) return;
    view->density = s->density + b->first;
    view->temperature = s->smoke->temperature + b->first;
    view->share = s->smoke->share + b->first;
}

int rheo_count_probe_columns(const rheo_probe *probe) {
    int columns = 3;
    for (unsigned bit = RHEO_OF_VELOCITY; bit <= RHEO_OF_DENSITY; bit <<= 1)
        if (probe->of & bit) columns += bit == RHEO_OF_VELOCITY ? 3 : 1;
    return columns;
}

/* Where cells are looked up: between the outermost centres, as the border beyond holds nothing measured. */
static void between_centres(float to[3], const rheo_sim *s, const float x[3]) {
    for (int a = 0; a < 3; ++a) {
        const int free = a >= s->g.box.dim || s->g.box.periodic[a];
        to[a] = free ? x[a] : fminf(fmaxf(x[a], 0.5f), (float)s->g.box.n[a] - 0.5f);
    }
}

static double cells_at(const float *field, const rheo_sim *s, const float x[3]) {
    float inside[3];
    between_centres(inside, s, x);
    return (double)sample_cells(field, &s->g, inside);
}

/* Up to the walls as straight on: what is as far inside of the last centre as x is outside counts double
 * back. */
static double distance_at(const rheo_sim *s, const float x[3]) {
    float inside[3], mirrored[3];
    between_centres(inside, s, x);
    for (int a = 0; a < 3; ++a) mirrored[a] = 2 * inside[a] - x[a];
    return 2 * (double)sample_cells(s->phi, &s->g, inside) - (double)sample_cells(s->phi, &s->g, mirrored);
}

/* Cells of solids hold none, though the surface goes on into them. */
static int has_pressure(const rheo_sim *s, const float *phi, ptrdiff_t c) {
    return phi[c] < 0 && s->q[c] != 0;
}

/* q of a cell; carried on to one that has none from those beside it that have: across the surface by the
 * ghost value of the projection, q phi / phi_n, into solids along the slope of q. */
static double carried_pressure(const rheo_sim *s, const float *phi, const int at[3]) {
    const box *b = &s->g.box;
    const ptrdiff_t c = box_at(b, at[0], at[1], at[2]);
    double sum = 0;
    int count = 0;
    if (has_pressure(s, phi, c)) return (double)s->q[c];
    for (int d = 0; d < 2 * b->dim; ++d) {
        const int side = d % 2 ? 1 : -1, next = at[d / 2] + side, room = next > 0 && next < b->n[d / 2] - 1;
        const ptrdiff_t n = c + side * b->step[d / 2], m = 2 * n - c;
        if (next < 0 || next >= b->n[d / 2] || !has_pressure(s, phi, n)) continue;
        const double q = (double)s->q[n];
        if (phi[c] >= 0) sum += q * (double)(phi[c] / phi[n]);
        else sum += room && has_pressure(s, phi, m) ? 2 * q - (double)s->q[m] : q;
        ++count;
    }
    return count ? sum / count : 0;
}

/* Beyond the domain's sides straight on, axis by axis; around periodic ones. */
static double pressure_of_cell(const rheo_sim *s, const float *phi, const int at[3]) {
    for (int a = 0; a < s->g.box.dim; ++a) {
        const int n = s->g.box.n[a], low = at[a] < 0, wraps = s->g.box.periodic[a] || n == 1;
        if (!low && at[a] < n) continue;
        int first[3] = {at[0], at[1], at[2]}, second[3] = {at[0], at[1], at[2]};
        first[a] = wraps ? (at[a] + n) % n : low ? 0 : n - 1;
        second[a] = low ? 1 : n - 2;
        const double value = pressure_of_cell(s, phi, first);
        return wraps ? value : 2 * value - pressure_of_cell(s, phi, second);
    }
    return carried_pressure(s, phi, at);
}

static double pressure_at(const rheo_sim *s, const float x[3]) {
    const box *b = &s->g.box;
    const float *phi = s->def.method == RHEO_MAC ? s->cell_phi : s->phi;
    int low[3] = {0, 0, 0};
    double f[3] = {0, 0, 0}, q = 0;
    if (!(s->q_dt > 0) || distance_at(s, x) > 0) return 0;
    for (int a = 0; a < b->dim; ++a) { /* at most half a cell beyond the domain */
        const float at = fminf(fmaxf(x[a] - 0.5f, -0.5f), (float)b->n[a] - 0.5f);
        low[a] = (int)floorf(at);
        f[a] = (double)(at - (float)low[a]);
    }
    for (int corner = 0; corner < 1 << b->dim; ++corner) {
        double weight = 1;
        int at[3] = {low[0], low[1], low[2]};
        for (int a = 0; a < b->dim; ++a) {
            at[a] += corner >> a & 1;
            weight *= corner >> a & 1 ? f[a] : 1 - f[a];
        }
        if (weight > 0) q += weight * pressure_of_cell(s, phi, at);
    }
    return q * s->fluid_density * s->g.dx / s->q_dt;
}

void rheo_sample_probe(double *rows, const rheo_sim *s, const rheo_probe *probe) {
    for (int i = 0; i < probe->samples; ++i) {
        const double t = probe->samples > 1 ? (double)i / (probe->samples - 1) : 0;
        float x[3] = {0, 0, 0}, u[3] = {0, 0, 0};
        for (int a = 0; a < 3; ++a) {
            *rows = probe->from[a] + t * (probe->to[a] - probe->from[a]);
            if (a < s->g.box.dim) x[a] = (float)((*rows - s->g.origin[a]) / s->g.dx);
            ++rows;
        }
        if (probe->of & RHEO_OF_VELOCITY) {
            sample_faces(u, &s->vel, &s->g, x);
            for (int a = 0; a < 3; ++a) *rows++ = (double)u[a];
        }
        if (probe->of & RHEO_OF_PRESSURE) *rows++ = pressure_at(s, x);
        if (probe->of & RHEO_OF_TEMPERATURE)
            *rows++ = s->smoke ? cells_at(s->smoke->temperature, s, x) : s->def.ambient;
        if (probe->of & RHEO_OF_PHI) *rows++ = distance_at(s, x);
        if (probe->of & RHEO_OF_DENSITY)
            *rows++ = cells_at(s->density, s, x) * (s->smoke ? 1 : s->fluid_density);
    }
}
