/* The lists behind `rheo reproduce` and `rheo bench`. */
#include <rheo/measure.h>

#include <stdbool.h>
#include <string.h>
#include "cases.h"
#include "core/report.h"

typedef struct entry {
    rheo_status (*run)(rows *out);
} entry;

static const rheo_case_name reproductions[] = {
    {"poisson-order", "second order of the projection with curved solids and a curved free surface"},
    {"hydrostatic", "liquid at rest stays at rest: the projection alone, and running tanks"},
    {"taylor-green", "a steady vortex in a closed square: order in space of the particle methods"},
    {"dam-break-front", "front of a collapsing column against Martin and Moyce 1952"},
    {"vortex-in-box", "a vortex in a box turned against the grid: cut cells against voxelised walls"},
    {"momentum", "a body and the liquid around it in a periodic box: momentum and energy of the projection"},
    {"wall-separation", "water thrown at a wall peels off; water at rest is left alone"},
    {"added-mass", "first acceleration of a sphere and a disc released in a full box"},
    {"buoyancy", "floating bodies displace their own mass; neutral ones stay where they are"},
    {"box-in-channel", "flow through gaps of half a cell beside a sinking box against gaps of two cells"},
    {"hourglass-plug", "a stopper in a closed tube carries the water above it and seals what is below"},
    {"tumbling-stones", "drafting, kissing, tumbling: the upper of two sinking stones arrives first"},
    {"contact", "stacks rest, balls roll, cones hold, nothing sinks in: dry, and with water around"},
    {NULL, NULL},
};
static const entry reproduction_runs[] = {{reproduce_poisson_order},
                                          {reproduce_hydrostatic},
                                          {reproduce_taylor_green},
                                          {reproduce_dam_break_front},
                                          {reproduce_turned_box},
                                          {reproduce_momentum},
                                          {reproduce_wall_separation},
                                          {reproduce_added_mass},
                                          {reproduce_buoyancy},
                                          {reproduce_gap},
                                          {reproduce_plug},
                                          {reproduce_stones},
                                          {reproduce_contact}};

static const rheo_case_name benches[] = {
    {"stream", "memory bandwidth: the STREAM triad on one thread and on all"},
    {"poisson", "pressure systems of 32 to 192 cells a side, beside hypre where it was found"},
    {"particles", "sort, transfers and motion of particles"},
    {"separation", "wall separation beside the plain pressure solve at 64 cells a side"},
    {"step", "whole steps of the dam break at 32 to 192 cells a side"},
    {"smoke", "frames of paddle-smoke at 40 and 80 cells along its length"},
    {"bodies", "what rigid bodies add to the pressure solve, frames of their scenes, cost a cell"},
    {NULL, NULL},
};
static const entry bench_runs[] = {{bench_stream}, {bench_poisson}, {bench_particles}, {bench_separation},
                                   {bench_step},   {bench_smoke},   {bench_bodies}};

const rheo_case_name *rheo_list_reproductions(void) {
    return reproductions;
}

const rheo_case_name *rheo_list_benches(void) {
    return benches;
}

static rheo_status run_named(rows *out, const rheo_case_name *list, const entry *runs, const char *name) {
    bool found = false;
    for (int i = 0; list[i].name; ++i) {
        if (name && strcmp(name, list[i].name) != 0) continue;
        if (found) rows_title(out, "%s", "");
        found = true;
        rows_title(out, "%s: %s", list[i].name, list[i].help);
        const rheo_status status = runs[i].run(out);
        if (status) return status;
    }
    if (found) return RHEO_OK;
    return report_fail(out->report, RHEO_USAGE, "one of the names that the list shows", "'%s' is not known",
                       name);
}

rheo_status rheo_reproduce(int *passed, int *failed, const char *name, int threads, int json,
                           void (*print)(void *user, const char *line), void *user, rheo_report *report) {
    rows out = {.threads = threads, .json = json, .print = print, .user = user, .report = report};
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
