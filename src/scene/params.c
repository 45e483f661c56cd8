/* The list of scene parameters: name, type, unit, range, default, destination and one line of help each.
 *
 * Ranges are those within which the numbers mean something physically and float fields still resolve them;
 * they are bounds against slips of the pen, not recommendations. */
#include "scene/params.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "grid/tree.h"

const char *const shape_names[] = {"box",  "sphere", "capsule",    "cylinder",     "torus", "plane",
                                   "mesh", "union",  "difference", "intersection", NULL};
const char *const side_names[] = {"left", "right", "bottom", "top", "back", "front", NULL};
const char *const method_names[] = {"flip",  "apic", "pic", "semi-lagrangian", "mac", "levelset",
                                    "smoke", "sph",  NULL};
static const char *const coupling_names[] = {"monolithic", "rigid-fluid", "solid-to-fluid", "fluid-to-solid",
                                             NULL};
static const char *const pressure_names[] = {"multigrid", "mic", NULL};
static const char *const advection_names[] = {"maccormack", "bfecc", "semi-lagrangian", NULL};
static const char *const surface_names[] = {"density", "average", "spheres", "pressure",
                                            "kernel",  "color",   NULL};
static const char *const wall_names[] = {"closed", "open", "periodic", NULL};
static const char *const viscosity_names[] = {"auto", "none", "laplacian", "full", "stokes", "tree", NULL};
static const char *const scheme_names[] = {"quadratic", "wang", NULL};
static const char *const mean_names[] = {"harmonic", "geometric", "arithmetic", NULL};
static const char *const viscous_surface_names[] = {"free", "held", NULL};
static const char *const slip_names[] = {"auto", "free", "no", NULL};
static const char *const kernel_names[] = {"wendland", "cubic", "poly6", "spiky", "viscosity", NULL};
static const char *const sph_pressure_names[] = {"projection", "state", "source", NULL};
static const char *const sph_integrator_names[] = {"leap-frog", "euler", "prediction-relaxation", NULL};
static const char *const sph_stress_names[] = {"corotational", "upper-convected", "fixed-axes", "newtonian",
                                               NULL};
static const char *const sph_tension_names[] = {"cohesion", "curvature", NULL};
static const char *const inside_names[] = {"solid", "fluid", NULL};
static const char *const motion_names[] = {"static", "keyed", "dynamic", NULL};
static const char *const look_names[] = {"auto", "matte", "glass", "hidden", NULL};
static const char *const fluid_look_names[] = {"auto",    "clear",       "glossy",    "matte", "translucent",
                                               "glowing", "temperature", "particles", NULL};
static const char *const paint_names[] = {"color", "speed", "density", "temperature", NULL};
static const char *const joint_names[] = {"ball", "hinge", "slider", "fixed", "motor", NULL};
static const char *const quantity_names[] = {"velocity", "pressure",  "temperature", "phi",
                                             "density",  "viscosity", NULL};

#define AT(type, field)  offsetof(type, field), sizeof(((type *)0)->field)
#define SCENE(field)     AT(rheo_scene, field)
#define FLUID(field)     AT(rheo_fluid, field)
#define EMITTER(field)   AT(rheo_emitter, field)
#define SOLID(field)     AT(rheo_solid, field)
#define INTERFACE(field) AT(rheo_interface, field)
#define JOINT(field)     AT(rheo_joint, field)
#define HEAT(field)      AT(rheo_heat_source, field)
#define PROBE(field)     AT(rheo_probe, field)
#define SHAPE(field)     AT(rheo_shape, field)
#define FAR              1e6     /* m: nothing lies beyond */
#define COLDEST          -273.15 /* degrees C */
#define NONE             0, 0, false

