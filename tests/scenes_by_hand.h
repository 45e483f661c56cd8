/* Scenes filled by hand in C, so that a test says only what is its own; and what tests do with a simulation
 * and read from it, all by the public headers. What cannot be made or advanced fails the test. */
#ifndef TESTS_SCENES_BY_HAND_H
#define TESTS_SCENES_BY_HAND_H

#include <rheo/rheo.h>

/* ---- shapes ---- */

rheo_shape box_between(double x0, double y0, double z0, double x1, double y1, double z1);
rheo_shape box_about(const double middle[3], const double half[3]);
rheo_shape flat_box(double x0, double y0, double x1, double y1); /* from z = -1 to 2 */
rheo_shape ball_at(double x, double y, double z, double radius);
rheo_shape cylinder_between(const double from[3], const double to[3], double radius);
/* `form` turned about its centre by degrees about an axis */
rheo_shape turned(rheo_shape form, double x, double y, double z, double degrees);

/* ---- scenes ---- */

rheo_curve steady(const double *value);      /* a number that stays */
rheo_curve steady_vector(const double v[3]); /* three that stay */

enum { SETUP_FLUIDS = 2, SETUP_SOLIDS = 8, SETUP_JOINTS = 1 };

/* A scene and all that it points to: it must stay where it is. Everything may be changed before it starts. */
typedef struct setup {
    rheo_scene scene;
    double gravity[3]; /* m/s2 */
    rheo_fluid fluid[SETUP_FLUIDS];
    rheo_shape fill[SETUP_FLUIDS];
    rheo_solid solid[SETUP_SOLIDS];
    rheo_emitter emitter;
    double blow[3]; /* m/s: of the emitter */
    rheo_joint joint[SETUP_JOINTS];
} setup;

/* A closed unit box with water, or smoke of 1.2 kg/m3, that fills nothing yet; `cells` along its longest
 * side. */
void set_up(setup *t, rheo_method method, int dim, int cells);
void set_size(setup *t, double x, double y, double z);
/* What the first fluid fills at the start; a pool reaches from the floor to its level and to all sides. */
void fill_with(setup *t, rheo_shape form);
void fill_pool(setup *t, double level);
/* One more fluid like the first that fills a shape. */
rheo_fluid *add_fluid(setup *t, const char *name, rheo_shape fill);
/* One more solid: static; dynamic and of a density, kg/m3; keyed, through places (width 3) at times. */
rheo_solid *add_solid(setup *t, rheo_shape form);
rheo_solid *add_body(setup *t, rheo_shape form, double density);
rheo_solid *add_keyed(setup *t, rheo_shape form, int keys, const double *times, const double *places);
/* The emitter, which blows at a velocity, m/s. */
rheo_emitter *add_emitter(setup *t, rheo_shape form, double x, double y, double z);
rheo_joint *add_joint(setup *t, rheo_joint_kind kind);

/* ---- simulations ---- */

rheo_sim *start_sim(const rheo_scene *scene, int threads);
void step_sim(rheo_sim *sim, double dt);                /* 0: as long as the scene allows */
rheo_frame_stats run_frames(rheo_sim *sim, int frames); /* statistics of the last; 0: of now */
rheo_frame_stats stats_of(rheo_sim *sim);
double time_of(rheo_sim *sim); /* s */
rheo_body_stats body_of(const rheo_sim *sim, int index);
/* Kinetic energy, J, with the moments of inertia about the axes that the body has at the start. */
double kinetic_of(const rheo_body_stats *body, double mass, const double inertia[3]);
double probe_one(const rheo_sim *sim, unsigned quantity, double x, double y, double z); /* one number */
/* The component along an axis of the velocity on the face below cell (i, j, k) of that axis. */
double face_velocity(const rheo_sim *sim, int axis, int i, int j, int k);
/* m: where the highest surface is in the column of cell (i, ., k); NAN: there is none. */
double surface_height(const rheo_sim *sim, int i, int k);
#endif
