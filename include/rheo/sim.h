/* The running simulation: made from a scene, advanced by steps or frames, read between them. */
#ifndef RHEO_SIM_H
#define RHEO_SIM_H

#include <stddef.h>
#include <stdint.h>
#include <rheo/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rheo_sim rheo_sim;

typedef struct rheo_solve_stats {
    int64_t unknowns;
    int iterations;      /* the largest of the frame's steps */
    double residual;     /* |b - A x| / |b|, 2-norm, recomputed; the largest of the frame's steps */
    bool converged;      /* every step's solve */
    int closed_regions;  /* liquid without any air, the most in a step: its pressure is known up to a constant
                          */
    double incompatible; /* what closed regions were asked to swallow or give (a wall that squeezes them) and
                            cannot: taken out before the solve, relative to |b|, 1-norm, or to the flow that
                            walls push through their cells, whichever is more; the largest of a step */
    int rounds;          /* solver.separation: linear solves of a step, the most in one */
    int64_t separated;   /* cells where liquid was free to leave a wall in the last step */
    double violation;    /* of 0 <= p complementary to outflow >= 0, relative to |b|; the largest of a step */
} rheo_solve_stats;

typedef struct rheo_fluid_stats {
    int64_t particles;
    double mass, volume; /* kg, m3: what the particles carry; smoke: what has density 1, gas and soot */
    double centroid[3], lower[3], upper[3];
    double temperature; /* mean, degrees C; liquids, where heat is solved */
} rheo_fluid_stats;

typedef struct rheo_body_stats {
    double position[3], velocity[3], spin[3], orientation[4]; /* m, m/s, rad/s, (w x y z) */
    double temperature; /* degrees C; not a number where it takes no heat */
} rheo_body_stats;

/* What liquid does to a solid, by pressure and viscosity, at the end of the frame; about its centre. 2D: per
 * metre of depth. */
typedef struct rheo_solid_stats {
    double force[3], torque[3]; /* N, N m */
} rheo_solid_stats;

enum { RHEO_STAGES_MAX = 24, RHEO_FLUIDS_MAX = 16, RHEO_THREADS_MAX = 256 };
typedef struct rheo_stage_time {
    const char *name;
    double seconds;
} rheo_stage_time;

/* What became of particles: nothing leaves silently. */
typedef struct rheo_particle_counts {
    int64_t emitted;  /* since the start */
    int64_t outflow;  /* left through open walls, since the start */
    int64_t rescued;  /* moved out of solids, this frame */
    int64_t spray;    /* outside the liquid's surface now, flying on their own */
    int64_t rejected; /* seeds that would have started inside a solid, since the start */
    int64_t refused;  /* of emitters that feed a closed space which is full, this frame */
} rheo_particle_counts;

/* One frame, or what of it is done: sums and extremes run over the frame's steps where that makes sense, the
 * rest is the present state. The first step after a frame's end starts anew.
 *
 * 2D: masses, volumes, energies and momenta are those of a layer one cell deep; the heat of liquids, given
 * or missed, is of a metre of depth, as the power of sources is. */
typedef struct rheo_frame_stats {
    int frame; /* 0 is the initial state */
    double time;
    int steps;
    int64_t particles, liquid_cells;
    double volume, volume_drift; /* m3; relative to what was put in and not let out */
    double emitted, outflow;     /* m3 since the start: by emitters, through open sides */
    double divergence;           /* max |div u| in the liquid, 1/s, at the frame's end; 0 before */
    double speed; /* max |u| in the liquid, m/s: on faces of cells with particles; not of spray */
    double kinetic, potential, heat; /* J; heat: above the ambient temperature */
    double heat_missed;              /* J since the start: of sources of power without liquid in them */
    double surface_area;             /* m2, 0 until a surface was made */
    double temperature[2];           /* min, max, degrees C */
    rheo_particle_counts counts;
    int refusing;                       /* 1 + the first emitter with particles in counts.refused; 0: none */
    rheo_solve_stats pressure, density; /* density: the volume-keeping solve */
    rheo_solve_stats viscosity;         /* unknowns 0: none is solved */
    rheo_solve_stats stress;            /* sph with elasticity; unknowns 0: none */
    double elastic;                     /* J, sph: what stress has stored */
    double compression[2]; /* sph: mean and largest of density above rest, relative; the worst step's */
    double momentum[3], angular_momentum[3]; /* sph: kg m/s, kg m2/s about the origin */
    rheo_fluid_stats fluids[RHEO_FLUIDS_MAX];
    int fluid_count;
    int body_count; /* keyed and dynamic solids: rheo_read_body() */
    rheo_stage_time stages[RHEO_STAGES_MAX];
    int stage_count;
    double seconds; /* total */
    size_t memory;  /* bytes held by the simulation */
} rheo_frame_stats;

/* threads: 1 to RHEO_THREADS_MAX, or 0: as many as the machine has; others are RHEO_USAGE. The result does
 * not depend on it. */
