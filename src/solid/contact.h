/* Where solids touch: points, normals and gaps from signed distances. */
#ifndef SOLID_CONTACT_H
#define SOLID_CONTACT_H

#include <stdbool.h>
#include "solid/body.h"
#include "solid/sample.h"

/* A solid as contact sees it. */
typedef struct thing {
    const rheo_solid *def;
    const shape *shape;
    const body *body; /* NULL: static or keyed */
    bool endless;     /* no bounds: a plane or the outside of a container */
    shape_points points;
    double (*at)[3]; /* the points now, m */
    placement now;
    double middle[3];              /* of its bounds, now, m */
    double own_middle[3], half[3]; /* of its bounds in the scene file's place */
    double radius;                 /* m, of the ball about its middle that holds it */
} thing;

/* -1: no memory. spacing: of points, m. */
int thing_make(thing *t, const rheo_solid *def, const shape *s, const body *b, double spacing);
void thing_free(thing *t);
/* Where it is now, from its body or at `time`; keyed ones as fast as they go in the next dt. */
void thing_place(thing *t, double time, double dt);
/* How far a body reaches along each axis now, m; only where it has bounds. */
void thing_bounds(double lower[3], double upper[3], const thing *t);
double thing_distance(const thing *t, const double x[3]); /* negative in the solid */
void thing_velocity(double u[3], const thing *t, const double x[3]);
double thing_speed(const thing *t); /* of its fastest point, m/s */
double thing_sag(const thing *t);   /* m: how much nearer than its points its surface may be */

enum { SIDE_OF_DOMAIN = -6 }; /* in touch.b: SIDE_OF_DOMAIN + RHEO_LEFT ... */

typedef struct touch {
    int a, b;         /* things; b may be a side of the domain */
    double point[3];  /* m, half way */
    double normal[3]; /* out of b, into a; 0 when it was not asked for */
    double gap;       /* m, negative where they overlap */
    bool of_b;        /* the point was found on b's surface, else on a's */
} touch;

typedef struct touch_list {
    touch *item;
    int count, capacity;
    int failed; /* no memory */
} touch_list;

/* Points of a and b nearer than `reach` to the other; everything found is added. Farther than `near` no
 * normal is worked out. */
void touch_pair(touch_list *list, const thing *things, int a, int b, double reach, double near, double step);
void touch_side(touch_list *list, const thing *things, int a, int side, double place, double reach);
void touch_add(touch_list *list, const touch *t);
/* Of the items from `first` on, the deepest and then those farthest from the chosen ones, at most `most`, no
 * two in one place, to the front; the rest are dropped. Contacts that push in other directions count
 * as far: by up to twice `size`, m. */
void touch_choose(touch_list *list, int first, int most, double size);
/* Of the items from `first` on those nearer than `margin`, or that could be between their points, are chosen
 * from and put at their deepest; the others stay, to tell how far one may go. close: room for them. */
void touch_thin_out(touch_list *list, touch_list *close, const thing *things, int first, double margin,
                    double size);
/* Whether the items from `first` on push from more than one side: a body in a tube or between jaws. */
bool touch_surrounds(const touch_list *list, int first);
/* Slides a contact found on a smooth surface along it to where the gap is smallest. */
void touch_refine(touch *t, const thing *things);
#endif