/* section, name, type, unit, low, high, above, required, default, destination, names, sub section, help */
const param scene_params[] = {
    {IN_SCENE, "title", P_TEXT, "", NONE, false, "", SCENE(title), NULL, 0,
     "what the scene shows, in a few words"},
    {IN_SCENE, "domain", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_DOMAIN,
     "the box in which everything happens"},
    {IN_SCENE, "time", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_TIME,
     "how long the simulation runs, and its time steps"},
    {IN_SCENE, "gravity", P_CURVE3, "m/s2", -1e4, 1e4, false, false, "[0, -9.81, 0]", SCENE(gravity), NULL, 0,
     "acceleration of everything; can be keyed"},
    {IN_SCENE, "solver", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_SOLVER,
     "how the equations are solved"},
    {IN_SCENE, "fluids", P_LIST, "", NONE, true, "", SCENE(fluids), NULL, IN_FLUID,
     "the liquids or the smoke, and where they start"},
    {IN_SCENE, "interfaces", P_LIST, "", NONE, false, "", SCENE(interfaces), NULL, IN_INTERFACE,
     "sph: what holds where two of the fluids touch"},
    {IN_SCENE, "emitters", P_LIST, "", NONE, false, "", SCENE(emitters), NULL, IN_EMITTER,
     "sources of liquid or smoke"},
    {IN_SCENE, "solids", P_LIST, "", NONE, false, "", SCENE(solids), NULL, IN_SOLID,
     "obstacles, containers and bodies"},
    {IN_SCENE, "joints", P_LIST, "", NONE, false, "", SCENE(joints), NULL, IN_JOINT,
     "connections between dynamic solids, or from one to the world"},
    {IN_SCENE, "heat", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_HEAT,
     "temperature of the air and of what heats: sources, sides, exchange"},
    {IN_SCENE, "probes", P_LIST, "", NONE, false, "", SCENE(probes), NULL, IN_PROBE,
     "points and lines on which to measure"},
    {IN_SCENE, "output", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_OUTPUT,
     "what is written for each frame"},
    {IN_SCENE, "camera", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_CAMERA, "the view of the pictures"},

    {IN_DOMAIN, "dim", P_INT, "", 2, 3, false, false, "3", SCENE(dim), NULL, 0,
     "3, or 2 for a scene in the x-y plane (third components are then ignored and may be left out)"},
    {IN_DOMAIN, "size", P_VECTOR, "m", 0, 1e4, true, false, "[1, 1, 1]", SCENE(size), NULL, 0,
     "side lengths of the domain; its low corner is the origin"},
    {IN_DOMAIN, "cells", P_INT, "", 4, 4096, false, false, "64", SCENE(cells), NULL, 0,
     "grid cells along the longest side"},
    {IN_DOMAIN, "walls", P_WALLS, "", NONE, false, "closed", SCENE(wall), wall_names, 0,
     "closed, open or periodic, for all sides or by side: { top: open, x: periodic }"},
    {IN_DOMAIN, "slip", P_SLIP, "m", 0, FAR, false, false, "auto", SCENE(slip), slip_names, 0,
     "of liquid along walls. free: it slides; no: it sticks; a length: the wall counts as that much farther "
     "away; auto: no where viscosity is solved, else free. Methods mac and sph know free and no"},

    {IN_TIME, "frames", P_INT, "", 1, 1e6, false, false, "120", SCENE(frames), NULL, 0,
     "number of frames to simulate"},
    {IN_TIME, "fps", P_REAL, "1/s", 1e-3, 1e5, false, false, "30", SCENE(fps), NULL, 0, "frames per second"},
    {IN_TIME, "cfl", P_REAL, "cells", 0.01, 20, false, false, "3", SCENE(cfl), NULL, 0,
     "how many cells liquid may travel in one step; volume suffers above 5. Surface waves keep steps below "
     "0.5 sqrt(dx / g) unless viscosity is solved that damps them"},
    {IN_TIME, "dt_max", P_REAL, "s", 0, 1e3, false, false, "0", SCENE(dt_max), NULL, 0,
     "longest step; 0: no limit"},

    {IN_SOLVER, "method", P_CHOICE, "", NONE, false, "flip", SCENE(method), method_names, 0,
     "how velocity is carried; sph: by particles alone; smoke: a gas that fills the domain. levelset is "
     "reserved for a later version"},
    {IN_SOLVER, "pressure", P_CHOICE, "", NONE, false, "multigrid", SCENE(pressure), pressure_names, 0,
     "preconditioner of the pressure solve"},
    {IN_SOLVER, "coupling", P_CHOICE, "", NONE, false, "monolithic", SCENE(coupling), coupling_names, 0,
     "how fluid and dynamic solids act on each other: both ways in one solve (monolithic), both ways with "
     "bodies treated as rigid liquid (rigid-fluid), or one way only"},
    {IN_SOLVER, "viscosity", P_CHOICE, "", NONE, false, "auto", SCENE(viscosity), viscosity_names, 0,
     "friction within liquids. none; full: the whole stress; laplacian: each component by itself, which "
     "holds "
     "free surfaces against turning; stokes: the whole stress together with pressure, for coiling and "
     "sagging; tree: full on cells that are larger inside the liquid; auto: none where it could not move "
     "momentum by half a cell in the run, else full"},
    {IN_SOLVER, "viscous_mean", P_CHOICE, "", NONE, false, "harmonic", SCENE(viscous_mean), mean_names, 0,
     "viscosity between cells that differ: harmonic lets the thinner liquid slide, arithmetic lets the "
     "thicker one hold"},
    {IN_SOLVER, "levels", P_INT, "", 2, TREE_LEVELS_MAX, false, false, "4", SCENE(viscous_levels), NULL, 0,
     "tree: sizes of cells, each twice as large as the one before"},
    {IN_SOLVER, "scheme", P_CHOICE, "", NONE, false, "quadratic", SCENE(viscous_scheme), scheme_names, 0,
     "tree: how stress is taken where sizes meet. quadratic: second order; wang: as published, first order, "
     "which brakes what turns"},
    {IN_SOLVER, "viscous_surface", P_CHOICE, "", NONE, false, "free", SCENE(viscous_held),
     viscous_surface_names, 0,
     "laplacian: whether the air takes no stress (free) or holds what is beside it (held)"},
    {IN_SOLVER, "tolerance", P_REAL, "", 1e-12, 0.1, false, false, "1e-6", SCENE(tolerance), NULL, 0,
     "relative residual at which the pressure solve stops (2-norm)"},
    {IN_SOLVER, "max_iterations", P_INT, "", 1, 1e5, false, false, "200", SCENE(max_iterations), NULL, 0,
     "iterations after which the pressure solve gives up"},
    {IN_SOLVER, "pic_blend", P_REAL, "", 0, 1, false, false, "0.05", SCENE(pic_blend), NULL, 0,
     "flip and apic: share of PIC mixed in per 1/30 s; more is calmer"},
    {IN_SOLVER, "volume_correction", P_BOOL, "", NONE, false, "true", SCENE(volume_correction), NULL, 0,
     "push clumped particles apart so that the volume stays constant"},
    {IN_SOLVER, "separation", P_BOOL, "", NONE, false, "false", SCENE(separation), NULL, 0,
     "let liquid leave solids and closed walls instead of being held there by suction; not with method mac"},
    {IN_SOLVER, "seed", P_INT, "", 0, 2147483647, false, false, "0", SCENE(seed), NULL, 0,
     "seed of the random particle positions within cells"},
    {IN_SOLVER, "advection", P_CHOICE, "", NONE, false, "bfecc", SCENE(advection), advection_names, 0,
     "smoke: how density, temperature and velocity are carried"},
    {IN_SOLVER, "confinement", P_REAL, "", 0, 10, false, false, "0", SCENE(confinement), NULL, 0,
     "smoke: vorticity confinement, in cells; 0: none, 0.1 to 0.5 keeps small eddies turning"},

    {IN_SOLVER, "sph", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_SPH,
     "sph: how particles are held apart"},

    {IN_SPH, "pressure", P_CHOICE, "", NONE, false, "projection", SCENE(sph.pressure), sph_pressure_names, 0,
     "projection: constant density and no divergence; state: an equation of state, compressible by a "
     "percent; source: one system with the density as its source, which clumps: to be compared with"},
    {IN_SPH, "integrator", P_CHOICE, "", NONE, false, "leap-frog", SCENE(sph.integrator),
     sph_integrator_names, 0, "of pressure: state; source always predicts and corrects"},
    {IN_SPH, "stress", P_CHOICE, "", NONE, false, "corotational", SCENE(sph.stress), sph_stress_names, 0,
     "law of fluids with an elasticity: corotational turns with the fluid, upper-convected is drawn along "
     "(Oldroyd-B; "
     "Giesekus with mobility), fixed-axes is corotational without its turn, to be compared with; newtonian: "
     "none"},
    {IN_SPH, "tension", P_CHOICE, "", NONE, false, "cohesion", SCENE(sph.tension), sph_tension_names, 0,
     "surface tension from cohesion of pairs, which keeps momentum and acts between fluids and on solids "
     "with "
     "adhesion, or from the curvature of the surface against air, which swings faster than cohesion lets it"},
    {IN_SPH, "kernel", P_CHOICE, "", NONE, false, "wendland", SCENE(sph.kernel), kernel_names, 0,
     "what a particle sees of its neighbours, within a cell"},
    {IN_SPH, "spacing", P_REAL, "m", 0, 1e4, false, false, "0", SCENE(sph.spacing), NULL, 0,
     "between particles, in place of domain.cells; 0: half a cell"},
    {IN_SPH, "density_error", P_REAL, "", 1e-6, 0.1, false, false, "5e-4", SCENE(sph.density_error), NULL, 0,
     "mean compression that a step may leave"},
    {IN_SPH, "jitter", P_REAL, "", 0, 1, false, false, "0", SCENE(sph.jitter), NULL, 0,
     "how far particles of the fill are moved off their lattice at random, in spacings"},
    {IN_SPH, "calm", P_REAL, "", 0, 100, false, false, "6", SCENE(sph.calm), NULL, 0,
     "how fast single particles among others calm down, in sqrt(gravity / spacing), unless viscosity does it "
     "faster; what is many spacings long does not; 0: not at all"},

    {IN_FLUID, "name", P_NAME, "", NONE, false, "", FLUID(name), NULL, 0,
     "used by emitters and in file names (default: the material)"},
    {IN_FLUID, "material", P_MATERIAL, "", NONE, false, "water", FLUID(material), NULL, 0,
     "one of `rheo materials`; the values below override its own"},
    {IN_FLUID, "density", P_REAL, "kg/m3", 1e-3, 1e5, false, false, "", FLUID(density), NULL, 0,
     "mass per volume (default: the material's)"},
    {IN_FLUID, "viscosity", P_VISCOSITY, "Pa s", 0, 1e9, false, false, "", FLUID(viscosity_keys), NULL, 0,
     "dynamic viscosity (default: the material's); can be keyed: what dries by itself; or { law: linear, "
     "quadratic or exponential, temperature: [[T0, v0], [T1, v1]] }: between two temperatures, constant "
     "outside them"},
    {IN_FLUID, "color", P_COLOR, "", 0, 1, false, false, "", FLUID(color), NULL, 0,
     "linear RGB: the share of light left after one metre; of opaque ones, sent back (default: the "
     "material's)"},
    {IN_FLUID, "look", P_CHOICE, "", NONE, false, "auto", FLUID(look), fluid_look_names, 0,
     "in pictures: clear bends light; glossy is opaque and wet, matte opaque and dull, translucent lets some "
     "light through; glowing: what is hot glows; temperature: a scale from blue to red; "
     "particles: balls, and output.particles with it; auto: as the material is"},
    {IN_FLUID, "paint", P_CHOICE, "", NONE, false, "color", FLUID(paint), paint_names, 0,
     "look: particles: what balls are coloured by; speed from 0 to that of a fall through half of the "
     "domain, "
     "density (sph) from 0.9 to 1.1 at rest, temperature over the scene's"},
    {IN_FLUID, "fill", P_SHAPES, "", NONE, false, "", FLUID(fill), NULL, 0,
     "list of shapes that are full of it at the start, or from a time on (at)"},
    {IN_FLUID, "velocity", P_VECTOR, "m/s", -1e4, 1e4, false, false, "[0, 0, 0]", FLUID(velocity), NULL, 0,
     "velocity of its fills when they appear"},
    {IN_FLUID, "surface_tension", P_REAL, "N/m", 0, 1e3, false, false, "0", FLUID(surface_tension), NULL, 0,
     "sph: surface tension"},
    {IN_FLUID, "elasticity", P_REAL, "Pa", 0, 1e9, false, false, "", FLUID(elasticity), NULL, 0,
     "sph: shear modulus; 0: none (default: the material's)"},
    {IN_FLUID, "relaxation_time", P_ENDLESS, "s", 0, RHEO_NEVER, true, false, "", FLUID(relaxation_time),
     NULL, 0, "sph: how fast elastic stress is forgotten; .inf: never (default: the material's)"},
    {IN_FLUID, "yield_stress", P_ENDLESS, "Pa", 0, RHEO_NEVER, true, false, "", FLUID(yield_stress), NULL, 0,
     "sph, corotational: only stress above it is forgotten, in Frobenius' norm (shear: 1.41 times as much); "
     ".inf: any stress is (default: the material's)"},
    {IN_FLUID, "mobility", P_REAL, "", 0, 1, false, false, "0", FLUID(mobility), NULL, 0,
     "sph, upper-convected: Giesekus' mobility: how much it thins in shear"},
    {IN_FLUID, "conductivity", P_REAL, "W/(m K)", 0, 1e5, false, false, "", FLUID(conductivity), NULL, 0,
     "liquid: heat conduction (default: the material's)"},
    {IN_FLUID, "heat_capacity", P_REAL, "J/(kg K)", 0, 1e6, false, false, "", FLUID(heat_capacity), NULL, 0,
     "liquid: heat that warms a kilogram by a kelvin (default: the material's)"},
    {IN_FLUID, "latent_heat", P_REAL, "J/kg", 0, 1e8, false, false, "0", FLUID(latent_heat), NULL, 0,
     "liquid: heat that melts a kilogram; needs melting"},
    {IN_FLUID, "melting", P_SPAN, "degrees C", COLDEST, 1e4, false, false, "", FLUID(melting), NULL, 0,
     "liquid: temperatures between which latent_heat is taken up, at least 0.001 apart"},
    {IN_FLUID, "temperature", P_REAL, "degrees C", COLDEST, 1e4, false, false, "20", FLUID(temperature), NULL,
     0, "initial temperature of the fill, and of what emitters bring in"},
    {IN_FLUID, "soot", P_REAL, "kg/m3", 0, 1e3, false, false, "0", FLUID(soot), NULL, 0,
     "smoke: how much heavier than clean air smoke of density 1 is; pulls it down"},
    {IN_FLUID, "expansion", P_REAL, "1/K", 0, 1, false, false, "0.00341", FLUID(expansion), NULL, 0,
     "smoke: relative loss of density per kelvin (default: 1/293, an ideal gas at 20 C)"},

    {IN_INTERFACE, "between", P_FLUIDS, "", NONE, true, "", INTERFACE(between), NULL, 0,
     "names of the two fluids"},
    {IN_INTERFACE, "tension", P_REAL, "N/m", -1, 1e3, false, false, "-1", INTERFACE(tension), NULL, 0,
     "interfacial tension, 0 and above; -1: the difference of both fluids' surface tensions (Antonow's "
     "rule)"},

    {IN_EMITTER, "fluid", P_FLUID, "", NONE, false, "", EMITTER(fluid), NULL, 0,
     "name of one of the fluids (default: the first)"},
    {IN_EMITTER, "shape", P_SHAPE, "", NONE, true, "", EMITTER(shape), NULL, 0,
     "the region that liquid or smoke comes out of"},
    {IN_EMITTER, "velocity", P_CURVE3, "m/s", -1e4, 1e4, false, false, "[0, 0, 0]", EMITTER(velocity), NULL,
     0, "velocity at which it comes out; can be keyed"},
    {IN_EMITTER, "during", P_SPAN, "s", 0, 1e9, false, false, "[0, 1e9]", EMITTER(during), NULL, 0,
     "when it runs"},
    {IN_EMITTER, "rate", P_CURVE1, "1/s", 0, 1e6, false, false, "", EMITTER(rate), NULL, 0,
     "smoke: density added per second (default, or 0: the shape is kept full); can be keyed"},
    {IN_EMITTER, "temperature", P_CURVE1, "degrees C", COLDEST, 1e4, false, false, "", EMITTER(temperature),
     NULL, 0, "temperature of what comes out (default: the fluid's); can be keyed"},

    {IN_SOLID, "name", P_NAME, "", NONE, false, "", SOLID(name), NULL, 0,
     "used in files and messages (default: solidN)"},
    {IN_SOLID, "shape", P_SHAPE, "", NONE, true, "", SOLID(shape), NULL, 0,
     "its shape, placed where it is at time 0"},
    {IN_SOLID, "inside", P_CHOICE, "", NONE, false, "solid", SOLID(inside_fluid), inside_names, 0,
     "fluid: a container, whose solid is everything outside this shape"},
    {IN_SOLID, "thin", P_BOOL, "", NONE, false, "false", SOLID(shape.thin), NULL, 0,
     "meshes: the solid is the surface itself, which may be open, not what it encloses"},
    {IN_SOLID, "thickness", P_REAL, "m", 0, FAR, false, false, "0", SOLID(shape.thickness), NULL, 0,
     "of a thin mesh, half on each side of the surface"},
    {IN_SOLID, "motion", P_CHOICE, "", NONE, false, "static", SOLID(motion), motion_names, 0,
     "static; keyed: moved by position and rotation (which imply it); dynamic: moved by gravity, contact and "
     "fluid"},
    {IN_SOLID, "position", P_CURVE3, "m", -FAR, FAR, false, false, "", SOLID(position), NULL, 0,
     "keyed: position of the shape's centre over time"},
    {IN_SOLID, "rotation", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_ROTATION,
     "keyed: rotation about an axis through the shape's centre"},
    {IN_SOLID, "density", P_REAL, "kg/m3", 1e-3, 1e5, false, false, "1000", SOLID(density), NULL, 0,
     "dynamic: mass per volume; material water has 998, so that what keeps the default sinks in it"},
    {IN_SOLID, "velocity", P_VECTOR, "m/s", -1e4, 1e4, false, false, "[0, 0, 0]", SOLID(velocity), NULL, 0,
     "dynamic: initial velocity of the centre of mass"},
    {IN_SOLID, "spin", P_VECTOR, "rad/s", -1e5, 1e5, false, false, "[0, 0, 0]", SOLID(spin), NULL, 0,
     "dynamic: initial angular velocity (in 2D only the third number counts)"},
    {IN_SOLID, "friction", P_REAL, "", 0, 100, false, false, "0.4", SOLID(friction), NULL, 0,
     "coefficient of sliding friction; two solids use the geometric mean of theirs, at a side of the domain "
     "the body uses its own"},
    {IN_SOLID, "static_friction", P_REAL, "", 0, 100, false, false, "0", SOLID(static_friction), NULL, 0,
     "coefficient of friction while contact does not slide; 0: the same as friction"},
    {IN_SOLID, "restitution", P_REAL, "", 0, 1, false, false, "0", SOLID(restitution), NULL, 0,
     "share of the approach speed that a bounce returns; the larger value of two solids counts"},
    {IN_SOLID, "slip", P_SLIP, "m", 0, FAR, false, false, "auto", SOLID(slip), slip_names, 0,
     "of viscous liquid along it, as domain.slip (auto: the domain's)"},
    {IN_SOLID, "temperature", P_CURVE1, "degrees C", COLDEST, 1e4, false, false, "", SOLID(temperature), NULL,
     0, "of liquid that touches it (default: it takes no heat); can be keyed"},
    {IN_SOLID, "heat_capacity", P_REAL, "J/(kg K)", 0, 1e6, false, false, "0", SOLID(heat_capacity), NULL, 0,
     "dynamic: what warms a kilogram of it by a kelvin; its temperature then follows from what it takes; 0: "
     "it is held at its temperature"},
    {IN_SOLID, "adhesion", P_REAL, "", 0, 10, false, false, "0", SOLID(adhesion), NULL, 0,
     "sph: how strongly fluid with surface tension is drawn to it, beside how it is to itself"},
    {IN_SOLID, "color", P_COLOR, "", 0, 1, false, false, "[0.55, 0.5, 0.45]", SOLID(color), NULL, 0,
     "linear RGB; for glass, a faint tint"},
    {IN_SOLID, "look", P_CHOICE, "", NONE, false, "auto", SOLID(look), look_names, 0,
     "in pictures: glass shows what a vessel contains and what lies behind it; hidden: not drawn, but there; "
     "auto: glass with inside: fluid, otherwise matte"},

    {IN_ROTATION, "axis", P_VECTOR, "", -FAR, FAR, false, false, "[0, 0, 1]", SOLID(rotation_axis), NULL, 0,
     "axis of rotation, any length; in 2D [0, 0, 1] or its opposite"},
    {IN_ROTATION, "degrees", P_CURVE1, "degrees", -1e9, 1e9, false, true, "", SOLID(rotation_degrees), NULL,
     0, "angle, measured from how the shape stands; can be keyed, also as { axis, keys }"},

    {IN_JOINT, "type", P_CHOICE, "", NONE, true, "", JOINT(kind), joint_names, 0,
     "ball: turns freely about the anchor; hinge: turns about the axis through the anchor; slider: moves "
     "along the axis; fixed: holds a and b together; motor: a driven hinge"},
    {IN_JOINT, "a", P_SOLID, "", NONE, true, "", JOINT(a), NULL, 0,
     "name of a solid; a or b must be dynamic, and contact between the two is switched off"},
    {IN_JOINT, "b", P_SOLID, "", NONE, false, "", JOINT(b), NULL, 0,
     "name of another solid, or world (default: world)"},
    {IN_JOINT, "anchor", P_VECTOR, "m", -FAR, FAR, false, false, "[0, 0, 0]", JOINT(anchor), NULL, 0,
     "where the joint is at time 0; not used by slider and fixed"},
    {IN_JOINT, "axis", P_VECTOR, "", -FAR, FAR, false, false, "[0, 0, 1]", JOINT(axis), NULL, 0,
     "axis of a hinge, motor or slider, any length; in 2D hinges turn about z"},
    {IN_JOINT, "limits", P_SPAN, "degrees or m", -1e9, 1e9, false, false, "[-1e9, 1e9]", JOINT(limits), NULL,
     0, "how far a may turn (within -180 to 180) or slide relative to b"},
    {IN_JOINT, "speed", P_CURVE1, "rad/s or m/s", -1e5, 1e5, false, false, "0", JOINT(speed), NULL, 0,
     "speed at which a turns or slides relative to b, as far as force allows; can be keyed"},
    {IN_JOINT, "force", P_REAL, "N m or N", 0, 1e12, false, false, "0", JOINT(force), NULL, 0,
     "largest torque or force used to reach the speed, driving or braking; 0: not driven"},

    {IN_HEAT, "ambient", P_REAL, "degrees C", COLDEST, 1e4, false, false, "20", SCENE(ambient), NULL, 0,
     "temperature of the air at the start and beyond open sides"},
    {IN_HEAT, "exchange", P_REAL, "W/(m2 K)", 0, 1e7, false, false, "0", SCENE(exchange), NULL, 0,
     "liquid: heat that goes from its surface to the air; 5 to 25 in still air"},
    {IN_HEAT, "speed", P_REAL, "", 0, 1e9, false, false, "1", SCENE(heat_speed), NULL, 0,
     "liquid: how many times as fast as it would be heat is conducted, exchanged and given: 10 cm of wax "
     "take "
     "a day to melt"},
    {IN_HEAT, "walls", P_SIDES, "degrees C", COLDEST, 1e4, false, false, "", SCENE(side_temperature), NULL, 0,
     "liquid: temperatures of sides of the domain, { bottom: 90 }; others are insulated; can be keyed"},
    {IN_HEAT, "sources", P_LIST, "", NONE, false, "", SCENE(heat_sources), NULL, IN_HEAT_SOURCE,
     "parts of the domain held at a temperature, or given a power"},
    {IN_HEAT_SOURCE, "shape", P_SHAPE, "", NONE, true, "", HEAT(shape), NULL, 0, "the part of the domain"},
    {IN_HEAT_SOURCE, "temperature", P_CURVE1, "degrees C", COLDEST, 1e4, false, false, "", HEAT(temperature),
     NULL, 0, "temperature at which it is held; can be keyed"},
    {IN_HEAT_SOURCE, "power", P_CURVE1, "W", -1e12, 1e12, false, false, "", HEAT(power), NULL, 0,
     "liquid: what the liquid in it is given, in all (2D: per metre of depth); can be keyed"},

    {IN_PROBE, "name", P_NAME, "", NONE, true, "", PROBE(name), NULL, 0, "name of the file, probes/NAME.csv"},
    {IN_PROBE, "from", P_VECTOR, "m", -FAR, FAR, false, true, "", PROBE(from), NULL, 0,
     "the point, or the start of the line"},
    {IN_PROBE, "to", P_VECTOR, "m", -FAR, FAR, false, false, "", PROBE(to), NULL, 0, "the end of the line"},
    {IN_PROBE, "samples", P_INT, "", 1, 1e6, false, false, "", PROBE(samples), NULL, 0,
     "points on the line, both ends included (default: 64 on a line, 1 at a point)"},
    {IN_PROBE, "of", P_SET, "", NONE, true, "", PROBE(of), quantity_names, 0,
     "list of quantities; phi: distance to the surface in m, negative inside, known within one cell (farther "
     "away: +-dx)"},

    {IN_OUTPUT, "mesh", P_BOOL, "", NONE, false, "true", SCENE(output_mesh), NULL, 0,
     "liquids: surface meshes (PLY)"},
    {IN_OUTPUT, "particles", P_BOOL, "", NONE, false, "false", SCENE(output_particles), NULL, 0,
     "particles (PLY)"},
    {IN_OUTPUT, "rest_position", P_BOOL, "", NONE, false, "false", SCENE(output_rest), NULL, 0,
     "liquids: particles and meshes carry where what they are made of began, rest_x rest_y rest_z, for "
     "textures that stick; what emitters bring began one behind the other"},
    {IN_OUTPUT, "volume", P_BOOL, "", NONE, false, "false", SCENE(output_volume), NULL, 0,
     "smoke: density and temperature (HDF5; default with method smoke: true)"},
    {IN_OUTPUT, "checkpoint_every", P_INT, "frames", 0, 1e6, false, false, "10", SCENE(checkpoint_every),
     NULL, 0, "how often the state is saved for --resume; 0: only at the end"},
    {IN_OUTPUT, "surface", P_CHOICE, "", NONE, false, "density", SCENE(surface), surface_names, 0,
     "how the drawn surface is made: half-full contour of particles' density on the grid; averaged spheres; "
     "their "
     "union; isosurface of pressure; iso-density of particles' kernels; of their colour field"},

    {IN_CAMERA, "eye", P_CURVE3, "m", -FAR, FAR, false, false, "", SCENE(camera_eye), NULL, 0,
     "position of the camera (default: in front of the domain); can be keyed"},
    {IN_CAMERA, "target", P_CURVE3, "m", -FAR, FAR, false, false, "", SCENE(camera_target), NULL, 0,
     "the point it looks at (default: the domain); can be keyed"},
    {IN_CAMERA, "fov", P_CURVE1, "degrees", 1, 160, false, false, "35", SCENE(camera_fov), NULL, 0,
     "vertical field of view; can be keyed"},

    {IN_BOX, "min", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(a), NULL, 0, "low corner"},
    {IN_BOX, "max", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(b), NULL, 0, "high corner"},
    {IN_SPHERE, "center", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(a), NULL, 0, "centre"},
    {IN_SPHERE, "radius", P_REAL, "m", 0, FAR, true, true, "", SHAPE(radius), NULL, 0, "radius"},
    {IN_CAPSULE, "from", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(a), NULL, 0, "centre of one cap"},
    {IN_CAPSULE, "to", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(b), NULL, 0,
     "centre of the other cap"},
    {IN_CAPSULE, "radius", P_REAL, "m", 0, FAR, true, true, "", SHAPE(radius), NULL, 0, "radius"},
    {IN_CYLINDER, "from", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(a), NULL, 0, "centre of one end"},
    {IN_CYLINDER, "to", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(b), NULL, 0,
     "centre of the other end"},
    {IN_CYLINDER, "radius", P_REAL, "m", 0, FAR, true, true, "", SHAPE(radius), NULL, 0, "radius"},
    {IN_TORUS, "center", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(a), NULL, 0, "centre"},
    {IN_TORUS, "axis", P_VECTOR, "", -FAR, FAR, false, false, "[0, 1, 0]", SHAPE(b), NULL, 0,
     "axis, any length"},
    {IN_TORUS, "radius", P_REAL, "m", 0, FAR, true, true, "", SHAPE(radius), NULL, 0, "radius of the ring"},
    {IN_TORUS, "tube", P_REAL, "m", 0, FAR, true, true, "", SHAPE(tube), NULL, 0, "radius of the tube"},
    {IN_PLANE, "point", P_VECTOR, "m", -FAR, FAR, false, true, "", SHAPE(a), NULL, 0, "a point on it"},
    {IN_PLANE, "normal", P_VECTOR, "", -FAR, FAR, false, true, "", SHAPE(b), NULL, 0,
     "points outwards, any length; inside is everything behind the plane"},
    {IN_MESH, "file", P_TEXT, "", NONE, true, "", SHAPE(file), NULL, 0,
     "OBJ, PLY or STL, closed unless thin; a relative path starts at the scene file"},
    {IN_MESH, "scale", P_REAL, "", 0, FAR, true, false, "1", SHAPE(file_scale), NULL, 0,
     "metres per unit of the file"},

    {IN_PLACEMENT, "scale", P_SCALE, "", 0, FAR, true, false, "[1, 1, 1]", SHAPE(scale), NULL, 0,
     "one factor, or one per axis, about the shape's centre; applied first"},
    {IN_PLACEMENT, "rotate", P_SECTION, "", NONE, false, "", 0, 0, NULL, IN_ROTATE,
     "rotation about the shape's centre; applied second"},
    {IN_PLACEMENT, "move", P_VECTOR, "m", -FAR, FAR, false, false, "[0, 0, 0]", SHAPE(move), NULL, 0,
     "displacement; applied third"},
    {IN_ROTATE, "axis", P_VECTOR, "", -FAR, FAR, false, false, "[0, 0, 1]", SHAPE(rotate_axis), NULL, 0,
     "axis of rotation, any length; in 2D [0, 0, 1] or its opposite, except for meshes and tori"},
    {IN_ROTATE, "degrees", P_REAL, "degrees", -1e9, 1e9, false, true, "", SHAPE(rotate_degrees), NULL, 0,
     "angle"},
    {IN_APPEARANCE, "at", P_REAL, "s", 0, 1e9, false, false, "0", SHAPE(at), NULL, 0,
     "when the fill appears, where nothing else is by then; not with method smoke"},
};
const int scene_param_count = (int)(sizeof scene_params / sizeof *scene_params);

