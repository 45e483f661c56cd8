/* What melts runs and what is set stands: built-in scenes, measured by their particles.
 *
 * melts, bunny-melt: how high wax stands where the middles of the head and of the tail were, over what it
 * was; and, as some of the head clings to the back, its mean height.
 *
 * sets, candle: how far what ran down goes in 10 s from when all of it is colder than its law's cold end, in
 * cells. What ran down lies outside the candle that stood there, and not on the floor. 99 of 100 particles
 * count: one or two on their own are no drip. */
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include "core/memory.h"
#include "core/report.h"
#include "thick.h"

#define CANDLE 0.026 /* m: its radius in the scene */
#define FLOOR  0.02  /* m: what lies lower may have dripped off */

static rheo_status open_scene(rheo_sim **s, rows *out, const char *name, int cells) {
    char set[32];
    const char *sets[] = {set};
    rheo_scene *scene;
    *s = NULL;
    rows_format(set, sizeof set, "domain.cells=%d", cells);
    rheo_status status = rheo_load_scene(&scene, name, sets, 1, out->report);
    if (status) return status;
    status = rheo_create_sim(s, scene, out->threads, out->report);
    rheo_free_scene(scene);
    return status;
}

static double place_of(const rheo_particle_view *v, int axis, size_t i) {
    return v->origin[axis] + v->dx * (double)v->position[axis][i];
}

/* ---- melts ---- */

typedef struct place {
    const char *name;
    double x, z, radius; /* m: of a column that goes up through its middle */
    double own, low;     /* m: the part itself, above `low` in a column so wide */
} place;

static const place parts[2] = {{"head", 0.21, 0.175, 0.02, 0.05, 0.1},
                               {"tail", 0.045, 0.175, 0.02, 0.03, 0.08}};

static double distance_to(const place *p, const rheo_particle_view *v, size_t i) {
    return hypot(place_of(v, 0, i) - p->x, place_of(v, 2, i) - p->z);
}

/* The highest that wax stands in the column. */
static double height(const place *p, const rheo_particle_view *v) {
    double most = 0;
    for (size_t i = 0; i < v->count; ++i)
        if (!v->spray[i] && distance_to(p, v, i) < p->radius) most = fmax(most, place_of(v, 1, i));
    return most;
}

static void mark(uint8_t *of, const place *p, const rheo_particle_view *v) {
    for (size_t i = 0; i < v->count; ++i)
        of[v->id[i]] = distance_to(p, v, i) < p->own && place_of(v, 1, i) > p->low;
}

static double mean_height(const uint8_t *of, const rheo_particle_view *v) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < v->count; ++i)
        if (of[v->id[i]]) {
            sum += place_of(v, 1, i);
            ++count;
        }
    return sum / count;
}

static void put_height(rows *out, const char *what, int n, double before, double after, const char *wanted,
                       int pass) {
    thick_row(out, "melts", what, n, (double[]){after / before, 1, after / before - 1}, NAN, wanted, pass);
}

rheo_status reproduce_melts(rows *out) {
    const int cells = out->quick ? 16 : 38, frames = out->quick ? 250 : 600;
    rheo_sim *s;
    rheo_frame_stats stats;
    rheo_particle_view v;
    uint8_t *of = NULL;
    rheo_status status = open_scene(&s, out, "bunny-melt", cells);
    if (status) goto end;
    rheo_view_particles(&v, s);
    if (!(of = mem_alloc(v.count))) {
        status = report_no_memory(out->report, "the case");
        goto end;
    }
    mark(of, &parts[0], &v);
    const double head = height(&parts[0], &v), tail = height(&parts[1], &v), mean = mean_height(of, &v);
    for (int i = 0; i < frames && !status; ++i) status = rheo_advance_frame(s, NULL, &stats, out->report);
    if (status) goto end;
    rheo_view_particles(&v, s);
    rows_title(out, "bunny-melt: heights after %d frames over what they were", frames);
    rows_put_header(out);
    const double left = height(&parts[0], &v), stands = height(&parts[1], &v);
    put_height(out, "head, where its middle was", cells, head, left, "below half", left < 0.5 * head);
    put_height(out, "head, mean of its wax", cells, mean, mean_height(of, &v), NULL, 1);
    put_height(out, "tail", cells, tail, stands, "at least 95 %", stands >= 0.95 * tail);
end:
    mem_free(of);
    rheo_free_sim(s);
    return status;
}

