/* The lists behind `rheo reproduce` and `rheo bench`. */
#include <rheo/measure.h>

#include <stdbool.h>
#include <string.h>
#include "cases.h"
#include "core/report.h"

typedef struct entry {
    rheo_status (*run)(rows *out);
    bool setups; /* asks rows_wants of each, so that some can be chosen */
} entry;

static const rheo_case_name reproductions[] = {
    {"poisson-order", "second order of the projection with curved solids and a curved free surface"},
    {"hydrostatic", "liquid at rest stays at rest: the projection alone, and running tanks"},
    {"taylor-green", "a steady vortex in a closed square: order of the methods"},
    {"dam-break-front", "front of a collapsing column against Martin and Moyce 1952"},
    {"volume", "ten seconds of a dam break keep the volume of the water"},
    {"vortex-in-box", "a vortex in a box turned against the grid: cut cells against voxelised walls"},
    {"momentum", "a body and the liquid around it in a periodic box: momentum and energy of the projection"},
    {"wall-separation", "water thrown at a wall peels off; water at rest is left alone"},
    {"added-mass", "first acceleration of a sphere and a disc released in a full box"},
    {"buoyancy", "floating bodies displace their own mass; neutral ones stay where they are"},
    {"box-in-channel", "flow through gaps of half a cell beside a sinking box against gaps of two cells"},
    {"hourglass-plug", "a stopper in a closed tube carries the water above it and seals what is below"},
    {"tumbling-stones", "drafting, kissing, tumbling: the upper of two sinking stones arrives first"},
    {"contact", "stacks rest, balls roll, cones hold, nothing sinks in: dry, and with water around"},
    {"poiseuille", "viscous liquid runs down between walls that hold it"},
    {"couette", "a wall drags viscous liquid along another"},
    {"two-layer", "two liquids of different viscosity between such walls"},
    {"annular-couette", "a wheel turns viscous liquid in a round vessel"},
    {"viscous-disk", "a weightless disc of viscous liquid turns on"},
    {"ballistic", "a ball of viscous liquid flies as any other"},
    {"sag", "a block of stiff liquid sinks under its own weight, and stands"},
    {"stokes-drag", "a ball in slow flow inside a round vessel: its drag, and how fast it falls"},
    {"edge-mean", "a film runs down beside liquid that has set: means of viscosity"},
    {"explicit-limit", "steps a second that viscosity asks for, explicit and implicit"},
    {"fold", "a sheet of honey folds on a floor: reported"},
    {"coil", "a thread of honey winds itself up: reported"},
    {"buckling", "buckling sheets on the regular grid and on a tree: Wang's tables 4.1 and 4.2"},
    {"tree-viscosity", "viscosity on graded quadtrees: Wang's tables 4.3 to 4.8, and a second-order scheme"},
    {"tree-3d", "viscosity on graded octrees: order of both schemes"},
    {"slab-heat", "a slab heated from one side"},
    {"lod-order", "order in time of sweeps of conduction, one axis after the other"},
    {"contact-heat", "two liquids of different conductivity and capacity touch"},
    {"stefan", "a melting front against the exact one"},
    {"cooling", "a ball gives its heat to the air"},
    {"insulated", "warm liquid falls into cold liquid: heat is kept"},
    {"power", "a source of 500 W"},
    {"bath", "a hot body in a cold tank"},
    {"upwind-heat", "heat that liquid in flight carries, by `mac` and by particles"},
    {"melts", "bunny-melt: the head runs down, the tail stands"},
    {"sets", "candle: what ran down stands when it is cold"},
    {"sph-kernels", "kernels of particles: integrals and moments"},
    {"sph-hydrostatic", "particles at rest: speed, density, pressure"},
    {"sph-poiseuille", "particles between walls that they stick to, pulled along"},
    {"sph-couette", "particles between a wall at rest and one that moves"},
    {"sph-oscillating-drop", "a drop with surface tension: Rayleigh's frequency"},
    {"sph-float", "bodies that float among particles are as deep as they are heavy"},
    {"sph-front", "front of a collapsing column of particles, beside flip, against Martin and Moyce 1952"},
    {"sph-order", "a viscous vortex of particles: the error falls with the spacing"},
    {"sph-volume", "ten seconds of a dam break of particles: energy, height, leaks"},
    {"sph-integrators", "leap-frog, Euler, prediction and relaxation: order in time"},
    {"sph-source", "Mao's one-shot pressure beside projection and equation of state"},
    {"shear-startup", "stress of one particle in shear from rest, two laws"},
    {"spin", "stress of one particle that turns"},
    {"couette-startup", "a plate starts above a layer of Oldroyd-B's fluid"},
    {"sph-elastic-drop", "a swinging elastic drop: its frequency"},
    {NULL, NULL},
};
static const entry reproduction_runs[] = {{.run = reproduce_poisson_order},
                                          {.run = reproduce_hydrostatic, .setups = true},
                                          {.run = reproduce_taylor_green},
                                          {.run = reproduce_dam_break_front},
                                          {.run = reproduce_volume, .setups = true},
                                          {.run = reproduce_turned_box},
                                          {.run = reproduce_momentum},
                                          {.run = reproduce_wall_separation},
                                          {.run = reproduce_added_mass, .setups = true},
                                          {.run = reproduce_buoyancy, .setups = true},
                                          {.run = reproduce_gap},
                                          {.run = reproduce_plug, .setups = true},
                                          {.run = reproduce_stones},
                                          {.run = reproduce_contact, .setups = true},
                                          {.run = reproduce_poiseuille},
                                          {.run = reproduce_couette},
                                          {.run = reproduce_two_layer},
                                          {.run = reproduce_annular_couette},
                                          {.run = reproduce_viscous_disk},
                                          {.run = reproduce_ballistic},
                                          {.run = reproduce_sag},
                                          {.run = reproduce_stokes_drag},
                                          {.run = reproduce_edge_mean},
                                          {.run = reproduce_explicit_limit},
                                          {.run = reproduce_fold},
                                          {.run = reproduce_coil},
                                          {.run = reproduce_buckling},
                                          {.run = reproduce_tree_viscosity},
                                          {.run = reproduce_tree_3d},
                                          {.run = reproduce_slab_heat},
                                          {.run = reproduce_lod_order},
                                          {.run = reproduce_contact_heat},
                                          {.run = reproduce_stefan},
                                          {.run = reproduce_cooling},
                                          {.run = reproduce_insulated},
                                          {.run = reproduce_power},
                                          {.run = reproduce_bath},
                                          {.run = reproduce_upwind_heat},
                                          {.run = reproduce_melts},
                                          {.run = reproduce_sets},
                                          {.run = reproduce_sph_kernels},
                                          {.run = reproduce_sph_hydrostatic},
                                          {.run = reproduce_sph_poiseuille},
                                          {.run = reproduce_sph_couette},
                                          {.run = reproduce_sph_drop},
                                          {.run = reproduce_sph_float},
                                          {.run = reproduce_sph_front},
                                          {.run = reproduce_sph_order},
                                          {.run = reproduce_sph_volume},
                                          {.run = reproduce_sph_integrators},
                                          {.run = reproduce_sph_source},
                                          {.run = reproduce_shear_startup},
                                          {.run = reproduce_spin},
                                          {.run = reproduce_couette_startup},
                                          {.run = reproduce_sph_elastic_drop}};