const char *section_name(section s) {
    static const char *const names[SECTIONS] = {[IN_SCENE] = "scene",
                                                [IN_DOMAIN] = "domain",
                                                [IN_TIME] = "time",
                                                [IN_SOLVER] = "solver",
                                                [IN_SPH] = "solver.sph",
                                                [IN_FLUID] = "fluids[]",
                                                [IN_INTERFACE] = "interfaces[]",
                                                [IN_EMITTER] = "emitters[]",
                                                [IN_SOLID] = "solids[]",
                                                [IN_ROTATION] = "solids[].rotation",
                                                [IN_JOINT] = "joints[]",
                                                [IN_HEAT] = "heat",
                                                [IN_HEAT_SOURCE] = "heat.sources[]",
                                                [IN_PROBE] = "probes[]",
                                                [IN_OUTPUT] = "output",
                                                [IN_CAMERA] = "camera",
                                                [IN_BOX] = "box",
                                                [IN_SPHERE] = "sphere",
                                                [IN_CAPSULE] = "capsule",
                                                [IN_CYLINDER] = "cylinder",
                                                [IN_TORUS] = "torus",
                                                [IN_PLANE] = "plane",
                                                [IN_MESH] = "mesh",
                                                [IN_PLACEMENT] = "beside any shape",
                                                [IN_ROTATE] = "rotate",
                                                [IN_APPEARANCE] = "beside a fill's shape"};
    return names[s];
}

