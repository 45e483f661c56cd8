/* A scene as plain data: what a scene file holds after reading, what a program can fill in by hand.
 *
 * SI units, Y up (in 2D: x and y, the third component is ignored). Pointers are owned by the scene's maker;
 * rheo_free_scene() frees what rheo_load_scene() made. Start from rheo_default_scene(). */
#ifndef RHEO_SCENE_H
#define RHEO_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <rheo/material.h>
#include <rheo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number or vector that may change in time: linear between keys, constant outside them. */
typedef struct rheo_curve {
    int count;            /* keys; 1 for a constant, 0 for "not given" */
    const double *times;  /* [count], s, strictly increasing; ignored when count == 1 */
    const double *values; /* [count][width] */
    int width;            /* 1 or 3 */
} rheo_curve;

RHEO_API void rheo_evaluate_curve(double *value, const rheo_curve *curve, double time);

typedef enum rheo_shape_kind {
    RHEO_SHAPE_BOX,      /* a = min, b = max */
    RHEO_SHAPE_SPHERE,   /* a = center, radius */
    RHEO_SHAPE_CAPSULE,  /* a = from, b = to, radius */
    RHEO_SHAPE_CYLINDER, /* a = from, b = to, radius */
    RHEO_SHAPE_TORUS,    /* a = center, b = axis, radius, tube */
    RHEO_SHAPE_PLANE,    /* a = point, b = normal; inside is the side the normal points away from */
    RHEO_SHAPE_MESH,     /* file (resolved to a path that opens), file_scale */
    RHEO_SHAPE_UNION,    /* children */
    RHEO_SHAPE_DIFFERENCE,
    RHEO_SHAPE_INTERSECTION,
} rheo_shape_kind;

typedef struct rheo_shape {
    rheo_shape_kind kind;
    double a[3], b[3];   /* m, see the kinds */
    double radius, tube; /* m */
    const char *file;
    double file_scale;
    bool thin;        /* mesh: its triangles are the solid, not what they enclose; it may be open */
    double thickness; /* m, of a thin mesh */
    const struct rheo_shape *children;
    int child_count;
    /* applied in this order about the shape's centre: scale, then rotate, then move */
    double scale[3];       /* 1 1 1 */
    double rotate_axis[3]; /* any length > 0 */
    double rotate_degrees;
    double move[3]; /* m */
    double at;      /* s, of a fill: when it appears; 0: it is there at the start */
    int line;       /* where it stands in the scene file, 0 if nowhere */
} rheo_shape;

typedef enum rheo_wall { RHEO_WALL_CLOSED, RHEO_WALL_OPEN, RHEO_WALL_PERIODIC } rheo_wall;
/* left right bottom top back front = -x +x -y +y -z +z */
enum { RHEO_LEFT, RHEO_RIGHT, RHEO_BOTTOM, RHEO_TOP, RHEO_BACK, RHEO_FRONT };

typedef enum rheo_method {
    RHEO_FLIP,
    RHEO_APIC,
    RHEO_PIC,
    RHEO_SEMI_LAGRANGIAN,
    RHEO_MAC,
    RHEO_LEVELSET, /* a name of the contract that this version refuses */
    RHEO_SMOKE,
    RHEO_SPH,
} rheo_method;

/* What a method makes of a scene: one row each, so that nobody need ask for a method by its name. */
typedef struct rheo_method_info {
    bool available;  /* in this version */
    bool gas;        /* its fluid fills the domain: amounts, temperatures and sources, and no surface */
    bool particles;  /* can be written */
    bool mesh;       /* of a surface */
    bool volume;     /* of densities in cells */
    bool viscosity;  /* is solved as solver.viscosity says, implicitly */
    bool shears;     /* viscosity of the first fluid is followed in explicit steps, and domain.slip: no */
    bool periodic;   /* sides may be */
    bool separation; /* liquid may leave walls */
    bool gridless;   /* particles alone: the keys of solver.sph, and fluids of densities of their own */
} rheo_method_info;
RHEO_API const rheo_method_info *rheo_describe_method(rheo_method method); /* never NULL */

typedef enum rheo_pressure_solver { RHEO_MULTIGRID, RHEO_MIC } rheo_pressure_solver;

