/* Constants of the coupling that are neither physics nor rounding. Each says its unit, its reason, what it is
 * tried with, and the value that does away with it: scripts/trial puts that in its place and names the tests
 * that fail (docs/decisions/0021-constants-on-trial.md). */
#ifndef STAGE_COUPLING_TUNING_H
#define STAGE_COUPLING_TUNING_H

/* Share of a face. From it on a thin body is a wall to the face, with layers of liquid, and not a rod:
 * rods have liquid on all sides. Trial: 2.0; tests: sim_thin|sim_film|sim_floating|sim_small_bodies.
 * Needed by: sim_film, sim_small_bodies. */
#define THIN_WALL 0.999
/* Of gravity's length, along an axis. Films lie on walls across it; on steeper ones they run off. Trial:
 * 0.999; tests: sim_thin|sim_film. */
#define LAYER_STEEP 0.7
/* Cells. Where liquid over a body is deeper the grid shows it. Trial: 0.0; tests:
 * sim_thin|sim_film|sim_small_bodies. Needed by: sim_small_bodies. */
#define LAYER_DEEPEST 1.75
/* Cells above a wall at which it is looked along it: off its own surface. Trial: 0.0; tests: sim_thin. */
#define LAYER_ABOVE 0.03
/* Cells from a face that a layer above a turned cell may be thick. Trial: 1e3; tests: sim_film|sim_thin. */
#define LAYER_CLEAR 1.5
/* Of the body's radius, squared. Weight of a level without slope where only one side has a surface. Trial:
 * 1e-9; tests: sim_thin|sim_floating. */
#define LEVEL_STIFFNESS 0.1

/* Of all that a body closes. Where its two sides differ by less it is wet all around. Trial: 0.0; tests:
 * sim_couplings|sim_floating|stage_coupling. */
#define WET_AROUND 1e-3
/* The smallest part of the displaced excess that counts as mass; smaller ones are a force, or nothing. Of
 * linked bodies nearly all or none. Trial: 0.9; tests: sim_couplings|sim_light_bodies|sim_floating. */
#define EXCESS_LEAST 0.1
/* Trial: 0.1; tests: sim_linked|sim_joints. Needed by: sim_linked. */
#define EXCESS_LEAST_LINKED 0.9
/* Of the body's mass: what of it the excess leaves at least. Trial: 1e-6; tests:
 * sim_couplings|sim_light_bodies|sim_floating. Needed by: sim_couplings. */
#define EXCESS_LEAVES 0.5

/* Cells. Where a cell's middle lacks less of what its corners have on the mean, distances at its octants
 * come from these; else the body is asked: what a ball of five cells bends in one. Trial: 0.0; tests:
 * stage_coupling|sim_floating. */
#define LIFT_SMOOTH 0.05

/* Times what gravity gives in a step. The energy of a thin body may grow by so much where layers come, or
 * it would not start to fall. Trial: 1e9; tests: sim_thin|sim_pebbles|sim_small_bodies|sim_film. */
#define CAP_FALLS 2

/* Of the liquid's density. Below it the explicit exchange of bodies as liquid held rigid is unstable, and
 * they are moved otherwise (Carlson 2004, (84)). Trial: 0.0; tests: sim_couplings|sim_body_cases. Needed
 * by: sim_couplings. */
#define ULTRABUOYANT 0.45
#endif