static void fill_vector(double *into, const char *text, int width) {
    char *end;
    for (int c = 0; c < width; ++c) {
        text += strspn(text, "[, ");
        into[c] = strtod(text, &end);
        text = end;
    }
}

static int index_of(const char *word, const char *const *names) {
    for (int i = 0; names[i]; ++i)
        if (strcmp(word, names[i]) == 0) return i;
    return 0;
}

static void fill_default(char *into, const param *p) {
    switch (p->type) {
    case P_INT: *(int *)(void *)into = (int)strtol(p->standard, NULL, 10); break;
    case P_ENDLESS:
    case P_REAL: *(double *)(void *)into = strtod(p->standard, NULL); break;
    case P_BOOL: *(bool *)into = strcmp(p->standard, "true") == 0; break;
    case P_SLIP: *(double *)(void *)into = RHEO_SLIP_AUTO; break;
    case P_VECTOR:
    case P_COLOR:
    case P_SCALE: fill_vector((double *)(void *)into, p->standard, 3); break;
    case P_SPAN: fill_vector((double *)(void *)into, p->standard, 2); break;
    case P_CHOICE:
        if (p->size == sizeof(bool)) *(bool *)into = index_of(p->standard, p->names) != 0;
        else *(int *)(void *)into = index_of(p->standard, p->names);
        break;
    default: break; /* texts, curves, shapes and lists start empty */
    }
}