/* how liquid and dynamic solids act on each other */
typedef enum rheo_coupling {
    RHEO_MONOLITHIC,     /* both ways, in one pressure solve */
    RHEO_RIGID_FLUID,    /* both ways, bodies as liquid held rigid */
    RHEO_SOLID_TO_FLUID, /* bodies push the liquid and do not feel it */
    RHEO_FLUID_TO_SOLID, /* the liquid pushes bodies and does not feel them */
} rheo_coupling;

/* what friction within liquids is solved as */
typedef enum rheo_viscosity {
    RHEO_VISCOSITY_AUTO, /* none where it could not move momentum by half a cell in the run, else full */
    RHEO_VISCOSITY_NONE,
    RHEO_VISCOSITY_LAPLACIAN, /* each component diffuses by itself (Carlson 2004) */
    RHEO_VISCOSITY_FULL,      /* the whole stress (Wang 2017) */
    RHEO_VISCOSITY_STOKES,    /* the whole stress together with pressure */
    RHEO_VISCOSITY_TREE,      /* the whole stress on cells that are larger inside the liquid (Wang 2017) */
} rheo_viscosity;

/* how stress is taken where cells of different sizes meet */
typedef enum rheo_tree_scheme {
    RHEO_TREE_QUADRATIC, /* second order; liquid that turns goes on turning */
    RHEO_TREE_WANG,      /* as published: first order, and it brakes what turns (Wang 2017) */
} rheo_tree_scheme;

/* of the four cells around an edge */
typedef enum rheo_viscous_mean { RHEO_HARMONIC, RHEO_GEOMETRIC, RHEO_ARITHMETIC } rheo_viscous_mean;

/* Slip lengths in m: how much farther away a wall counts as being. 0: liquid sticks to it. */
#define RHEO_SLIP_AUTO (-1.0) /* sticks where viscosity is solved, else free; a solid: as the domain */
#define RHEO_SLIP_FREE ((double)1e30f) /* longer than anything */

/* how smoke carries density, temperature and velocity */
typedef enum rheo_advection {
    RHEO_ADVECT_MACCORMACK, /* second order, clamped to what it was interpolated from */
    RHEO_ADVECT_BFECC,      /* the same with the error carried along: a quarter of it is left (default) */
    RHEO_ADVECT_SEMI_LAGRANGIAN, /* first order: calm and blurred */
} rheo_advection;

/* where the drawn surface comes from */
typedef enum rheo_surface {
    RHEO_SURFACE_DENSITY,  /* half-full contour of the particles' own volume: keeps volume (default) */
    RHEO_SURFACE_AVERAGE,  /* Zhu-Bridson averaged spheres */
    RHEO_SURFACE_SPHERES,  /* union of spheres */
    RHEO_SURFACE_PRESSURE, /* isosurface of pressure (Sommer) */
    RHEO_SURFACE_KERNEL,   /* iso-density of particles' kernels (Mao) */
    RHEO_SURFACE_COLOR,    /* isosurface of a colour field (Clavet, Mao) */
} rheo_surface;

/* viscosity between two temperatures; constant outside them */
typedef enum rheo_viscosity_law {
    RHEO_LAW_NONE,
    RHEO_LAW_LINEAR,
    RHEO_LAW_QUADRATIC, /* flat at the hotter one */
    RHEO_LAW_EXPONENTIAL,
} rheo_viscosity_law;

/* what a smoothed particle sees of its neighbours (method sph) */
typedef enum rheo_sph_kernel {
    RHEO_SPH_WENDLAND,
    RHEO_SPH_CUBIC,
    RHEO_SPH_POLY6,
    RHEO_SPH_SPIKY,
    RHEO_SPH_VISCOSITY,
} rheo_sph_kernel;

/* what holds the particles of method sph apart */
typedef enum rheo_sph_pressure {
    RHEO_SPH_PROJECTION, /* two projections a step: constant density, no divergence */
    RHEO_SPH_STATE,      /* an equation of state: compressible by a percent, short steps */
    RHEO_SPH_SOURCE,     /* one Poisson system with the density as its source: clumps; to be compared with */
} rheo_sph_pressure;

/* how an equation of state moves particles */
typedef enum rheo_sph_integrator {
    RHEO_SPH_LEAP_FROG,             /* half a step, the forces there, half a step: second order */
    RHEO_SPH_EULER,                 /* velocities first, then places with them: first order */
    RHEO_SPH_PREDICTION_RELAXATION, /* places without pressure, which then moves them too: first order, calm
                                     */
} rheo_sph_integrator;

