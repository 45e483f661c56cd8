/* What stage/walls keeps from step to step to fill openings with: lists, and room for them. */
#ifndef STAGE_WALLS_WORK_H
#define STAGE_WALLS_WORK_H

#include "geom/sweep.h"
#include "grid/openings.h"

/* Faces that moving solids may close: of each solid and axis the rows within its reach, of each row a span.
 */
typedef struct mover_span {
    int32_t from, to;
    int32_t mine; /* of these, as far as known: to - from where no other solid has any */
} mover_span;

typedef struct mover_reach {
    cell_range range;
    int first; /* of its spans; those of the next reach follow */
} mover_reach;

typedef struct mover_rows {
    mover_reach *reach; /* [solids * dim + 1] */
    mover_span *span;
    int reach_capacity, span_capacity;
} mover_rows;

/* What one task has found. */
typedef struct met_list {
    met_face *face;
    int count, capacity, failed;
    film_face *film;
    int films, film_capacity;
} met_list;

typedef struct wall_work {
    mover_rows rows;
    sweep near;      /* which solids are near which, by balls around them */
    met_list *lists; /* a task's own */
    int list_count;
    met_face *found; /* in the order of tasks */
    int found_count;
    int found_capacity, face_capacity, film_capacity, solids; /* of openings.met: faces, films, starts */
} wall_work;
#endif