void params_fill_defaults(void *into, section in) {
    for (int i = 0; i < scene_param_count; ++i) {
        const param *p = &scene_params[i];
        if (p->in != in) continue;
        if (p->type == P_SECTION) params_fill_defaults(into, p->sub);
        else if (p->standard[0]) fill_default((char *)into + p->offset, p);
    }
}

bool param_is_later(const param *p, const char *name) {
    static const struct {
        const char *row, *name;
    } later[] = {
        {"method", "levelset"},
    };
    for (size_t i = 0; i < sizeof later / sizeof *later; ++i)
        if (!strcmp(later[i].row, p->name) && !strcmp(later[i].name, name)) return true;
    return false;
}

static void join_names(char *text, size_t size, const param *p) {
    size_t length = strlen(text);
    const char *comma = "";
    for (int i = 0; p->names[i] && length < size; ++i) {
        if (param_is_later(p, p->names[i])) continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s", comma, p->names[i]);
        comma = ", ";
    }
}

/* As one writes it in a scene file: 1e6, not 1e+06; whole numbers in full. */
static void number_text(char *text, size_t size, double value, bool whole) {
    const double power = fabs(value) >= FAR ? round(log10(fabs(value))) : 0;
    if (power > 0 && !whole && fabs(value) == pow(10, power))
        snprintf(text, size, "%s1e%.0f", value < 0 ? "-" : "", power);
    else snprintf(text, size, "%.10g", value);
}