/* what fluids with an elasticity remember */
typedef enum rheo_sph_stress {
    RHEO_SPH_COROTATIONAL, /* stress that turns with the fluid (Mao 4-12); yields where yield_stress says */
    RHEO_SPH_CONVECTED,    /* stress that is drawn along: Oldroyd-B, with mobility Giesekus */
    RHEO_SPH_FIXED_AXES,   /* as corotational, but it does not turn: wrong, to be compared with */
    RHEO_SPH_NEWTONIAN,    /* nothing: their elasticity does not count */
} rheo_sph_stress;

/* what draws surfaces of method sph together */
typedef enum rheo_sph_tension {
    RHEO_SPH_COHESION,  /* of pairs: keeps momentum exactly, also between fluids */
    RHEO_SPH_CURVATURE, /* a force by the curvature of the surface against air */
} rheo_sph_tension;

/* how the particles of method sph are held apart */
typedef struct rheo_sph {
    rheo_sph_pressure pressure;
    rheo_sph_integrator integrator;
    rheo_sph_stress stress;
    rheo_sph_tension tension;
    rheo_sph_kernel kernel;
    double spacing;       /* m, between particles; 0: half a cell */
    double density_error; /* mean compression that a step may leave */
    double jitter;        /* of the fill, in spacings */
    double calm;          /* how fast single particles calm down, in sqrt(gravity / spacing) */
} rheo_sph;

typedef struct rheo_fluid {
    const char *name;
    const char *material;
    double density;            /* kg/m3 */
    double viscosity;          /* Pa s; the first where it is keyed */
    rheo_curve viscosity_keys; /* Pa s, width 1; not given: constant */
    double surface_tension;    /* N/m, sph */
    double elasticity;         /* Pa, sph: shear modulus; 0: none */
    double relaxation_time;    /* s, sph: in which it forgets; RHEO_NEVER and more: never */
    double yield_stress; /* Pa, sph: it forgets only what is more (Frobenius norm); RHEO_NEVER: all of it */
    double mobility;     /* sph, upper-convected: Giesekus' */
    rheo_viscosity_law law; /* other than NONE: the viscosity follows from the temperature */
    double law_temperature[2], law_viscosity[2]; /* degrees C, rising; Pa s */
    double temperature;                          /* degrees C, of the fill and of what emitters bring */
    double conductivity;                         /* W/(m K) */
    double heat_capacity;                        /* J/(kg K) */
    double latent_heat;                          /* J/kg; 0: none */
    double melting[2];                           /* degrees C: where that is taken up */
    double soot;                                 /* kg/m3, smoke: what density 1 weighs */
    double expansion;                            /* 1/K, smoke: how much lighter a degree makes it */
    const rheo_shape *fill;
    int fill_count;
    double velocity[3]; /* m/s, of its fills when they appear */
    double
        color[3]; /* linear RGB: clear ones, left of light after one metre of depth; opaque ones, sent back */
    rheo_fluid_look look;
    rheo_paint paint; /* of look: particles */
} rheo_fluid;

typedef struct rheo_emitter {
    int fluid; /* index */
    rheo_shape shape;
    rheo_curve velocity; /* m/s, width 3 */
    double during[2];    /* s */
    rheo_curve rate;     /* 1/s, smoke, width 1: density added per second; not given, or only 0: the shape is
                            kept full */
    rheo_curve temperature; /* degrees C, width 1; not given: the fluid's */
} rheo_emitter;

/* how pictures show a solid */
typedef enum rheo_look {
    RHEO_LOOK_AUTO,   /* glass with inside: fluid, else matte */
    RHEO_LOOK_MATTE,  /* opaque */
    RHEO_LOOK_GLASS,  /* clear, faintly of its color: what is in it and behind it is seen */
    RHEO_LOOK_HIDDEN, /* not drawn: the fluid is where it lets it be */
} rheo_look;

typedef enum rheo_motion { RHEO_STATIC, RHEO_KEYED, RHEO_DYNAMIC } rheo_motion;

