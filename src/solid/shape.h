/* Shapes of the scene compiled for fast questions: signed distance (negative inside), bounds, centre. */
#ifndef SOLID_SHAPE_H
#define SOLID_SHAPE_H

#include <stddef.h>
#include <rheo/scene.h>

typedef struct shape shape;
struct moments;

/* Reads meshes, folds transforms. The report names the file and what is wrong with it. */
rheo_status shape_make(shape **s, const rheo_shape *def, rheo_report *report);
/* The same for a plane scene (dim 2): z of the shape and of every point asked about is ignored. A box needs
 * no extent in z, a sphere is a disc, a mesh is cut through its centre. */
rheo_status shape_make_flat(shape **s, const rheo_shape *def, rheo_report *report);
void shape_free(shape *s);
int shape_is_flat(const shape *s);
int shape_is_sheet(const shape *s); /* a mesh that is marked thin: its triangles, not what they enclose */
/* Half sides and the turn of a box (columns of a row-major matrix are its axes), 0 when it is not one. */
int shape_as_box(double half[3], double axes[9], const shape *s);
/* Negative inside. Exact for primitives and meshes; for scaled shapes and CSG a bound with the exact zero
 * set. */
double shape_distance(const shape *s, const double x[3]);
void shape_bounds(double lower[3], double upper[3], const shape *s); /* infinite for planes */
/* Of a union only the parts that touch the one at x, by their bounds; the same as shape_bounds() of all else.
 */
void shape_part_bounds(double lower[3], double upper[3], const shape *s, const double x[3]);
double shape_reach(const shape *s);     /* m, half the diagonal of the bounds; sides without end count 0 */
size_t shape_triangles(const shape *s); /* of all its meshes */
int shape_primitives(const shape *s);   /* that it is combined of; 1: none but itself */
/* A ball of this radius about x holds the shape; infinite for planes. */
double shape_radius(const shape *s, const double x[3]);
void shape_centre(double centre[3], const shape *s); /* about which it scales, rotates and is keyed */

/* Volume, centroid and second moments where the scene file puts the shape. Exact for primitives under any
 * scale and for meshes; other combinations by quadrature, error below 1e-4 of the size. A flat shape is
 * `depth` deep in z. -1 for a shape without a finite inside. */
int shape_moments(struct moments *m, const shape *s, double depth);

/* Whether nothing is left of a difference or an intersection: no point of it is found at 2^-8 of its bounds
 * (2^-12 in the plane). 0 for one without bounds. */
int shape_is_empty(const shape *s);

/* What was put right in the meshes of a shape, in words: an empty text when nothing was. */
void shape_repairs(char *text, size_t size, const shape *s);

/* About which lines through its centre a shape is round: none, one along `axis` (of length 1), all. */
typedef enum roundness { NOT_ROUND, ROUND_AXIS, ROUND_BALL } roundness;
roundness shape_round(double axis[3], const shape *s);
int shape_is_ball(const shape *s); /* in 2D a disc */

/* A rigid motion of a shape from its place in the scene file: x -> centre_now + R (x - centre). */
typedef struct placement {
    double position[3];          /* m, of the centre now */
    double rotation[9];          /* row-major R */
    double velocity[3], spin[3]; /* m/s, rad/s */
    double orientation[4];       /* the same R as (w x y z) */
} placement;
/* Static: identity. Keyed: where its curves have it at `time`, with the velocity and the spin that lead to
 * where they have it dt later; dt 0: at that instant, on a key those of what follows. */
placement placement_of_solid(const rheo_solid *def, const shape *s, double time, double dt);
/* The most that a point of a keyed solid moves [m/s] in any segment of its keys from `from` to `to` (s). */
double placement_fastest(const rheo_solid *def, const shape *s, double from, double to);
double placement_distance(const placement *p, const shape *s, const double x[3]);
void placement_velocity(double u[3], const placement *p, const double x[3]);
#endif
