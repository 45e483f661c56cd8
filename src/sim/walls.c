/* Where solids are and what of the grid they close. A step places them once, before anything is asked of
 * them; only what follows solids that move is computed anew. */
#include "sim/walls.h"

#include <stdio.h>
#include <string.h>
#include "core/report.h"
#include "grid/wrap.h"
#include "stage/pressure/pressure.h"
#include "stage/walls/meet.h"

void walls_list(walls *w, rheo_sim *s, int with_free_share) {
    field_list *l = &s->fields;
    field_held(l, FIELD_FACES, &w->open.open);
    field_held(l, FIELD_CELLS, &w->solid);
    if (with_free_share) field_held(l, FIELD_CELLS, &w->free_share);
    if (!s->moving) return;
    field_held(l, FIELD_CELLS, &w->solid_still);
    if (with_free_share) field_held(l, FIELD_CELLS, &w->free_share_still);
}

/* Static solids come first. */
static int count_still(const rheo_sim *s) {
    int still = 0;
    while (still < s->def.solid_count && s->solids[still].def->motion == RHEO_STATIC) ++still;
    return still;
}

rheo_status walls_make(walls *w, rheo_sim *s, rheo_report *report) {
    const mac_grid *g = &s->g;
    for (int side = 0; side < 6; ++side) w->open.open_wall[side] = s->def.wall[side] != RHEO_WALL_CLOSED;
    if (front_make(&w->front, g) || thin_make(&w->thin, g, s->solids, s->wall_count) ||
        (s->moving && openings_make_movers(&w->open, g)))
        return report_no_memory(report, "the grid");
    if (!s->moving) return RHEO_OK;
    solids_distance(w->solid_still, NULL, g, s->solids, count_still(s));
    if (w->free_share) solids_free_share(w->free_share_still, NULL, g, w->solid_still, &w->open, NULL, 0);
    return RHEO_OK;
}

void walls_free(walls *w) {
    openings_free_movers(&w->open);
    front_free(&w->front);
    films_free(&w->films);
    thin_free(&w->thin);
    slivers_free(&w->slivers);
}

size_t walls_bytes(const walls *w, const rheo_sim *s) {
    const size_t movers = (size_t)s->g.box.dim * s->g.box.size * (sizeof(float) + sizeof *w->open.mover[0]);
    return (s->moving ? movers : 0) + front_bytes(&s->g) + solids_meet_bytes(&w->open) +
           films_bytes(&w->films, &s->g) + thin_bytes(&w->thin, &s->g);
}

rheo_status walls_check_thin(const walls *w, const rheo_sim *s, rheo_report *report) {
    char path[64];
    int i = 0;
    if (!is_periodic(&s->g) || w->thin.count == 0) return RHEO_OK;
    while (!s->solids[i].thin) ++i;
    snprintf(path, sizeof path, "solids[%d].shape", (int)(s->solids[i].def - s->def.solids));
    /* paths are looked at, and these go around */
    report_fail(report, RHEO_INVALID, "solids thicker than a cell or two, more cells, or closed sides",
                "the solid is thinner than a cell or two, which does not go with periodic sides yet");
    report_place(report, NULL, 0, 0, path);
    return RHEO_INVALID;
}

const float *walls_distance(const walls *w, const rheo_sim *s) {
    return s->def.solid_count ? w->solid : NULL;
}

/* Whether water may be between faces that lie on each other: bodies that particles' liquid moves. */
static int keeps_films(const walls *w, const rheo_sim *s) {
    return w->by_particles && s->def.coupling == RHEO_MONOLITHIC && world_count(s->world) > 0;
}

rheo_status walls_place(walls *w, rheo_sim *s, double time, rheo_report *report) {
    const mac_grid *g = &s->g;
    const int filmy = keeps_films(w, s);
    const int still = count_still(s), from = s->moving ? still : 0; /* the others are in solid_still */
    for (int i = 0; i < s->def.solid_count; ++i) {
        obstacle *o = &s->solids[i];
        o->now =
            o->body ? body_placement(o->body) : placement_of_solid(o->def, o->shape, time, s->clock.next_dt);
    }
    thin_around around = {.node_phi = w->solid, .density = sim_density(s)};
    sim_gravity(around.gravity, s, time);
    solids_distance(w->solid, w->solid_still, g, s->solids + from, s->wall_count - from);
    solids_open_faces(&w->open, g, w->solid);
    if (s->moving && solids_meet(&w->open, g, w->solid_still, w->solid, s->solids, s->wall_count, filmy))
        return report_no_memory(report, "moving solids");
    if (w->thin.count && thin_place(&w->thin, &w->open, g, s->solids, s->wall_count, filmy ? &around : NULL))
        return report_no_memory(report, "thin solids");
    if (sim_bodies_are_fluid(s)) /* no walls, yet particles stay outside */
        solids_distance(w->solid, w->solid, g, s->solids + s->wall_count, s->def.solid_count - s->wall_count);
    if (s->moving) {
        if (solids_movers(&w->open, g, s->solids, s->wall_count))
            return report_no_memory(report, "moving solids");
        if (w->thin.count) thin_movers(&w->open, &w->thin, g, s->solids, s->wall_count, &around);
        solids_wall_velocity(&w->open, g, s->solids, s->wall_count);
    }
    if (w->by_particles && !s->moving && w->thin.count == 0 && slivers_list(&w->slivers, g, &w->open))
        return report_no_memory(report, "solids");
    if (w->free_share)
        solids_free_share(w->free_share, w->free_share_still, g, w->solid, &w->open, s->solids + still,
                          s->def.solid_count - still);
    if (w->free_share && w->thin.count) thin_free_share(w->free_share, &w->thin, g, w->solid, &w->open);
    return RHEO_OK;
}

rheo_status walls_move(walls *w, rheo_sim *s, double time, rheo_report *report) {
    return s->moving ? walls_place(w, s, time, report) : RHEO_OK;
}

void walls_extend(mac_field *u, int layers, mac_field *far, int far_layers, walls *w, rheo_sim *s,
                  const float *phi, const quiet_limits *slow, int sticks) {
    const mac_grid *g = &s->g;
    const scratch_count before = s->scratch.lent;
    float *const spare[3] = {scratch_cells(&s->scratch), scratch_cells(&s->scratch),
                             scratch_cells(&s->scratch)};
    const int quiet = slow->beside_solids > 0 || slow->corners > 0;
    for (int axis = 0; axis < g->box.dim; ++axis) {
        float *solved = spare[0];
        pressure_known_faces(w->front.layer, g, &w->open, phi, axis);
        if (quiet)
            rest_forget_quiet(w->front.layer, solved, g, &w->open, phi, u, slow->beside_solids, slow->corners,
                              axis);
        extrapolate(u->value[axis], layers, far ? far->value[axis] : NULL, far_layers, &w->front, g, axis);
        if (quiet) rest_recall_quiet(u, far, solved, g, phi, axis);
    }
    for (int which = 0; which < 2 && s->wall_count; ++which) {
        mac_field *v = which ? far : u;
        if (!v) break;
        solids_constrain(v, spare, g, &w->open, w->solid, s->solids, s->wall_count, sticks);
        wrap_faces(v, g);
        if (w->thin.count) thin_constrain(v, spare, &w->thin, g, &w->open, s->solids, s->wall_count);
    }
    scratch_back(&s->scratch, before);
}