static void range_text(char *text, size_t size, const param *p) {
    char low[32], high[32];
    number_text(low, sizeof low, p->low, p->type == P_INT);
    number_text(high, sizeof high, p->high, p->type == P_INT);
    snprintf(text, size, "%s%s to %s", p->above ? "above " : "", low, high);
}

void param_allowed(char *text, size_t size, const param *p) {
    char range[80], unit[32] = "";
    range_text(range, sizeof range, p);
    if (p->unit[0]) snprintf(unit, sizeof unit, " [%s]", p->unit);
    text[0] = '\0';
    switch (p->type) {
    case P_SECTION: snprintf(text, size, "a map"); break;
    case P_LIST: snprintf(text, size, "a list of maps"); break;
    case P_INT: snprintf(text, size, "a whole number%s, %s", unit, range); break;
    case P_REAL: snprintf(text, size, "a number%s, %s", unit, range); break;
    case P_ENDLESS:
        snprintf(text, size, "a number%s, %s0, or .inf", unit, p->above ? "above " : "from ");
        break;
    case P_BOOL: snprintf(text, size, "true or false"); break;
    case P_TEXT: snprintf(text, size, "a text"); break;
    case P_NAME:
        snprintf(text, size, "a name of at most 60 letters a to z or A to Z, digits, '-' and '_'");
        break;
    case P_COLOR: snprintf(text, size, "[red, green, blue], each %s", range); break;
    case P_VECTOR: snprintf(text, size, "[x, y, z]%s, each %s", unit, range); break;
    case P_SCALE: snprintf(text, size, "a number or [x, y, z], each %s", range); break;
    case P_SPAN: snprintf(text, size, "[from, to]%s, %s, from before to", unit, range); break;
    case P_CURVE1:
        snprintf(text, size, "a number%s, %s, or { keys: [[time, value], ...] } with rising times", unit,
                 range);
        break;
    case P_CURVE3:
        snprintf(text, size, "[x, y, z]%s, each %s, or { keys: [[time, [x, y, z]], ...] } with rising times",
                 unit, range);
        break;
    case P_SHAPE:
        snprintf(text, size, "a shape, for example { sphere: { center: [x, y, z], radius: r } }");
        break;
    case P_SHAPES:
        snprintf(text, size, "a list of shapes, for example [ { box: { min: [..], max: [..] } } ]");
        break;
    case P_VISCOSITY:
        snprintf(text, size,
                 "a number%s, %s, { keys: [[time, value], ...] } with rising times, or { law: linear | "
                 "quadratic | exponential, temperature: [[T0, v0], [T1, v1]] } with rising temperatures",
                 unit, range);
        break;
    case P_SIDES:
        snprintf(text, size,
                 "by side, { bottom: 90 }, each a number%s, %s, or { keys: [[time, value], ...] }", unit,
                 range);
        break;
    case P_WALLS:
        snprintf(text, size, "closed, open or periodic, or by side: { top: open, x: periodic }");
        break;
    case P_SLIP: snprintf(text, size, "auto, free, no, or a slip length%s, %s", unit, range); break;
    case P_MATERIAL: snprintf(text, size, "one of `rheo materials`"); break;
    case P_FLUID: snprintf(text, size, "the name of one of the fluids"); break;
    case P_FLUIDS: snprintf(text, size, "[name, name] of two of the fluids"); break;
    case P_SOLID: snprintf(text, size, "the name of one of the solids, or world"); break;
    case P_LATER: snprintf(text, size, "leave it out: not in this version"); break;
    case P_SET:
        snprintf(text, size, "a list of: ");
        join_names(text, size, p);
        break;
    case P_CHOICE: join_names(text, size, p); break;
    }
}
