/* Contact without liquid: set-ups with known answers, and how deep solids are in each other. Shared by the
 * tests of solid/ and by `rheo reproduce contact`. Lengths in cells of the world's dx. */
#ifndef BENCH_DRY_CONTACT_H
#define BENCH_DRY_CONTACT_H

#include "rig.h"

#define DRY_GRAVITY 9.81

/* The deepest overlap of any body with another solid or a closed side, m; found with points twice as dense as
 * the contacts' own. Infinite: no memory. */
double contact_overlap(const rheo_scene *scene, shape *const *shapes, const world *w, double dx, double time);

typedef struct stack_result {
    double overlap;     /* cells, the largest in two seconds */
    double drift, turn; /* cells and 1 - |w| in the second second */
} stack_result;
/* Cubes of `side` m, dropped from `gap` m above each other and half of it aside; 0: corner on corner. */
rheo_status dry_stack(stack_result *r, int boxes, double side, double gap, rheo_report *report);

/* A ball on a slope: rolls with 5/7 g sin(theta) while tan(theta) < 7/2 mu, else slips; or a cylinder of
 * `length` m: 2/3 while tan(theta) < 3 mu. */
typedef struct roll_result {
    double acceleration; /* along the slope, over g sin(theta) */
    double spin;         /* radius times spin over speed */
    double off;          /* cells from the slope */
    double aside;        /* speed across the way down over that along it */
} roll_result;
/* on_box: the slope is that of a box. */
rheo_status dry_roll(roll_result *r, double length, double degrees, double friction, int on_box,
                     rheo_report *report);

/* A box on a slope: its acceleration along it over g. static_friction 0: the same as friction. */
rheo_status dry_slide(double *acceleration, double degrees, double friction, double static_friction,
                      rheo_report *report);

/* The way, m, that a box on the floor slides from a speed until it rests. */
rheo_status dry_stop(double *way, double speed, double friction, double static_friction, rheo_report *report);

typedef struct bounce_result {
    double height; /* of the first bounce over the drop */
    double sunk;   /* cells into the floor */
} bounce_result;
rheo_status dry_bounce(bounce_result *r, double restitution, rheo_report *report);

typedef enum { PILE_IN_BOX, PILE_IN_BOWL, PILE_IN_PLANE } pile_place;
typedef struct pile_result {
    double overlap, late; /* cells, in two seconds and in the last half */
    double speed;         /* cells/s at the end */
    double off_plane;     /* PILE_IN_PLANE: what left it, 0 if nothing did */
} pile_result;
rheo_status dry_pile(pile_result *r, pile_place place, rheo_report *report);

/* One of eight kinds of shapes, some 0.1 m in size, about a place; `mesh` is a file of pile_mesh_write(),
 * parts are for the ones that are combined and must stay. */
enum { PILE_KINDS = 8, PILE_PARTS = 2, PILE_PATH = 256 };
rheo_shape pile_shape(int kind, double x, double y, double z, const char *mesh, rheo_shape parts[PILE_PARTS]);
rheo_status pile_mesh_write(char path[PILE_PATH], rheo_report *report); /* the caller removes it */
#endif
