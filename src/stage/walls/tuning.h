/* Constants of walls, thin ones included, that are neither physics nor rounding. Each says its unit, its
 * reason, what it is tried with, and the value that does away with it: scripts/trial puts that in its place
 * and names the tests that fail (docs/decisions/0021-constants-on-trial.md). */
#ifndef STAGE_WALLS_TUNING_H
#define STAGE_WALLS_TUNING_H

/* ---- gaps between solids (meet*.c) ---- */

/* Cells. Narrower gaps are closed, all of their faces: some would fall below OPEN_MIN and others not, and
 * the cells between these hold a body as if it were glued. Contacts leave gaps of a hundredth, which are
 * no cracks. Trial: 0.0f; tests: stage_meet|sim_gap|sim_plug. Needed by: stage_meet. */
#define CRACK_GAP 0.005f
/* Cells from a face's middle. What is farther away is hardly ever nearest at a corner. Trial: 2.5; tests:
 * stage_meet|sim_gap. */
#define MEET_REACH 1.5

/* ---- films of water in gaps (film.c, meet_film.c) ---- */

/* Cells that water holds open where a face lies on another. Trial: 0.01f; tests:
 * stage_meet|sim_film|sim_plug. Needed by: stage_meet. */
#define FILM_GAP 0.05f
/* Cells. Gaps up to this lack particles, not water. Trial: 0.1f; tests: stage_meet|sim_film. Needed by:
 * sim_film. */
#define FILM_WIDE 1.4f
/* Cells that waters may differ in height by and be taken for one. Trial: 0.0; tests: sim_film|sim_plug. */
#define FILM_LEVEL 1.5
/* Cells of air or liquid beside a patch that say nothing. Trial: 0; tests: sim_film|sim_plug|sim_rest.
 * Needed by: sim_film. */
#define FILM_LITTLE 8
/* A film W cells wide flows W^2 / FILM_INERTIA times as easily as water: it keeps no velocity from step to
 * step, and as ordinary water would be a brake. It weighs as FILM_INERTIA / 12 cells then. Trial: 1000000;
 * tests: sim_film. Needed by: sim_film. */
#define FILM_INERTIA 96
/* The same beside a body thinner than a cell, which is hardly heavier than one. Trial: 1000000; tests:
 * sim_film|sim_thin. Needed by: sim_film. */
#define FILM_INERTIA_THIN 12
/* The most that a film's flow is eased, as a power of two: it is that many times a difference of
 * pressures, which are floats, and more shows as divergence. Trial: 20; tests: sim_film. */
#define FILM_MOBILITY_MOST 6

/* ---- faces (solids.c, constrain.c) ---- */

/* Share of a face. Less open ones are closed, in every stage alike. Trial: 1e-6f; tests:
 * stage_solids|sim_rest|sim_gap. */
#define OPEN_MIN 1e-3f
/* Cells from a solid. What no slip reads there, it reads from faces outside of the solid. Trial: 0.5f;
 * tests: sim_mac_no_slip|sim_smoke. Needed by: sim_mac_no_slip. */
#define STICK_DEPTH 1.5f

/* ---- particles at walls (boundary.c, squeeze.c) ---- */

/* Cells from a solid's surface at which a particle ends that was in it. Trial: 0.0f; tests:
 * stage_boundary|sim_rest. */
#define CLEARANCE 0.01f
/* Cells deep that a particle's straight way may lead through a solid: spray's, and liquid's, whose way is
 * curved. Trial: 1e9f; tests: stage_boundary|sim_thrown. Needed by: stage_boundary. */
#define PASS_SPRAY 0.25f
/* Trial: 1e9f; tests: stage_boundary|sim_bucket. Needed by: stage_boundary. */
#define PASS_LIQUID 0.45f
/* Cells. Shorter ways go through nothing; the least step along longer ones near a surface. Trial: 0.0f;
 * tests: stage_boundary. */
#define WAY_SHORT 0.5f
/* Trial: 0.05f; tests: stage_boundary. */
#define WAY_STEP_LEAST 0.25f
/* Cells that a film on a side is thick at most: one that fills its cell is liquid. Trial: 0.0f; tests:
 * stage_boundary|sim_thrown. Needed by: stage_boundary. */
#define THICKEST 1.0f
/* Cells from a solid's surface. A particle nearer to another solid than that is squeezed out of the gap,
 * by SQUEEZE_WAY cells. Trial: 0.0; tests: sim_film|sim_gap|sim_volume. Needed by: sim_gap. */
#define SQUEEZE_GAP 0.25
/* Trial: 0.1; tests: sim_film|sim_gap|sim_volume. Needed by: sim_gap. */
#define SQUEEZE_WAY 0.75

/* ---- walls thinner than a cell (thin/) ---- */

/* Cells that particles keep from thin walls. Trial: 1e-4; tests: stage_solids_thin|sim_thin. Needed by:
 * sim_thin. */
#define THIN_SKIN 0.02
/* Cells. Walls farther from a cell's centre do not cut it. Trial: 1.2; tests: stage_solids_thin|sim_thin. */
#define CUT_REACH 0.9
/* Cells that the middle of a cell keeps from a wall where it can: ways along a wall a skin away take more
 * steps than a march has. Trial: THIN_SKIN; tests: stage_solids_thin|sim_thin|sim_film|sim_pebbles. Needed
 * by: sim_film, sim_pebbles. */
#define KEPT_OFF 0.1
/* Cells. How far aside a wall is looked for beside a place in it, and how near it must be there, to tell a
 * wall from a rod. Trial: 0.0; tests: stage_solids_thin|sim_thin. */
#define SIDE_STEP 1.2
/* Trial: 1e9; tests: stage_solids_thin|sim_thin. */
#define SIDE_FOUND 0.25
/* Cells from a thin body. Farther cells are in no gap below it. Trial: 3.0; tests: sim_film. */
#define GAP_REACH 1.7
/* Cells. Boards are no thicker; along themselves they are. Trial: 0.0; tests: sim_film. Needed by:
 * sim_film. */
#define GAP_THICKEST 1.8
/* Of a normal's part along an axis. From it on a board lies across the axis, and cells below turn to the
 * gap. Trial: 2.0; tests: sim_film. Needed by: sim_film. */
#define GAP_ACROSS 0.7
/* Of a normal's part along an axis. Below it a closed face's wall slants, and its two sides have
 * velocities of their own. Trial: -1.0; tests: stage_solids_thin|sim_thin|sim_smoke_thin. Needed by:
 * sim_smoke_thin. */
#define FACE_ACROSS 0.999
/* Open share of a face in a wall. Narrower ones are closed. Trial: OPEN_MIN; tests:
 * stage_solids_thin|sim_thin|sim_smoke_thin. Needed by: sim_smoke_thin. */
#define SLIVER_IN_WALL 0.25f
#endif