typedef struct rheo_solid {
    const char *name;
    rheo_shape shape;
    bool inside_fluid; /* the solid is what lies outside the shape */
    rheo_motion motion;
    rheo_curve position;         /* keyed: where the shape's centre is, m, width 3 */
    rheo_curve rotation_degrees; /* keyed: about rotation_axis through the centre, width 1 */
    double rotation_axis[3];
    double density;         /* kg/m3, dynamic */
    double velocity[3];     /* m/s, dynamic, of the centre of mass at the start */
    double spin[3];         /* rad/s, dynamic, at the start */
    double friction;        /* of sliding contact */
    double static_friction; /* of contact that does not slide; 0: the same */
    double restitution;     /* share of the speed that a bounce keeps */
    double slip;            /* m, RHEO_SLIP_AUTO, RHEO_SLIP_FREE */
    rheo_curve temperature; /* degrees C, width 1; not given: it takes no heat */
    double heat_capacity;   /* J/(kg K), dynamic: its temperature is its own then; 0: it is held at it */
    double adhesion;        /* sph: how strongly fluids are drawn to it, beside themselves */
    double color[3];        /* linear RGB */
    rheo_look look;
} rheo_solid;

typedef enum rheo_joint_kind {
    RHEO_JOINT_BALL,   /* turns freely about the anchor */
    RHEO_JOINT_HINGE,  /* turns about the axis through the anchor */
    RHEO_JOINT_SLIDER, /* moves along the axis, without turning */
    RHEO_JOINT_FIXED,
    RHEO_JOINT_MOTOR, /* a hinge that is driven */
} rheo_joint_kind;

/* Holds a to b, or to the world. Motion counts as that of a relative to b, from where the scene file has
 * them. */
typedef struct rheo_joint {
    rheo_joint_kind kind;
    int a, b;         /* indices of solids, one of them dynamic; -1: the world */
    double anchor[3]; /* m, at time 0 */
    double axis[3];   /* any length > 0; 2D: hinges turn about z */
    double limits[2]; /* degrees, slider: m; from -1e9 to 1e9: none */
    rheo_curve speed; /* rad/s, slider: m/s; width 1; driven when force > 0 */
    double force;     /* N m, slider: N: the most that drives or brakes */
} rheo_joint;

/* A part of the domain that is held at a temperature, or (liquid) heated. */
typedef struct rheo_heat_source {
    rheo_shape shape;
    rheo_curve temperature; /* degrees C, width 1 */
    rheo_curve power;       /* W, width 1, of 2D a metre of depth; one of the two is given */
} rheo_heat_source;

enum {
    RHEO_OF_VELOCITY = 1,
    RHEO_OF_PRESSURE = 2,
    RHEO_OF_TEMPERATURE = 4,
    RHEO_OF_PHI = 8,
    RHEO_OF_DENSITY = 16,
    RHEO_OF_VISCOSITY = 32
};

#define RHEO_TENSION_AUTO (-1.0) /* the difference of both fluids' own (Antonow's rule) */

/* Where two fluids touch, sph. */
typedef struct rheo_interface {
    int between[2]; /* indices of fluids */
    double tension; /* N/m, RHEO_TENSION_AUTO */
} rheo_interface;

typedef struct rheo_probe {
    const char *name;
    double from[3], to[3]; /* m; a point has from == to and samples == 1 */
    int samples;
    unsigned of; /* RHEO_OF_... */
} rheo_probe;

typedef struct rheo_scene {
    const char *title;
    const char *source; /* the scene file's text, copied into the manifest; may be NULL */
    const char *file;   /* its name for messages; may be NULL */

    int dim;           /* 2 or 3 */
    double size[3];    /* m */
    int cells;         /* along the longest side */
    rheo_wall wall[6]; /* RHEO_LEFT ... */
    double slip;       /* m, RHEO_SLIP_AUTO, RHEO_SLIP_FREE */

    int frames;
    double fps;
    double cfl;    /* cells a step */
    double dt_max; /* s; 0: none */

    rheo_curve gravity; /* m/s2, width 3 */

    rheo_method method;
    rheo_pressure_solver pressure;
    rheo_coupling coupling;
    rheo_viscosity viscosity;
    rheo_viscous_mean viscous_mean;
    int viscous_levels; /* tree: sizes of cells */
    rheo_tree_scheme viscous_scheme;
    bool viscous_held; /* laplacian: the air holds the surface (Dirichlet) */
    double tolerance;  /* relative residual of the pressure solve, 2-norm */
    int max_iterations;
    double pic_blend; /* flip and apic: share of PIC mixed in per 1/30 s */
    rheo_surface surface;
    rheo_advection advection; /* smoke */
    double confinement;       /* smoke: strength of vorticity confinement; 0: none */
    bool separation;          /* liquid may leave walls: no suction */
    bool volume_correction;
    rheo_sph sph;
    unsigned seed;

    rheo_fluid *fluids;
    int fluid_count;
    rheo_interface *interfaces; /* of pairs that are not as their fluids say by themselves */
    int interface_count;
    rheo_emitter *emitters;
    int emitter_count;
    rheo_solid *solids;
    int solid_count;
    rheo_joint *joints;
    int joint_count;
    double ambient;                 /* degrees C, of the air around and at the start */
    double exchange;                /* W/(m2 K), of liquids with the air */
    double heat_speed;              /* how many times as fast as it would be heat moves in liquids */
    rheo_curve side_temperature[6]; /* degrees C, width 1, of liquids; not given: the side is insulated */
    rheo_heat_source *heat_sources;
    int heat_source_count;
    rheo_probe *probes;
    int probe_count;

    bool output_mesh, output_particles, output_volume;
    bool output_rest;     /* particles carry where they began, meshes what lies beside them carries */
    int checkpoint_every; /* frames; 0: only at the end */

    rheo_curve camera_eye, camera_target; /* m, width 3 */
    rheo_curve camera_fov;                /* degrees, vertical, width 1 */

    void *owner; /* of everything above when the scene was loaded; NULL for one filled by hand */
} rheo_scene;

