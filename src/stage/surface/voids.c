/* Voids beside solids under water.
 *
 * Behind a solid that moves, or in a stream's lee, the flow leaves the wall as exp(k t), k about 3 U / R at a
 * ball's rear: particles that were near it go away, and what comes after them has passed the front within a
 * hundredth of a cell. Particles are too coarse for that, so a film along the wall runs short of them for as
 * long as the flow lasts; in the projection's own flow it is full. Read as air such a film implodes, at many
 * times the speed of what made it. So air that is shut in by liquid and walls is liquid all the same where it
 * is a film: with c the density of a cell and r its free share, over the cells that hang together,
 *
 *   sum r (1 - c) <= sum min(VOID_FILM, VOID_SHARE r) + VOID_DROP.
 *
 * Bubbles lack more than that, and cells amid air have none in a film. What a film lacks is brought back by
 * the drift correction (stage/volume/volume.c), which moves particles and no momentum. A crack is no film:
 * liquid that comes to its mouth only would be drawn into it. So a film has liquid on a face of at least
 * every other cell. And where walls let go of liquid (linear/lcp.h) it is a void that opens, unless the
 * liquid beside it presses.
 *
 * Limits: a bubble that lacks VOID_DROP cells on a wall goes with the films; a film across a periodic side,
 * or of more than VOID_MOST cells, stays. */
#include "stage/surface/surface.h"

#include <string.h>
#include "grid/free_share.h"
#include "grid/rows.h"

#define VOID_FILM  0.5f /* cells of liquid that a cell of a film lacks at most, on average */
#define VOID_SHARE 0.7f /* likewise of its free share: what is dry lacks all of it */
#define VOID_DROP  1.0  /* cells: what all of it may lack beyond that */
#define VOID_EMPTY 0.1f /* density of cells amid air: no particle is within half a cell of them */

enum { UNSEEN, SEEN, OUTER, VOID_MOST = 4096 };

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *density, *free_share;
    const float *q; /* m/s; NULL: walls hold liquid */
    double head;    /* m/s */
    float *phi;
    uint8_t *mark;
    ptrdiff_t cell[VOID_MOST]; /* that hang together */
    int count;
    int wet;      /* faces between them and liquid */
    double press; /* the sum of q beyond these, m/s */
} search;

INLINE int row_has_air_at_walls(const search *s, ptrdiff_t row, int n) {
    const float *phi = s->phi + row, *free_share = s->free_share + row;
    int any = 0;
    for (int i = 0; i < n; ++i)
        any |= (phi[i] >= 0) & (free_share[i] >= FREE_ENOUGH) & (free_share[i] < FREE_WHOLE);
    return any;
}

/* Goes on from cell c to its neighbours. 0: there is air that is known not to be shut in. */
static int spread(search *s, ptrdiff_t c) {
    for (int a = 0; a < s->g->box.dim; ++a)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t step = s->g->box.step[a], to = side ? c + step : c - step;
            if (!(s->o->open.value[a][side ? to : c] > 0)) continue;
            if (s->phi[to] < 0) {
                ++s->wet;
                if (s->q) s->press += (double)s->q[to];
                continue;
            }
            if (s->mark[to] == OUTER) return 0;
            if (s->mark[to] == SEEN || s->free_share[to] < FREE_ENOUGH) continue;
            if (s->count == VOID_MOST) return 0;
            s->mark[to] = SEEN;
            s->cell[s->count++] = to;
        }
    return 1;
}

/* Whether the air around cell c is a film shut in; lists it, or as much as was looked at. */
static int is_film(search *s, ptrdiff_t c) {
    double excess = -VOID_DROP;
    s->wet = 0;
    s->press = 0;
    s->count = 1;
    s->cell[0] = c;
    s->mark[c] = SEEN;
    for (int n = 0; n < s->count; ++n) {
        const float free_share = s->free_share[s->cell[n]], density = s->density[s->cell[n]];
        if (free_share > FREE_WHOLE && density < VOID_EMPTY) return 0;
        excess += (double)(free_share * greater(1 - density, 0) - lesser(VOID_FILM, VOID_SHARE * free_share));
        if (!spread(s, s->cell[n])) return 0;
    }
    if (s->q && s->press < s->head * s->wet) return 0;
    return excess <= 0 && s->wet > s->count / 2;
}

void surface_fill_voids(float *phi, uint8_t *mark, const mac_grid *g, const float *density,
                        const float *free_share, const openings *o, const float *q, double head) {
    const box *b = &g->box;
    search s = {.g = g, .o = o, .density = density, .free_share = free_share, .phi = phi, .mark = mark};
    s.q = q;
    s.head = head;
    memset(mark, OUTER, b->size); /* the border: beyond open sides is air */
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j) memset(mark + box_at(b, 0, j, k), UNSEEN, (size_t)b->n[0]);
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j) {
            const ptrdiff_t row = box_at(b, 0, j, k);
            if (!row_has_air_at_walls(&s, row, b->n[0])) continue;
            for (ptrdiff_t c = row; c < row + b->n[0]; ++c) {
                if (!(phi[c] >= 0 && free_share[c] >= FREE_ENOUGH && free_share[c] < FREE_WHOLE)) continue;
                if (mark[c] != UNSEEN) continue;
                const int film = is_film(&s, c);
                for (int n = 0; n < s.count; ++n) {
                    if (film) phi[s.cell[n]] = -(float)g->dx;
                    else mark[s.cell[n]] = OUTER;
                }
            }
        }
}
