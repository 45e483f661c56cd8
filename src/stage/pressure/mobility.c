/* Films that flow more easily than water.
 *
 *   coefficient of a film's face = mobility A_f,   u loses mobility (q_c - q_n) there:
 *
 * the film's liquid counts as 1 / mobility times as heavy. Both cells must be unknowns.
 *
 * Source: docs/decisions/0016-films.md; stage/walls/film.h finds the faces and how easily they flow.
 *
 * Limits: a face with two movers is listed once with a mobility (film_face). */
#include "stage/pressure/parts.h"

/* The film face's place in fields, where it is open and both cells beside it are unknowns; else 0, which no
 * face has. */
static ptrdiff_t mobile_face(const film_face *f, const pressure_work *work, const openings *o, const box *b) {
    const ptrdiff_t n = box_at(b, f->face.at[0], f->face.at[1], f->face.at[2]);
    const int joins = work->unknown[n] && work->unknown[n - b->step[f->face.axis]];
    return f->mobility > 0 && joins && o->open.value[f->face.axis][n] > 0 ? n : 0;
}

void pressure_scale_films(pressure_work *work, const mac_grid *g, const openings *o) {
    for (int i = 0; i < o->met.film_count; ++i) {
        const film_face *f = &o->met.film[i];
        const ptrdiff_t n = mobile_face(f, work, o, &g->box);
        if (n) work->face.value[f->face.axis][n] *= f->mobility;
    }
}

void pressure_move_films(mac_field *u, const float *q, const pressure_work *work, const mac_grid *g,
                         const openings *o) {
    for (int i = 0; i < o->met.film_count; ++i) {
        const film_face *f = &o->met.film[i];
        const ptrdiff_t n = mobile_face(f, work, o, &g->box);
        if (n) u->value[f->face.axis][n] -= (f->mobility - 1) * (q[n] - q[n - g->box.step[f->face.axis]]);
    }
}
