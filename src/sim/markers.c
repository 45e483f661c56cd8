/* One particle an octant of a full cell (a quadrant in 2D), jittered (Sommer 2018). The surface is where
 * their density is a half (stage/surface/). */
#include "sim/markers.h"

#include <math.h>
#include <string.h>
#include "core/report.h"
#include "geom/marching.h"
#include "geom/mesh_facing.h"
#include "sim/definition.h"
#include "sim/probe.h"
#include "solid/vector.h"
#include "stage/surface/surface.h"
#include "stage/transport/emit.h"
#include "stage/walls/boundary.h"
#include "stage/walls/squeeze.h"

void markers_list(markers *m, rheo_sim *s) {
    field_list *l = &s->fields;
    field_kept(l, "particles", FIELD_PARTICLES, &m->parts);
    field_kept(l, "next_id", FIELD_COUNTER, &m->next_id);
    field_kept(l, "phi", FIELD_CELLS, &m->phi);
    field_kept(l, "density", FIELD_CELLS, &m->density);
}

/* The fluids' laws of heat, relative to the ambient temperature. */
static int make_laws(heat_marks *w, rheo_sim *s) {
    const double zero = s->def.ambient;
    w->law = arena_alloc(&s->text, (size_t)s->def.fluid_count * sizeof *w->law);
    for (int i = 0; w->law && i < s->def.fluid_count; ++i) {
        const rheo_fluid *f = &s->def.fluids[i];
        w->law[i] = heat_law_of(f->heat_capacity, f->conductivity, f->latent_heat, f->melting[0] - zero,
                                f->melting[1] - zero);
    }
    return w->law ? 0 : -1;
}

rheo_status markers_make_with(markers *m, rheo_sim *s, const char *const *own, int owned,
                              rheo_report *report) {
    static const char *const rest[3] = {"rest_x", "rest_y", "rest_z"};
    const char *column[PARTICLE_EXTRA_MAX];
    const int dim = s->g.box.dim, warm = rheo_solves_heat(&s->def);
    int count = 0;
    m->full = dim == 3 ? 8 : 4;
    m->particle_volume = s->g.dx * s->g.dx * s->g.dx / (double)m->full;
    while (count < owned) column[count] = own[count], ++count;
    if (warm) {
        column[m->warmth.temperature = count++] = "temperature";
        column[m->warmth.enthalpy = count++] = "enthalpy";
        column[m->warmth.rest = count++] = "enthalpy_rest";
        if (make_laws(&m->warmth, s)) return report_no_memory(report, "fluids");
    }
    const int rest_at = count;
    for (int a = 0; s->def.output_rest && a < dim; ++a) column[count++] = rest[a];
    if (particles_make(&m->parts, &s->g, column, count)) return report_no_memory(report, "the grid");
    m->rest = s->def.output_rest ? m->parts.extra + rest_at : NULL;
    return RHEO_OK;
}

rheo_status markers_make(markers *m, rheo_sim *s, int affine, rheo_report *report) {
    static const char *const gradient[9] = {"du_dx", "du_dy", "du_dz", "dv_dx", "dv_dy",
                                            "dv_dz", "dw_dx", "dw_dy", "dw_dz"};
    return markers_make_with(m, s, gradient, affine ? s->g.box.dim * s->g.box.dim : 0, report);
}

void markers_free(markers *m) {
    mem_free(m->keep);
}

size_t markers_bytes(const markers *m) {
    return m->keep_capacity;
}

rheo_status markers_sort(markers *m, rheo_sim *s, rheo_report *report) {
    return particles_sort(&m->parts, &s->g) ? report_no_memory(report, "particles") : RHEO_OK;
}

rheo_status markers_reserve(markers *m, rheo_report *report) {
    if (m->keep_capacity >= m->parts.count) return RHEO_OK;
    mem_free(m->keep);
    m->keep_capacity = m->parts.capacity;
    m->keep = mem_alloc(m->keep_capacity);
    if (m->keep) return RHEO_OK;
    m->keep_capacity = 0;
    return report_no_memory(report, "particles");
}

/* ---- fills ---- */

