/* Constants of solids, bodies and contacts that are neither physics nor rounding. Each says its unit, its
 * reason, what it is tried with, and the value that does away with it: scripts/trial puts that in its place
 * and names the tests that fail (docs/decisions/0021-constants-on-trial.md). */
#ifndef SOLID_TUNING_H
#define SOLID_TUNING_H

/* ---- contacts ---- */

/* Cells. Nearer than this is touching, deeper than this is parted. Trial: 0.002; tests:
 * solid_contact|solid_pile|solid_joint. Needed by: solid_contact. */
#define WORLD_MARGIN 0.02
/* Cells between the points that contacts are looked for with. Trial: 1.0; tests: solid_contact|solid_pile. */
#define WORLD_SPACING 0.5
/* s: how soon what is too deep is parted. Trial: 1e3; tests: solid_contact|solid_pile|solid_joint. Needed
 * by: solid_contact, solid_joint. */
#define WORLD_PART_TIME 0.02
/* Cells in WORLD_PART_TIME: no faster is what is too deep parted. Trial: 1e6; tests:
 * solid_contact|solid_pile|solid_joint. */
#define PARTED_SPEED 0.25
/* Contacts of a pair, and how many times as many where a body is held from several sides. Trial: 64;
 * tests: solid_contact|solid_pile. Needed by: solid_contact. */
#define PAIR_CONTACTS 8
/* Trial: 1; tests: solid_contact|solid_pile|sim_plug. Needed by: sim_plug. */
#define SURROUNDED_TIMES 3
/* Contacts of two boxes. Trial: 64; tests: solid_contact|solid_pile. */
#define BOX_CONTACTS 8
/* Of a normal, across a cylinder's axis: it lies on its side. Trial: 2.0; tests: solid_contact. Needed by:
 * solid_contact. */
#define LIES_SIDEWAYS 0.5
/* Cosine between normals of what is flat. Trial: 2.0; tests: solid_contact. Needed by: solid_contact. */
#define FLAT_COSINE 0.999
/* Cosine between normals: contacts that differ by more are a body's in a tube or between jaws. Trial:
 * -2.0; tests: solid_contact|solid_pile|sim_plug. Needed by: sim_plug. */
#define SURROUNDED_COSINE 0.5
/* Of what joints leave of a contact's row: so much must be new, as contacts are many and alike. Trial:
 * 1e-9; tests: solid_joint|sim_joints|sim_light_bodies. */
#define INDEPENDENT_CONTACT 0.01

/* ---- the solve ---- */

/* Of what is too deep, or of a joint's error, at most so much is mended in one part of a step. Trial: 0.2;
 * tests: solid_contact|solid_pile|solid_joint|sim_joints. */
#define REPAIRED_MOST 0.8
/* Of static friction: the least friction that tells sliding from sticking. Trial: 0.0; tests:
 * solid_contact. */
#define STICK_LEAST 0.1
/* Times gravity's gain of a step: the slowest of bounces beyond a fall over the margin. Trial: 0.0; tests:
 * solid_contact|solid_pile. */
#define REST_FALLS 1.5
/* Of a contact row's own size: keeps redundant contacts solvable. Trial: 1e-12; tests:
 * solid_contact|solid_pile. Needed by: solid_contact. */
#define CONTACT_SOFT 1e-7
/* Of the fastest approach, or of what gravity gives in a step: with more left a solve is no solution, and
 * sweeps take its place. Trial: 1e9; tests: solid_contact|solid_pile. Needed by: solid_contact. */
#define UNSOLVED_SHARE 0.01
/* Rows of contacts and joints that Dantzig's method is asked to solve: beyond that its work is too much.
 * Trial: 0; tests: solid_contact|solid_pile. Needed by: solid_contact. */
#define ROWS_EXACT 240
/* Sweeps of ODE over contacts that are too many to solve exactly. Trial: 20; tests: solid_pile. */
#define QUICK_SWEEPS 80

/* ---- parts of a step ---- */

/* Parts of a step; then the rest goes in one. Trial: 1; tests: solid_contact|solid_joint. Needed by:
 * solid_joint. */
#define PARTS_MAX 400
/* Cells that an impact may sink in. Trial: 1e3; tests: solid_contact|solid_pile. Needed by: solid_contact,
 * solid_pile. */
#define PART_SINK 0.025
/* Cells along a surface in one part of a step. Trial: 1e3; tests: solid_contact|solid_pile. */
#define PART_SLIDE 0.15
/* rad that a jointed body may turn in one part. Trial: 1e3; tests: solid_joint. Needed by: solid_joint. */
#define PART_TURN 0.03
/* Cells around a hinge's axis, or a ball's centre, where nothing touches: contacts have no lever there.
 * Trial: 0.0; tests: solid_joint|sim_joints. */
#define PIN_RADIUS 0.05
/* Cells. Solids that are deeper in each other began so: an impact sinks in less. They are parted by a
 * shift that leaves no velocity. Trial: 1e3; tests: solid_contact|solid_pile. Needed by: solid_contact. */
#define OVERLAP_DEEP 0.05

/* ---- contacts and joints while liquid acts (docs/decisions/0020-contacts-that-let-go.md) ---- */

/* Of what gravity gives in a step: slower contacts are let go by world_constrain() alone. Trial: 0.0;
 * tests: sim_thrown|sim_joints|sim_small_bodies. */
#define RELEASE_SPEED 0.5
/* Sweeps over rows of joints: near enough to tell what leaves. Trial: 1; tests: sim_linked|sim_joints. */
#define JOINT_SWEEPS 40
/* Cells. How pressure, which is known by cells, turns what is smaller than this radius is not told. Trial:
 * 0.0; tests: sim_small_bodies|sim_pebbles. Needed by: sim_small_bodies. */
#define BODY_CRUMB 0.25

/* ---- which solids are thin ---- */

/* Cells across, of what is small in the plane. Trial: 0.0; tests: solid_thin|stage_solids_thin. */
#define SLIPS_FLAT 1.25
/* Sine of half the angle (23 degrees) from which on faces that meet are an edge and not a plate. Trial:
 * 0.0; tests: solid_thin. Needed by: solid_thin. */
#define THIN_EDGE 0.2
#endif