RHEO_API rheo_status rheo_create_sim(rheo_sim **sim, const rheo_scene *scene, int threads,
                                     rheo_report *report);
/* The simulation of a scene file, or of a built-in scene by its name, on all threads that the machine has. */
RHEO_API rheo_status rheo_open_sim(rheo_sim **sim, const char *file_or_name, rheo_report *report);
RHEO_API void rheo_free_sim(rheo_sim *sim);
RHEO_API int rheo_count_threads(const rheo_sim *sim); /* that work on it */
/* `begun` is called as each stage of a step begins, on the thread that steps, with the time of the step's
 * start; it may not touch the simulation. NULL ends that. */
RHEO_API void rheo_watch_stages(rheo_sim *sim, void (*begun)(void *user, const char *stage, double time),
                                void *user);

/* To the end of the next frame. `cancel` may be NULL; it is looked at between steps, and a set flag ends the
 * call with RHEO_INTERRUPTED after the step under way (the next call goes on to the same frame). `stats` may
 * be NULL; of an interrupted frame they tell what of it is done, as rheo_read_stats() does, and after any
 * other failure all are 0. */
RHEO_API rheo_status rheo_advance_frame(rheo_sim *sim, const volatile int *cancel, rheo_frame_stats *stats,
                                        rheo_report *report);
/* One step of at most dt_max seconds (0: the scene's own limits), never past the next frame. RHEO_USAGE, and
 * no step, where dt_max is negative or not a number. */
RHEO_API rheo_status rheo_advance_step(rheo_sim *sim, double dt_max, rheo_report *report);
RHEO_API void rheo_read_stats(rheo_frame_stats *stats, rheo_sim *sim);
/* The index-th solid of the scene file that is not static; all zero, and no name, from body_count on. */
RHEO_API void rheo_read_body(rheo_body_stats *body, const char **name, const rheo_sim *sim, int index);

/* The drawn surface of the present state; arrays are owned by the mesh. */
typedef struct rheo_mesh {
    size_t vertex_count, triangle_count;
    float *position; /* [vertex_count][3], m */
    float *normal;   /* [vertex_count][3], pointing out of the liquid */
    float *velocity; /* [vertex_count][3], m/s */
    uint32_t *triangle;
    float *rest; /* [vertex_count][3], m, where what is there began; NULL without output.rest_position */
    float *temperature; /* [vertex_count], degrees C; NULL where heat is not solved */
} rheo_mesh;
RHEO_API rheo_status rheo_make_mesh(rheo_mesh *mesh, rheo_sim *sim, rheo_report *report);
/* The part of it that is one fluid's, counted from 0: closed, and where fluids touch their meshes share
 * vertices. */
RHEO_API rheo_status rheo_make_fluid_mesh(rheo_mesh *mesh, rheo_sim *sim, int fluid, rheo_report *report);
RHEO_API void rheo_free_mesh(rheo_mesh *mesh);

/* Read-only look at the particles. Columns may be NULL in 2D (z). Positions are in cells from the domain's
 * corner. */
typedef struct rheo_particle_view {
    size_t count;
    const float *position[3]; /* cells */
    const float *velocity[3]; /* m/s */
    const float *rest[3];     /* m, where each began; NULL without output.rest_position */
    const uint32_t *id;
    const uint8_t *fluid;
    const uint8_t *spray;     /* 1: outside the surface, flies on its own */
    const float *temperature; /* degrees C; NULL where heat is not solved */
    const float *density;     /* relative to rest; NULL but for sph */
    double dx, origin[3];     /* m: position in metres = origin + dx * position */
    double radius;            /* m, of a sphere of the particle's own volume */
} rheo_particle_view;
/* What liquid did to a solid of the scene (counted from 0) in the last step of the frame. */
RHEO_API void rheo_read_solid(rheo_solid_stats *out, const rheo_sim *sim, int solid);

RHEO_API void rheo_view_particles(rheo_particle_view *view, const rheo_sim *sim);

/* Read-only look at smoke: cell (i, j, k) is at [i + j * row + k * plane]. NULL fields with other methods. */
typedef struct rheo_volume_view {
    int cells[3];
    ptrdiff_t row, plane;
    const float *density;     /* 1: as thick as it comes */
    const float *temperature; /* degrees C */
    const float *share;       /* of the cell outside solids; the others mean nothing where it is 0 */
    double dx, origin[3];     /* m */
} rheo_volume_view;
RHEO_API void rheo_view_volume(rheo_volume_view *view, const rheo_sim *sim);

/* Samples quantities of a probe at the present state: rows of x y z and one column a quantity (vectors
 * three). */
RHEO_API void rheo_sample_probe(double *rows, const rheo_sim *sim, const rheo_probe *probe);
RHEO_API int rheo_count_probe_columns(const rheo_probe *probe);

#ifdef __cplusplus
}
#endif
#endif