/* Drops what has just been seeded, from `first` on, inside thin solids. */
static rheo_status reject(markers *m, size_t first, const walls *w, rheo_sim *s, rheo_report *report) {
    const rheo_status status = w->thin.count ? markers_reserve(m, report) : RHEO_OK;
    if (status || w->thin.count == 0) return status;
    const size_t before = m->parts.count;
    thin_reject(m->keep, &s->g, &m->parts, s->solids, s->wall_count);
    memset(m->keep, 1, first);
    particles_compact(&m->parts, m->keep);
    s->stats.counts.rejected += (int64_t)(before - m->parts.count);
    s->balance.put_in -= (double)(before - m->parts.count) * m->particle_volume;
    return RHEO_OK;
}

void markers_begin_at(markers *m, const rheo_sim *s, size_t first, const double behind[3]) {
    for (int a = 0; m->rest && a < m->parts.dim; ++a)
        for (size_t q = first; q < m->parts.count; ++q)
            m->rest[a][q] =
                (float)(s->g.origin[a] + s->g.dx * (double)m->parts.x[a][q] - (behind ? behind[a] : 0));
}

/* One more fill, of a set that is sorted. */
static rheo_status add_fill(markers *m, const shape *fill, int fluid, const walls *w, rheo_sim *s,
                            rheo_report *report) {
    const emission e = emit_fill(&m->parts, &m->next_id, &s->g, fill, s->def.fluids[fluid].velocity, fluid,
                                 s->def.seed, walls_distance(w, s), m->stiff);
    if (e.added < 0) return report_no_memory(report, "particles");
    markers_begin_at(m, s, m->parts.count - (size_t)e.added, NULL);
    s->stats.counts.rejected += e.rejected;
    s->balance.put_in += (double)e.added * m->particle_volume;
    return RHEO_OK;
}

rheo_status markers_fill(markers *m, const walls *w, rheo_sim *s, rheo_report *report) {
    for (int i = 0; i < s->fill_count; ++i) {
        rheo_status status = markers_sort(m, s, report);
        if (!status) status = add_fill(m, s->fill[i], s->fill_fluid[i], w, s, report);
        if (status) return status;
    }
    markers_warm(m, s, 0, NAN);
    return reject(m, 0, w, s, report);
}

rheo_status markers_appear(markers *m, const walls *w, rheo_sim *s, rheo_report *report) {
    for (int i = 0; i < s->late_count; ++i) {
        const late_fill *fill = &s->late[i];
        const size_t before = m->parts.count;
        const uint32_t first = m->next_id;
        if (!(fill->at > s->clock.time && fill->at <= s->clock.step_end)) continue;
        rheo_status status = add_fill(m, fill->shape, fill->fluid, w, s, report);
        markers_warm(m, s, first, NAN);
        if (!status) status = reject(m, before, w, s, report);
        if (!status) status = markers_sort(m, s, report);
        if (status) return status;
    }
    return RHEO_OK;
}

/* ---- solids ---- */

rheo_status markers_remember(markers *m, walls *w, rheo_sim *s, rheo_report *report) {
    if (s->def.solid_count) particles_remember(&m->parts, s->g.pool);
    if (w->thin.count && thin_remember(&w->thin, &s->g, &m->parts, s->solids, s->wall_count))
        return report_no_memory(report, "particles");
    return RHEO_OK;
}

/* Those that solids that move have caught between themselves and others. */
static void squeeze(markers *m, const walls *w, rheo_sim *s, int marked) {
    const scratch_count before = s->scratch.lent;
    if (!s->moving) return;
    squeeze_particles(&m->parts, scratch_marks(&s->scratch), &s->g, &w->open, s->solids, s->wall_count,
                      marked ? m->keep : NULL);
    scratch_back(&s->scratch, before);
}

rheo_status markers_boundary(markers *m, walls *w, rheo_sim *s, rheo_report *report) {
    const mac_grid *g = &s->g;
    const rheo_status status = markers_reserve(m, report);
    if (status) return status;
    const int marked = s->moving && w->thin.count == 0; /* no mark tells what is beside a thin solid */
    if (marked) boundary_mark(m->keep, &m->parts, g, w->solid);
    squeeze(m, w, s, marked);
    if (w->thin.count) thin_keep_sides(&m->parts, &w->thin, g, s->solids, s->wall_count);
    /* with thin solids a film on a side may be another one's, behind a wall */
    const float *density = m->may_crowd && w->thin.count == 0 ? m->density : NULL;
    const int64_t rescued =
        boundary_particles(&m->parts, m->keep, marked, g, &w->open, walls_distance(w, s), density);
    if (w->thin.count && rescued) /* out of a thick solid, but not through a thin one */
        thin_keep_sides(&m->parts, &w->thin, g, s->solids, s->wall_count);
    const int64_t outflow = boundary_outflow(&m->parts, m->keep, g, &w->open);
    s->stats.counts.rescued += rescued;
    s->stats.counts.outflow += outflow;
    s->balance.outflow += (double)outflow * m->particle_volume;
    s->balance.put_in -= (double)outflow * m->particle_volume;
    return RHEO_OK;
}

