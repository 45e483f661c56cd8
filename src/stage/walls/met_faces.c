/* The lists of faces that several solids close, and what these faces say of walls.
 *
 *   wall_f = sum_i c_i w_i / (1 - A_f):   first what the face's one mover has (stage/walls/movers.c), then
 * what others have more of it.
 *
 * Each task lists what it finds by itself; lists are joined in the order of tasks, and then sorted by solid.
 *
 * Source: docs/decisions/0015-gaps.md and 0016-films.md.
 *
 * Limits: a face that a thin solid or a film has changed since is theirs. */
#include "stage/walls/meeting.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

met_face *met_add_face(met_list *l) {
    if (l->count == l->capacity) {
        const int capacity = l->capacity ? 2 * l->capacity : 64;
        met_face *more =
            mem_grow(l->face, (size_t)l->capacity * sizeof *more, (size_t)capacity * sizeof *more);
        if (!more) {
            l->failed = 1;
            return NULL;
        }
        l->face = more;
        l->capacity = capacity;
    }
    return &l->face[l->count++];
}

film_face *met_add_film(met_list *l) {
    if (l->films == l->film_capacity) {
        const int capacity = l->film_capacity ? 2 * l->film_capacity : 64;
        film_face *more =
            mem_grow(l->film, (size_t)l->film_capacity * sizeof *more, (size_t)capacity * sizeof *more);
        if (!more) {
            l->failed = 1;
            return NULL;
        }
        l->film = more;
        l->film_capacity = capacity;
    }
    return &l->film[l->films++];
}

int met_reserve_lists(openings *o, int lists, int solids) {
    meetings *m = &o->met;
    wall_work *w = o->work;
    if (lists <= w->list_count && solids <= w->solids) return 0;
    met_list *more = mem_grow(w->lists, (size_t)w->list_count * sizeof *more, (size_t)lists * sizeof *more);
    if (!more) return -1;
    w->lists = more;
    w->list_count = lists;
    mem_free(m->start);
    m->start = mem_alloc(((size_t)solids + 2) * sizeof *m->start);
    w->solids = m->start ? solids : 0;
    return m->start ? 0 : -1;
}

/* Room for what tasks have found, and for what of it is to be listed solid by solid. */
static int reserve_faces(meetings *m, wall_work *w, int found, int films) {
    const int all = found + films;
    if (found > w->found_capacity) {
        mem_free(w->found);
        w->found = mem_alloc((size_t)(2 * found) * sizeof *w->found);
        w->found_capacity = w->found ? 2 * found : 0;
    }
    if (films > w->film_capacity) {
        mem_free(m->film);
        m->film = mem_alloc((size_t)(2 * films) * sizeof *m->film);
        w->film_capacity = m->film ? 2 * films : 0;
    }
    if (all > w->face_capacity) {
        mem_free(m->face);
        m->face = mem_alloc((size_t)(2 * all) * sizeof *m->face);
        w->face_capacity = m->face ? 2 * all : 0;
    }
    return found > w->found_capacity || films > w->film_capacity || all > w->face_capacity ? -1 : 0;
}

int met_join_lists(openings *o, int lists) {
    meetings *m = &o->met;
    wall_work *w = o->work;
    int found = 0, films = 0;
    for (int t = 0; t < lists; ++t) {
        if (w->lists[t].failed) return -1;
        found += w->lists[t].count;
        films += w->lists[t].films;
    }
    if (reserve_faces(m, w, found, films)) return -1;
    for (int t = 0; t < lists; ++t) {
        const met_list *l = &w->lists[t];
        for (int i = 0; i < l->count; ++i) w->found[w->found_count++] = l->face[i];
        for (int i = 0; i < l->films; ++i) m->film[m->film_count++] = l->film[i];
    }
    return 0;
}

