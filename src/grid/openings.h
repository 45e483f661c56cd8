/* What liquid may flow through: the open share of every face and the motion of what closes the rest. */
#ifndef GRID_OPENINGS_H
#define GRID_OPENINGS_H

#include "core/hot.h"
#include "grid/mac.h"
#include "grid/rows.h"

/* What a moving solid closes of a face beside another solid, where openings.mover and the open share alone do
 * not tell (stage/walls/meet.h). */
typedef struct met_face {
    int32_t at[3];  /* the cell above the face */
    uint16_t mover; /* 0, of films alone: a thin body, which tells by itself what it closes */
    uint8_t axis;
    float open;  /* share of the face that no solid closes */
    float share; /* that the mover closes */
    float more;  /* what that is more than 1 - open where it is openings.mover, than 0 where it is not */
} met_face;

/* A face in or along a narrow gap beside a moving solid, as a film of water holds it open; one a mover
 * (stage/walls/film.h). */
typedef struct film_face {
    met_face face;
    float was;      /* open share without a film */
    float mobility; /* > 0, of one of a face's movers: how many times as easily as water it flows */
    uint8_t wet;    /* whether the film opens it */
} film_face;

typedef struct meetings {
    met_face *face; /* face[start[i]] ... face[start[i + 1] - 1]: those of solid i */
    int *start;
    int count;       /* of faces; 0: start is undefined */
    film_face *film; /* in the order in which they are found */
    int film_count;
} meetings;

/* Whether a mover has any such face. */
INLINE int meetings_any(const meetings *m, uint16_t mover) {
    return m->count > 0 && m->start[mover] > m->start[mover - 1];
}

typedef struct openings {
    mac_field open; /* share of each face outside solids and closed walls, [0, 1] */
    mac_field wall; /* velocity of the solid at each face, m/s; values NULL when everything stands still */
    uint16_t *mover[3]; /* 1 + the moving solid that closes a face, 0 where none does; NULL as `wall` */
    uint64_t *moves[3]; /* stretches of a row of faces that have a mover (openings_row()); NULL: not known */
    int stretch;        /* log2 of their length, 3 or more */
    /* 1 where the domain's side (RHEO_LEFT ...) is no wall: liquid goes out into air, or around a periodic
     * axis */
    uint8_t open_wall[6];
    meetings met;           /* where solids come so near that a face is not one's alone */
    struct wall_work *work; /* what stage/walls keeps for itself while it fills all this; NULL as `wall` */
} openings;

/* Where `moves` has the row of faces (j, k), the box's sides and those beyond counted. */
INLINE size_t openings_row(const box *b, int j, int k) {
    return (size_t)j + ((size_t)b->n[1] + 1) * (size_t)k;
}
/* In which stretches of a row of faces across an axis walls may move, bit by bit: most have none that do, and
 * need not be read. */
INLINE uint64_t row_moves(const openings *o, const box *b, int axis, int j, int k) {
    if (!o->wall.value[axis]) return 0;
    return o->moves[axis] ? o->moves[axis][openings_row(b, j, k)] : UINT64_MAX;
}
/* The bit of the face i; eight from a multiple of eight on have the same. */
INLINE uint64_t stretch_bit(const openings *o, int i) {
    return (uint64_t)1 << (i >> o->stretch & 63); /* of openings that know none any will do */
}
/* Whether a face at a place along its axis lies on a closed side of the domain, which stands still whatever
 * solid is near. */
INLINE int is_closed_side(const openings *o, const box *b, int axis, int at) {
    return (at == 0 && !o->open_wall[2 * axis]) || (at == b->n[axis] && !o->open_wall[2 * axis + 1]);
}
/* Tasks may say so of one row at once. */
INLINE void note_moving(openings *o, const box *b, int axis, const int at[3], uint64_t stretches) {
    __atomic_fetch_or(&o->moves[axis][openings_row(b, at[1], at[2])], stretches, __ATOMIC_RELAXED);
}

/* A sliver of a face takes part in the balance of its cells, but its own velocity is as good as free: what
 * moves particles is carried over from wider faces instead. Not from too wide ones: the faces of the pockets
 * along a steep wall are a quarter open, and nothing else lets these fill and empty as pressure wants it. */
#define KNOWN_MIN 0.15f
/* Beside a moving solid the slivers are cracks that come and go: a light plug would slip on their velocity.
 */
#define MOVED_MIN 0.4f
/* Whether a face's own velocity moves particles; `mover` is NULL where nothing moves. */
INLINE int face_is_wide(const float *open, const uint16_t *mover, ptrdiff_t c) {
    return open[c] >= (mover && mover[c] ? MOVED_MIN : KNOWN_MIN);
}
/* What holds for slivers of faces holds for faces of a cell that is liquid by a hair's breadth: WET_MIN
 * cells. */
#define WET_MIN 0.25f

/* Whether a row of faces touches liquid at all: most rows of the box do not, and are passed over. */
INLINE int is_wet_row(const float *samples, const mac_grid *g, int axis, int j, int k) {
    const box *b = &g->box;
    const float deep = -WET_MIN * (float)g->dx, *phi = samples + box_at(b, 0, j, k);
    const ptrdiff_t low = b->step[axis];
    const int n = b->n[0] + (axis == 0);
    int wet = 0;
    for (int i = 0; i < n; ++i) wet |= (phi[i] < deep) | (phi[i - low] < deep);
    return wet;
}
#endif