/* ---- the surface ---- */

void markers_surface(markers *m, const mac_field *weight, walls *w, rheo_sim *s) {
    surface_from_weights(m->density, m->phi, &s->g, weight, w->free_share, m->full);
    if (s->def.solid_count) surface_into_solids(m->phi, &w->front, &s->g, w->free_share, NULL);
}

/* Films that lack particles, not liquid. Bodies lighter than the liquid that are held as such leap out of it,
 * and what opens under them is air (stage/coupling/rigid_fluid.c). */
static void fill_voids(markers *m, walls *w, rheo_sim *s, const float *q, double q_dt) {
    const scratch_count before = s->scratch.lent;
    double gravity[3];
    for (int i = 0; sim_bodies_are_fluid(s) && i < s->def.solid_count; ++i)
        if (s->def.solids[i].motion == RHEO_DYNAMIC && s->def.solids[i].density < sim_density(s)) return;
    sim_gravity(gravity, s, s->clock.time);
    surface_fill_voids(m->phi, scratch_marks(&s->scratch), &s->g, m->density, w->free_share, &w->open, q,
                       vec_length(gravity) * q_dt); /* a cell's head */
    scratch_back(&s->scratch, before);
}

/* What lies between faces that touch, and gaps that have just opened. */
static int find_films(markers *m, walls *w, rheo_sim *s) {
    const scratch_count before = s->scratch.lent;
    double gravity[3];
    if (!s->moving) return 0;
    sim_gravity(gravity, s, s->clock.time);
    const int bad =
        films_find(&w->films, &w->open, m->phi, scratch_marks(&s->scratch), &s->g, w->free_share, gravity);
    scratch_back(&s->scratch, before);
    return bad;
}

rheo_status markers_surface_at_rest(markers *m, const mac_field *weight, walls *w, rheo_sim *s,
                                    const float *q, double q_dt, rheo_report *report) {
    const mac_grid *g = &s->g;
    surface_from_weights(m->density, m->phi, g, weight, w->free_share, m->full);
    if (w->thin.count) {
        if (thin_density(m->density, &w->thin, g, &m->parts, s->solids, s->wall_count, w->free_share,
                         m->full))
            return report_no_memory(report, "particles");
        surface_from_density(m->phi, g, m->density);
    }
    if (s->def.solid_count) {
        surface_beside_walls(m->phi, g, m->density, w->free_share, w->solid, &w->open);
        fill_voids(m, w, s, q, q_dt);
        surface_into_solids(m->phi, &w->front, g, w->free_share, NULL);
    }
    if (find_films(m, w, s)) return report_no_memory(report, "moving solids");
    surface_mark_spray(&m->parts, g, m->phi);
    return RHEO_OK;
}

/* ---- what is asked between steps ---- */

void markers_view(rheo_particle_view *view, const markers *m) {
    const particles *p = &m->parts;
    view->count = p->count;
    for (int a = 0; a < 3; ++a) {
        view->position[a] = p->x[a];
        view->velocity[a] = p->v[a];
    }
    for (int a = 0; a < 3; ++a) view->rest[a] = m->rest && a < p->dim ? m->rest[a] : NULL;
    view->id = p->id;
    view->fluid = p->fluid;
    view->spray = p->spray;
    view->temperature = m->warmth.law ? p->extra[m->warmth.temperature] : NULL;
    view->density = m->dense ? p->extra[m->dense] : NULL;
    view->radius = cbrt(m->particle_volume * 3 / (4 * 3.14159265358979323846));
}

