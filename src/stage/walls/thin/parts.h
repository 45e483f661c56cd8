/* What the files of thin solids know of cells that a wall cuts. */
#ifndef STAGE_WALLS_THIN_PARTS_H
#define STAGE_WALLS_THIN_PARTS_H

#include <math.h>
#include "grid/rows.h"
#include "stage/walls/thin/thin.h"

/* Of the 27 cells around one: itself; none of them. How often a sample of a cut cell counts in full. */
enum { SELF = 13, NOWHERE = 255, PART = 31 };
enum { QUARTERS = 4 }; /* samples of a cut cell along an axis */

/* Octants of a cut cell: up to two homes that parts of it belong to, and how large the parts are: of the 8
 * (in 2D 4) samples of an octant each counts up to PART. And where they are: from the octant's middle, in
 * PLACE-ths of a cell. */
enum { PLACE = 256 };
struct cut_cell {
    uint8_t home[8][2], share[8][2];
    int8_t place[8][2][3];
    float middle[3]; /* cells from the centre */
};

INLINE void offset_of(int d[3], int dir) {
    d[0] = dir % 3 - 1;
    d[1] = dir / 3 % 3 - 1;
    d[2] = dir / 9 - 1;
}
INLINE ptrdiff_t step_of(const box *b, int dir) {
    int d[3];
    offset_of(d, dir);
    return d[0] + d[1] * b->step[1] + d[2] * b->step[2];
}

#define SKIN THIN_SKIN

/* Cells, sqrt(3) more than CUT_REACH: walls farther from a cell's centre cut none of those around it. */
#define NEAR_THIN 2.7

/* Whether what walls leave of a cell and those around may be less than all. */
INLINE int is_near_thin(const thin_walls *t, const mac_grid *g, ptrdiff_t c) {
    return t->distance[c] < (float)(NEAR_THIN * g->dx);
}

/* Hundredths of a cell. A cell's middle is at most so far from its centre along an axis: where walls leave
 * room; where it turns to a gap, half a cell, what ways begin behind a closed face, and 1.1 skins more. */
enum { MIDDLE_ROOM = 45, GAP_BEYOND = 10, MIDDLE_SKIN = 3, MIDDLE_MOST = 63 };
_Static_assert(MIDDLE_ROOM <= MIDDLE_MOST && 50 + GAP_BEYOND + MIDDLE_SKIN <= MIDDLE_MOST,
               "pick.c looks as far as middles may be");

/* How far a particle at d from a cell's centre [cells] counts there: the mean over the cell's faces of
 * trilinear weights. */
INLINE float reach_of(const float d[3], int dim) {
    float hat[3], half[3], sum = 0;
    for (int a = 0; a < dim; ++a) {
        const float x = fabsf(d[a]), t = 1 - x;
        hat[a] = t > 0 ? t : 0;
        half[a] = 0.5f * ((x < 0.5f ? 0.5f + x : 1.5f - x) + (x < 0.5f ? 0.5f - x : 0));
        if (x >= 1.5f) half[a] = 0;
    }
    for (int a = 0; a < dim; ++a) {
        float w = half[a];
        for (int e = 0; e < dim; ++e)
            if (e != a) w *= hat[e];
        sum += w;
    }
    return sum / (float)dim;
}

/* Whether cell c sees the home (relative to the cell at `dir` from c) of something in that cell. */
INLINE int is_in_sight(uint32_t sees, int dir, int home) {
    if (home == SELF) return sees >> dir & 1;
    if (home == NOWHERE) return 0;
    int d[3], h[3];
    offset_of(d, dir);
    offset_of(h, home);
    for (int a = 0; a < 3; ++a) d[a] += h[a];
    if (d[0] * d[0] > 1 || d[1] * d[1] > 1 || d[2] * d[2] > 1) return 0;
    return sees >> sight_bit(d[0], d[1], d[2]) & 1;
}

/* Thin solids near a cell, in their order: those of a list, or without one all of an array. One of the two is
 * there. */
typedef struct picked_solids {
    const obstacle *const *near;
    const obstacle *all;
    int count;
} picked_solids;