int solids_meet_list(openings *o, const mac_grid *g, const int at[3], int axis) {
    meetings *m = &o->met;
    wall_work *w = o->work;
    if (m->film_count == w->film_capacity) {
        const int capacity = w->film_capacity ? 2 * w->film_capacity : 256;
        film_face *more =
            mem_grow(m->film, (size_t)w->film_capacity * sizeof *more, (size_t)capacity * sizeof *more);
        if (!more) return -1;
        m->film = more;
        w->film_capacity = capacity;
    }
    film_face *f = &m->film[m->film_count++];
    *f = (film_face){.face = {.at = {at[0], at[1], at[2]}, .axis = (uint8_t)axis}};
    f->was = o->open.value[axis][met_index(&f->face, g)];
    f->face.open = greater(f->was, FILM_GAP);
    return 0;
}

/* What of a face's share openings.mover does not tell; 0 as well where thin solids closed it since, or a film
 * opened it: then it is theirs. */
static int says_more(met_face *f, const openings *o, const mac_grid *g) {
    const ptrdiff_t n = met_index(f, g);
    f->more = f->share - (o->mover[f->axis][n] == f->mover ? 1 - f->open : 0);
    const float open = o->open.value[f->axis][n];
    return !(open < f->open || open > f->open) && fabsf(f->more) > 0;
}

void solids_meet_movers(openings *o, const mac_grid *g, int count) {
    meetings *m = &o->met;
    const wall_work *w = o->work;
    const int all = w->found_count + m->film_count;
    m->count = 0;
    if (all == 0) return;
    memset(m->start, 0, ((size_t)count + 2) * sizeof *m->start);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < all; ++i) {
            const film_face *film = i < w->found_count ? NULL : &m->film[i - w->found_count];
            met_face f = film ? film->face : w->found[i];
            if ((film && !film->wet) || !f.mover || !says_more(&f, o, g)) continue;
            if (round) {
                m->face[m->start[f.mover]++] = f;
                continue;
            }
            note_moving(o, &g->box, f.axis, f.at, stretch_bit(o, f.at[0]));
            ++m->start[f.mover + 1];
            ++m->count;
        }
        for (int i = 1; i < count + 2 && !round; ++i) m->start[i] += m->start[i - 1];
    }
    /* start[mover] has gone on to where the next one's begin: start[mover - 1] is the first */
}

static double velocity_at(const obstacle *solid, const mac_grid *g, const met_face *f) {
    double x[3], velocity[3];
    const placement now = obstacle_felt(solid);
    face_middle(x, g, (const int[3]){f->at[0], f->at[1], f->at[2]}, f->axis);
    placement_velocity(velocity, &now, x);
    return velocity[f->axis];
}

/* First what the face's one mover has, then what others have more of it. */
void solids_meet_velocity(openings *o, const mac_grid *g, const obstacle *solids) {
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < o->met.count; ++i) {
            const met_face *f = &o->met.face[i];
            const ptrdiff_t n = met_index(f, g);
            const int mover = o->mover[f->axis][n];
            float *wall = &o->wall.value[f->axis][n];
            if (round == 0) *wall = mover ? (float)velocity_at(&solids[mover - 1], g, f) : 0;
            else if (f->open < 1)
                *wall += f->more / (1 - f->open) * (float)velocity_at(&solids[f->mover - 1], g, f);
        }
}

size_t solids_meet_bytes(const openings *o) {
    const meetings *m = &o->met;
    const wall_work *w = o->work;
    if (!w) return 0;
    size_t bytes = (size_t)w->face_capacity * sizeof *m->face + (size_t)w->found_capacity * sizeof *w->found +
                   (size_t)w->film_capacity * sizeof *m->film + (size_t)w->list_count * sizeof *w->lists +
                   (size_t)w->solids * sizeof *m->start;
    for (int i = 0; i < w->list_count; ++i)
        bytes += (size_t)w->lists[i].capacity * sizeof *w->lists[i].face +
                 (size_t)w->lists[i].film_capacity * sizeof *w->lists[i].film;
    return bytes;
}

void met_free(openings *o) {
    wall_work *w = o->work;
    for (int i = 0; i < w->list_count; ++i) {
        mem_free(w->lists[i].face);
        mem_free(w->lists[i].film);
    }
    mem_free(w->lists);
    mem_free(w->found);
    mem_free(o->met.start);
    mem_free(o->met.face);
    mem_free(o->met.film);
    o->met = (meetings){0};
}