RHEO_API rheo_scene rheo_default_scene(void);
RHEO_API rheo_shape rheo_default_shape(rheo_shape_kind kind); /* unscaled, unturned, unmoved */
RHEO_API rheo_fluid rheo_default_fluid(void);                 /* water, nowhere */
RHEO_API rheo_interface rheo_default_interface(void);         /* of fluid 0 with fluid 1 */
RHEO_API rheo_emitter rheo_default_emitter(void);
RHEO_API rheo_solid rheo_default_solid(void);
RHEO_API rheo_joint rheo_default_joint(void); /* a ball joint of solid 0 with the world */
RHEO_API rheo_heat_source rheo_default_heat_source(void);

/* Reads a scene file, or a built-in scene by its name. `set` holds "path=value" texts (may be NULL) that
 * replace or add values, for example "domain.cells=32". */
RHEO_API rheo_status rheo_load_scene(rheo_scene **scene, const char *file_or_name, const char *const *set,
                                     int set_count, rheo_report *report);
/* The same from a text in memory. Messages call it `name`; mesh files are looked for from the working
 * directory. */
RHEO_API rheo_status rheo_parse_scene(rheo_scene **scene, const char *text, size_t length, const char *name,
                                      rheo_report *report);
RHEO_API void rheo_free_scene(rheo_scene *scene);

/* Everything a scene filled by hand or loaded must satisfy: ranges, counts, combinations of methods. */
RHEO_API rheo_status rheo_validate_scene(const rheo_scene *scene, rheo_report *report);

/* What viscosity is solved as in a run of the scene: AUTO decided, NONE for methods that do not solve it. */
RHEO_API rheo_viscosity rheo_choose_viscosity(const rheo_scene *scene);

/* Whether the liquids of a run have temperatures of their own: something in the scene is warmer or colder
 * than the rest, or follows from temperature. False for smoke, which always has. */
RHEO_API bool rheo_solves_heat(const rheo_scene *scene);
/* Viscosity of a fluid [Pa s] at a temperature [degrees C] and a time [s]. */
RHEO_API double rheo_evaluate_viscosity(const rheo_fluid *fluid, double temperature, double time);

/* Adds the file, line and column to a report that has only a path in the scene ("solids[0].shape"), as those
 * of a running simulation do. Without a scene (NULL) it stays as it is. */
RHEO_API void rheo_place_report(rheo_report *report, const rheo_scene *scene);

/* The scenes that are built in, ended by a row whose name is NULL; `text` is the scene file. */
typedef struct rheo_builtin_scene {
    const char *name, *title, *text;
} rheo_builtin_scene;
RHEO_API const rheo_builtin_scene *rheo_list_scenes(void);

/* All keys of a scene file with units, ranges and defaults, as plain text or Markdown; returns the length as
 * snprintf does, `text` may be NULL when size is 0. */
RHEO_API int rheo_describe_scene_format(char *text, int size, bool markdown);

/* The one of `names` (ended by NULL) nearest to `word`, or NULL when none is near. */
RHEO_API const char *rheo_find_nearest_name(const char *word, const char *const *names);

#ifdef __cplusplus
}
#endif
#endif