/* Whether one of them is on the way, or nearer to it than `skin`. */
int picked_hide(const picked_solids *p, const double from[3], const double to[3], double skin);
/* The first of those that are nearest, NULL and +inf without any. */
const obstacle *picked_nearest(double *distance, const picked_solids *p, const double x[3]);

/* What is known of the cell asked last and its stretch of a row. One a task. */
enum { PICKS = 64 };
typedef struct thin_pick {
    const mac_grid *g;
    const obstacle *all;
    int all_count, span_count, span_at[3]; /* span_count -1: more than PICKS */
    const obstacle *span[PICKS], *cell[PICKS];
} thin_pick;

void pick_begin(thin_pick *p, const mac_grid *g, const obstacle *all, int count);
/* The thin solids that can matter to a cell, its faces and its ways to the cells around; valid until the next
 * is asked. */
picked_solids pick_cell(thin_pick *p, const int c[3]);

typedef struct gap_view {
    const mac_grid *g;
    const openings *o; /* while cells and faces are told apart: without thin solids */
    const thin_around *around;
    const obstacle *solids;
    int count;
} gap_view;

/* The code of a cell with a middle [cells from the centre], which is another one where the cell has turned.
 */
int gap_of_cell(float middle[3], const gap_view *v, const int c[3]);
/* Of the face below cell `high` across an axis: what gaps leave open of it. Whether it leads along one. */
int gap_at_face(float *open, const gap_view *v, const uint8_t *lies, const int high[3], int across);
/* Lists the faces along gaps beside those that solids_meet() lists. -1: no memory. */
int gap_list_films(openings *o, thin_walls *t, const mac_grid *g);

/* Thin solids and what is known of the cells around them, asked by one task. */
typedef struct thin_view {
    const thin_walls *t;
    const mac_grid *g;
    picked_solids near; /* of the solids those that the cell under way has to ask */
} thin_view;

/* What follows from where thin solids are, while it is found. */
typedef struct thin_job {
    thin_walls *t;
    const mac_grid *g;
    openings *o;
    const thin_around *around;
    const obstacle *solids;
    int count, axis;
    cell_range range;
    thin_view v; /* of the same */
} thin_job;

INLINE void cell_centre(double x[3], const mac_grid *g, const int c[3]) {
    mac_place(x, g, c[0] + 0.5, c[1] + 0.5, c[2] + 0.5);
}

/* The nearest thin solid and its distance [m]. */
const obstacle *thin_nearest(double *distance, const thin_view *v, const double x[3]);
double thin_distance(const thin_view *v, const double x[3]);
/* Whether a thin solid is on the way, or nearer to it than a skin. */
int thin_is_hidden(const thin_view *v, const double from[3], const double to[3]);
/* Out of the solid, straight to its surface and a skin beyond. */
void thin_step_out(double x[3], const thin_view *v, const obstacle *solid, double depth);
/* Where a cell's liquid is asked for; whether that is outside of walls; their distance from it as far as it
 * is known [m]. */
void thin_middle_of(double x[3], const thin_view *v, const int c[3]);
int thin_is_outside(const thin_view *v, ptrdiff_t c);
double thin_free_around(const thin_view *v, ptrdiff_t c);
/* The cell that a place in cell c, `near` to the walls, belongs to, of the 27 around it: its own when it sees
 * that one's middle, else the nearest that it does see; NOWHERE: inside a wall or in a corner of it. */
int thin_find_home(const thin_view *v, const int c[3], const double x[3], double near);
/* The same of a place that nothing is known of: most are near the middle of their cell. */
int thin_find_home_of(const thin_view *v, const int c[3], const double x[3]);
/* Share of a quarter-wide box about a place that is inside a solid at a distance. */
double thin_share_inside(const thin_view *v, const obstacle *solid, double distance);

/* The stages of thin_place(): distances, middles (with the code of their gap), what cells see, parts of cells
 * that are cut, faces. */
void thin_find_distances(thin_job *s);
void thin_find_middles(thin_job *s);
void thin_find_sight(thin_job *s);
void thin_cut_cells(thin_job *s);
void thin_close_faces(thin_job *s);
gap_view thin_gaps(const thin_job *s);

INLINE int is_inside(const box *b, int i, int j, int k) {
    return i >= 0 && i < b->n[0] && j >= 0 && j < b->n[1] && k >= 0 && k < b->n[2];
}
#endif