/* The drawn surface, in borrowed fields. NULL: no memory. */
static const float *draw(markers *m, int fluid, walls *w, const float *q, rheo_sim *s) {
    const mac_grid *g = &s->g;
    const rheo_surface kind = s->def.surface;
    float *phi = scratch_cells(&s->scratch), *drawn = s->def.solid_count ? scratch_cells(&s->scratch) : phi;
    int failed = 0;
    switch (kind) {
    case RHEO_SURFACE_SPHERES: failed = surface_by_rule(phi, g, &m->parts, SURFACE_SPHERES); break;
    case RHEO_SURFACE_AVERAGE: failed = surface_by_rule(phi, g, &m->parts, SURFACE_AVERAGE); break;
    case RHEO_SURFACE_KERNEL: failed = surface_by_rule(phi, g, &m->parts, SURFACE_KERNEL); break;
    case RHEO_SURFACE_COLOR: failed = surface_by_rule(phi, g, &m->parts, SURFACE_COLOUR); break;
    case RHEO_SURFACE_PRESSURE: surface_pressure(phi, g, q, m->phi); break;
    case RHEO_SURFACE_DENSITY: memcpy(phi, m->phi, g->box.size * sizeof *phi); break;
    }
    if (s->def.solid_count) {
        if (kind == RHEO_SURFACE_DENSITY) surface_into_solids(phi, &w->front, g, w->free_share, w->solid);
        surface_drawn(drawn, g, phi, w->solid, w->free_share);
    }
    if (w->thin.count) thin_drawn(drawn, &w->thin, g, phi);
    if (fluid >= 0 && s->def.fluid_count > 1)
        surface_of_fluid(drawn, scratch_cells(&s->scratch), g, &m->parts, fluid);
    surface_to_sides(drawn, g);
    return failed ? NULL : drawn;
}

static rheo_status make_mesh(rheo_mesh *mesh, markers *m, int fluid, walls *w, const float *q, rheo_sim *s,
                             rheo_report *report) {
    const float *drawn = draw(m, fluid, w, q, s);
    if (!drawn) return report_no_memory(report, "the surface");
    const rheo_status status =
        marching_cubes(mesh, &s->g.box, s->g.dx, s->g.origin, drawn, s->g.pool, report);
    if (status) return status;
    if (s->def.solid_count) surface_onto_solids(mesh, &s->g, w->solid);
    if (!mesh_face_outwards(mesh, &s->surface_area, s->g.pool)) return RHEO_OK;
    rheo_free_mesh(mesh);
    return report_no_memory(report, "a surface");
}

rheo_status markers_mesh(rheo_mesh *mesh, markers *m, int fluid, walls *w, const mac_field *vel,
                         const float *q, rheo_sim *s, rheo_report *report) {
    const scratch_count before = s->scratch.lent;
    const rheo_status status = make_mesh(mesh, m, fluid, w, q, s, report);
    scratch_back(&s->scratch, before);
    if (status) return status;
    probe_mesh_velocity(mesh, vel, &s->g);
    if (!m->rest || mesh->vertex_count == 0 || !probe_mesh_rest(mesh, &m->parts, m->rest, &s->g))
        return RHEO_OK;
    rheo_free_mesh(mesh);
    return report_no_memory(report, "a surface");
}

void markers_probe(double *values, const markers *m, const mac_field *vel, const float *q, double q_dt,
                   const float *known, const rheo_sim *s, unsigned of, const float x[3]) {
    const mac_grid *g = &s->g;
    switch (of) {
    case RHEO_OF_VELOCITY: probe_velocity(values, vel, g, x); break;
    case RHEO_OF_PRESSURE:
        *values = q_dt > 0 ? probe_pressure(q, known, m->phi, g, x) * sim_density(s) * g->dx / q_dt : 0;
        break;
    case RHEO_OF_PHI: *values = probe_distance(m->phi, g, x); break;
    case RHEO_OF_DENSITY: *values = probe_cells(m->density, g, x) * sim_density(s); break;
    case RHEO_OF_VISCOSITY: *values = definition_viscosity(&s->def.fluids[0], s->clock.time); break;
    default: *values = s->def.ambient;
    }
}

rheo_status markers_place(markers *m, rheo_sim *s, const sim_particles *from, rheo_report *report) {
    particles *to = &m->parts;
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
    for (int a = 0; m->rest && a < to->dim; ++a)
        for (size_t i = 0; i < from->count; ++i) m->rest[a][i] = from->rest[i][a];
    memcpy(to->id, from->id, to->count * sizeof *to->id);
    memcpy(to->fluid, from->fluid, to->count * sizeof *to->fluid);
    memset(to->spray, 0, to->count);
    markers_warm_each(m, s, from->temperature);
    return RHEO_OK;
}
