/* Faces along gaps beside bodies, as a film of water would have them.
 *
 *   d_i <- d_i + max over k of (FILM_GAP - d_i - d_k):   solids drawn back from each other to where their gap
 * is FILM_GAP cells wide; open = 1 - sum c_i of those.
 *
 * What moves is drawn back from what does not, two that move half each. In this the domain's closed sides
 * count among what stands still. Faces are listed only; stage/walls/film.c says where there is a film.
 *
 * Source: docs/decisions/0016-films.md.
 *
 * Limits: gaps up to FILM_WIDE cells; those of meetings (stage/walls/meet_near.c). */
#include "stage/walls/meeting.h"

#include <math.h>
#include <string.h>
#include "stage/walls/solids.h"

/* The sides of the domain stand still, too. */
static void join_sides(meeting *m, int corners) {
    if (!m->at_side) return;
    if (m->solid[0].mover) {
        if (m->count == MEETING_MOST) return;
        memmove(m->solid + 1, m->solid, (size_t)m->count * sizeof *m->solid);
        ++m->count;
        m->solid[0].mover = 0;
        for (int c = 0; c < 4; ++c) m->solid[0].corner[c] = INFINITY;
    }
    for (int c = 0; c < corners; ++c) m->solid[0].corner[c] = lesser(m->solid[0].corner[c], m->corner[c]);
}

/* Whether a gap of less than `wide` goes through the face: at some corners one solid is nearer, at others the
 * other. A side of the domain is nearer on itself, whatever has gone through it. */
static int is_in_gap(const meeting *m, int corners, float wide) {
    for (int i = 0; i < m->count; ++i)
        for (int k = 0; k < i; ++k) {
            int first = 0, second = 0, narrow = 0;
            const float *a = m->solid[i].corner, *b = m->solid[k].corner;
            for (int c = 0; c < corners; ++c) {
                const int on_side = m->at_side && !m->solid[k].mover && !(m->corner[c] > 0);
                first |= a[c] < b[c] && !on_side;
                second |= a[c] >= b[c] || on_side;
                narrow |= a[c] + b[c] < wide;
            }
            if (first && second && narrow) return 1;
        }
    return 0;
}

/* Solids drawn back from each other to where their gap is as wide as a film: what moves from what does not,
 * two that move half each. */
static void draw_back(meeting *to, const meeting *m, int corners, float film) {
    *to = *m;
    for (int i = 0; i < m->count; ++i)
        for (int c = 0; c < corners && m->solid[i].mover; ++c) {
            float back = 0;
            for (int k = 0; k < m->count; ++k) {
                const float lacks = film - (m->solid[i].corner[c] + m->solid[k].corner[c]);
                if (k != i) back = greater(back, m->solid[k].mover ? 0.5f * lacks : lacks);
            }
            to->solid[i].corner[c] += back;
        }
}

void meeting_list_film(const meet_part *t, meeting *m, const int at[3], float was) {
    const mac_grid *g = t->s->g;
    const int corners = corner_count(&g->box);
    const float dx = (float)g->dx;
    meeting back;
    double sum = 0;
    join_sides(m, corners);
    draw_back(&back, m, corners, FILM_GAP * dx);
    for (int i = 0; i < back.count; ++i)
        sum += back.solid[i].share = meeting_closed_share(back.solid[i].corner, g->box.dim, ON_SURFACE * dx);
    float open = greater(was, (float)(1 - sum));
    if (open < OPEN_MIN) open = 0;
    if (!(open > was) && !is_in_gap(m, corners, FILM_WIDE * dx)) return;
    for (int i = 0; i < back.count; ++i) {
        if (!back.solid[i].mover) continue;
        film_face *f = met_add_film(t->list);
        if (!f) return;
        *f = (film_face){.face = {.at = {at[0], at[1], at[2]}, .axis = (uint8_t)t->axis}, .was = was};
        f->face.mover = (uint16_t)back.solid[i].mover;
        f->face.open = open;
        f->face.share = sum > 0 ? (float)(back.solid[i].share * (1 - (double)open) / sum) : 0;
    }
}