static const rheo_case_name benches[] = {
    {"stream", "memory bandwidth: the STREAM triad on one thread and on all"},
    {"poisson", "pressure systems of 32 to 192 cells a side, beside hypre where it was found"},
    {"particles", "sort, transfers and motion of particles"},
    {"separation", "wall separation beside the plain pressure solve at 64 cells a side"},
    {"step", "whole steps of the dam break at 32 to 192 cells a side"},
    {"smoke", "frames of paddle-smoke at 40 and 80 cells along its length"},
    {"bodies", "what rigid bodies add to the pressure solve, frames of their scenes, cost a cell"},
    {"viscosity", "implicit viscosity of a ball in a round container, by multigrid and by Jacobi"},
    {"tree", "a viscous step on a graded tree beside the regular one"},
    {"heat", "what heat adds to a step at 64 cells a side, scenes of wax"},
    {"sph", "particles alone: neighbours, and steps of a dam of 50,000"},
    {NULL, NULL},
};
static const entry bench_runs[] = {
    {.run = bench_stream}, {.run = bench_poisson}, {.run = bench_particles}, {.run = bench_separation},
    {.run = bench_step},   {.run = bench_smoke},   {.run = bench_bodies},    {.run = bench_viscosity},
    {.run = bench_tree},   {.run = bench_heat},    {.run = bench_sph}};

const rheo_case_name *rheo_list_reproductions(void) {
    return reproductions;
}

const rheo_case_name *rheo_list_benches(void) {
    return benches;
}

static rheo_status no_such_setup(const rows *out, const char *name) {
    const char *names[SETUPS_MAX + 1] = {NULL};
    char allowed[sizeof out->report->allowed] = "part of one of: ";
    for (int i = 0; i < out->passed_over_count; ++i) {
        names[i] = out->passed_over[i];
        const size_t used = strlen(allowed);
        rows_format(allowed + used, sizeof allowed - used, "%s%s", i ? "; " : "", names[i]);
    }
    report_fail(out->report, RHEO_USAGE, allowed, "no set-up of '%s' has '%.80s' in its name", name,
                out->only);
    const char *nearest = report_nearest(out->only, names);
    if (nearest && out->report) rows_format(out->report->nearest, sizeof out->report->nearest, "%s", nearest);
    return RHEO_USAGE;
}

static rheo_status run_named(rows *out, const rheo_case_name *list, const entry *runs, const char *name) {
    bool found = false;
    for (int i = 0; list[i].name; ++i) {
        if (name && strcmp(name, list[i].name) != 0) continue;
        if (found) rows_title(out, "%s", "");
        found = true;
        if (out->only && !runs[i].setups)
            return report_fail(out->report, RHEO_USAGE, "one of the cases with several set-ups",
                               "'%s' has no set-ups to choose from", list[i].name);
        rows_title(out, "%s: %s", list[i].name, list[i].help);
        const rheo_status status = runs[i].run(out);
        if (status) return status;
        if (out->only && !out->chosen) return no_such_setup(out, list[i].name);
    }
    if (found) return RHEO_OK;
    return report_fail(out->report, RHEO_USAGE, "one of the names that the list shows", "'%s' is not known",
                       name);
}

rheo_status rheo_reproduce(int *passed, int *failed, const char *name, const char *only, int threads,
                           int json, void (*print)(void *user, const char *line), void *user,
                           rheo_report *report) {
    rows out = {.threads = threads, .json = json, .print = print, .user = user, .report = report};
    out.only = only;
    if (only && !name)
        return report_fail(report, RHEO_USAGE, "the name of a case", "set-ups are chosen of one case");
    const rheo_status status = run_named(&out, reproductions, reproduction_runs, name);
    if (passed) *passed = out.passed;
    if (failed) *failed = out.failed;
    return status;
}

rheo_status rheo_bench(const char *name, int threads, int json, void (*print)(void *user, const char *line),
                       void *user, rheo_report *report) {
    rows out = {.threads = threads, .json = json, .print = print, .user = user, .report = report};
    return run_named(&out, benches, bench_runs, name);
}