/* ---- sets ---- */

typedef struct stand {
    float (*at)[3]; /* cells, by id; x < 0: not looked at */
    size_t count;
    int drips;
} stand;

static int note(stand *t, const rheo_particle_view *v, double radius) {
    uint32_t last = 0;
    for (size_t i = 0; i < v->count; ++i) last = v->id[i] > last ? v->id[i] : last;
    t->count = (size_t)last + 1;
    if (!(t->at = mem_alloc(t->count * sizeof *t->at))) return -1;
    for (size_t i = 0; i < t->count; ++i) t->at[i][0] = -1;
    for (size_t i = 0; i < v->count; ++i) {
        if (v->spray[i] || place_of(v, 1, i) < FLOOR ||
            hypot(place_of(v, 0, i) - 0.06, place_of(v, 2, i) - 0.06) < radius)
            continue;
        for (int a = 0; a < 3; ++a) t->at[v->id[i]][a] = v->position[a][i];
        ++t->drips;
    }
    return 0;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far they went since, sorted; NULL: no memory. */
static double *ways(int *count, const stand *t, const rheo_particle_view *v) {
    double *way = mem_alloc(((size_t)t->drips + 1) * sizeof *way);
    *count = 0;
    for (size_t i = 0; way && i < v->count; ++i) {
        double square = 0;
        if (v->id[i] >= t->count || t->at[v->id[i]][0] < 0) continue;
        for (int a = 0; a < 3; ++a) square += pow((double)v->position[a][i] - (double)t->at[v->id[i]][a], 2);
        way[(*count)++] = sqrt(square);
    }
    if (way) qsort(way, (size_t)*count, sizeof *way, compare);
    return way;
}

rheo_status reproduce_sets(rows *out) {
    enum { MOST = 600 }; /* frames until it must be cold */
    const int cells = out->quick ? 20 : 48, later = out->quick ? 60 : 300;
    rheo_sim *s;
    rheo_frame_stats stats = {0};
    rheo_particle_view v;
    stand t = {0};
    double *way = NULL;
    int cold = 0, count = 0;
    rheo_status status = open_scene(&s, out, "candle", cells);
    if (status) goto end;
    const rheo_fluid *wax = &s->def.fluids[0];
    for (int i = 0; i < MOST && !status && !cold; ++i) {
        status = rheo_advance_frame(s, NULL, &stats, out->report);
        cold = s->clock.time > 5.5 && stats.temperature[1] < wax->law_temperature[0];
    }
    if (status) goto end;
    rheo_view_particles(&v, s);
    if (note(&t, &v, CANDLE + 0.5 * s->g.dx)) {
        status = report_no_memory(out->report, "the case");
        goto end;
    }
    for (int i = 0; i < later && !status; ++i) status = rheo_advance_frame(s, NULL, &stats, out->report);
    if (status) goto end;
    rheo_view_particles(&v, s);
    if (!(way = ways(&count, &t, &v))) {
        status = report_no_memory(out->report, "the case");
        goto end;
    }
    way[count] = 0;
    const double most = way[count > 0 ? count - 1 : 0],
                 near_all = way[(count > 0 ? count - 1 : 0) * 99 / 100];
    rows_title(out, "candle: what ran down, in the %d frames after it is cold", later);
    rows_put_header(out);
    thick_row(out, "sets", "particles that ran down", cells, (double[]){t.drips, NAN, NAN}, NAN, NULL, 1);
    thick_row(out, "sets", "cells that they go: all", cells, (double[]){most, 0, most}, NAN, NULL, 1);
    thick_row(out, "sets", "cells that they go: 99 of 100", cells, (double[]){near_all, 0, near_all}, NAN,
              "below 1", cold && count > 0 && near_all < 1);
end:
    mem_free(way);
    mem_free(t.at);
    rheo_free_sim(s);
    return status;
}
