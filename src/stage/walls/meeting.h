/* Solids that meet at a face: what the files of stage/walls/meet.h share. */
#ifndef STAGE_WALLS_MEETING_H
#define STAGE_WALLS_MEETING_H

#include "core/hot.h"
#include "stage/walls/meet.h"
#include "stage/walls/reach.h"
#include "stage/walls/tuning.h"
#include "stage/walls/work.h"

enum { MEETING_MOST = 8 }; /* solids at a face */

typedef struct meet_job {
    const mac_grid *g;
    const obstacle *solids;
    int count, still_count; /* those that stand still come first */
    const float *still, *phi;
    openings *o;
    int films; /* whether liquid moves bodies: what is keyed needs no film to come off */
} meet_job;

/* What one task looks at: part of the rows of faces across an axis around a moving solid. */
typedef struct meet_part {
    const meet_job *s;
    int own, axis;
    reach_near others;
    reach_ball around;
    cell_range range;
    met_list *list;
} meet_part;

/* A solid at a face. */
typedef struct closer {
    int mover;       /* 0: those that stand still */
    float corner[4]; /* distances, m, in the order that fraction_square() wants */
    double share;    /* closed */
} closer;

typedef struct meeting {
    closer solid[MEETING_MOST];
    int count;
    int at_side;     /* whether a closed side of the domain is near */
    float corner[4]; /* its distances, m */
} meeting;

INLINE int corner_count(const box *b) {
    return b->dim == 3 ? 4 : 2;
}

/* Steps from a face's first corner to the others along its own axes. */
INLINE void face_steps(ptrdiff_t step[2], const box *b, int axis) {
    step[0] = b->dim == 2 ? b->step[1 - axis] : b->step[(axis + 1) % 3];
    step[1] = b->dim == 2 ? 0 : b->step[(axis + 2) % 3];
}

/* The node of a face's corner c (0 to 3). */
INLINE void corner_node(int node[3], const int at[3], int axis, int dim, int c) {
    const int p = dim == 2 ? 1 - axis : (axis + 1) % 3, q = (axis + 2) % 3;
    for (int a = 0; a < 3; ++a) node[a] = at[a];
    node[p] += c & 1;
    if (dim == 3) node[q] += c >> 1;
}

INLINE void face_middle(double x[3], const mac_grid *g, const int at[3], int axis) {
    mac_place(x, g, at[0] + (axis != 0) * 0.5, at[1] + (axis != 1) * 0.5, at[2] + (axis != 2) * 0.5);
}

INLINE ptrdiff_t met_index(const met_face *f, const mac_grid *g) {
    return box_at(&g->box, f->at[0], f->at[1], f->at[2]);
}

/* The share of a face that a solid with such distances at its corners closes; `on`: as solids_open_faces()
 * has it, m. */
double meeting_closed_share(const float corner[4], int dim, float on);
/* The solids near a face. 0: only one, none that moves, or too many; or the face is another task's, as that
 * of the first that moves has it. */
int meeting_gather(meeting *m, const meet_part *t, const int at[3], ptrdiff_t n);
/* Whether two of them leave less than `least` [m] between them. */
int meeting_is_crack(const meet_part *t, const meeting *m, const int at[3], float least);
/* Lists a face in a gap, or that a film opens; `was`: its open share without one. */
void meeting_list_film(const meet_part *t, meeting *m, const int at[3], float was);

/* Room for so many tasks and solids. -1: no memory. */
int met_reserve_lists(openings *o, int lists, int solids);
/* One list of all that was found, in the order of tasks; -1: no memory. */
int met_join_lists(openings *o, int lists);
/* All of openings.met, and what it was made with. */
void met_free(openings *o);
/* The next face of a task's list. NULL: no memory. */
met_face *met_add_face(met_list *l);
film_face *met_add_film(met_list *l);
#endif
