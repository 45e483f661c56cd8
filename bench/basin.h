/* A closed box of water with solids in it, filled in by hand: what the cases about bodies run. */
#ifndef BENCH_BASIN_H
#define BENCH_BASIN_H

#include <rheo/sim.h>

enum { BASIN_SOLIDS = 40, BASIN_PARTS = 8 };
#define BASIN_GRAVITY 9.81
#define BASIN_DENSITY 1000.0 /* kg/m3 */

typedef struct basin {
    rheo_scene scene; /* its pointers are set by basin_run() */
    rheo_fluid water;
    rheo_shape fill;
    rheo_solid solids[BASIN_SOLIDS];
} basin;

/* apic, `cells` along the longest side, water up to `level` [m]; everything may be changed before it runs. */
basin basin_make(int dim, double width, double height, double depth, int cells, double level);
/* A dynamic solid of `relative` times the water's density, or a static one when that is 0. */
rheo_solid *basin_add(basin *b, rheo_shape form, double relative);
rheo_status basin_run(rheo_sim **sim, basin *b, int threads, rheo_report *report);

rheo_shape basin_ball(double x, double y, double z, double radius);
rheo_shape basin_box(double x, double y, double z, double half_x, double half_y, double half_z);
rheo_shape basin_turned(rheo_shape form, double x, double y, double z, double degrees);

/* Where the surface crosses the vertical line at (x, z), m. */
double basin_level(const rheo_sim *sim, double x, double z);

/* A body's volume as points of a lattice that turns with it: asked for its distances once, not every frame.
 */
typedef struct basin_volume {
    int count;
    double spacing, (*point)[4]; /* m; from the body's centre in its own frame, and the share inside */
} basin_volume;

rheo_status basin_measure(basin_volume *v, const rheo_sim *sim, int solid, rheo_report *report);
void basin_volume_free(basin_volume *v);
/* The share of the volume that lies below `level`, of the body where it is now. */
double basin_submerged(const basin_volume *v, const rheo_sim *sim, int solid, double level);
#endif
