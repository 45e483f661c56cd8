/* Buckling sheets on the regular grid and on a graded tree, side by side: E 4.2, tables 4.1 and 4.2.
 *
 * Steps, time of a step and of its viscosity, and unknowns, on the mean of 600 ms. Before the sheet folds for
 * the first time both must be the same flow: centre of mass within 2 % of how far the sheet has come, and
 * area within 2 %. After it they go their own ways, as in the source. */
#include "cases.h"

#include <math.h>
#include <string.h>
#include <rheo/sim.h>

enum { FRAMES = 60, QUICK = 20 }; /* of 10 ms */

typedef struct table {
    const char *scene;
    double published[2][4]; /* regular, tree: steps, ms a step, ms of viscosity, unknowns */
} table;

typedef struct path {
    double place[FRAMES][3], volume[FRAMES], reach; /* reach: m, of the centre since the start */
    double mean[4];                                 /* as published */
} path;

static double stage_seconds(const rheo_frame_stats *stats, const char *name) {
    for (int i = 0; i < stats->stage_count; ++i)
        if (strcmp(stats->stages[i].name, name) == 0) return stats->stages[i].seconds;
    return 0;
}

static rheo_status run(path *of, rows *out, const char *name, const char *model) {
    rheo_scene *scene = NULL;
    rheo_sim *s = NULL;
    char set[48];
    rows_format(set, sizeof set, "solver.viscosity=%s", model);
    *of = (path){.reach = 0};
    rheo_status status = rheo_load_scene(&scene, name, (const char *const[]){set}, 1, out->report);
    if (!status) status = rheo_create_sim(&s, scene, out->threads, out->report);
    const int frames = out->quick ? QUICK : FRAMES;
    double unknowns = 0, seconds = 0, viscous = 0, steps = 0, first[3] = {0};
    for (int i = 0; i < frames && !status; ++i) {
        rheo_frame_stats stats;
        status = rheo_advance_frame(s, NULL, &stats, out->report);
        if (status) break;
        steps += stats.steps;
        seconds += stats.seconds;
        viscous += stage_seconds(&stats, "viscosity");
        unknowns += stats.steps * (double)stats.viscosity.unknowns;
        if (i == 0) memcpy(first, stats.fluids[0].centroid, sizeof first);
        memcpy(of->place[i], stats.fluids[0].centroid, sizeof first);
        of->volume[i] = stats.volume;
        of->reach = hypot(of->place[i][0] - first[0], of->place[i][1] - first[1]);
    }
    const double mean[4] = {steps, 1e3 * seconds / steps, 1e3 * viscous / steps, unknowns / steps};
    memcpy(of->mean, mean, sizeof mean);
    rheo_free_sim(s);
    rheo_free_scene(scene);
    return status;
}

static void put(rows *out, const char *quantity, double ours, double published, const char *wanted,
                bool pass) {
    rows_put(out, &(row){.name = "buckling",
                         .quantity = quantity,
                         .n = 256,
                         .ours = ours,
                         .reference = published,
                         .error = (double)NAN,
                         .order = (double)NAN,
                         .kind = ROW_PUBLISHED,
                         .wanted = wanted,
                         .informative = !wanted,
                         .pass = pass});
}

static rheo_status compare(rows *out, const table *t) {
    static const char *const models[] = {"full", "tree"};
    static const char *const names[] = {"steps", "ms a step", "ms of viscosity", "unknowns"};
    path of[2];
    char quantity[64];
    rheo_status status = RHEO_OK;
    for (int m = 0; m < 2 && !status; ++m) status = run(&of[m], out, t->scene, models[m]);
    if (status) return status;
    for (int m = 0; m < 2; ++m)
        for (int i = 0; i < 4; ++i) {
            rows_format(quantity, sizeof quantity, "%s, %s, %s", t->scene, models[m], names[i]);
            put(out, quantity, of[m].mean[i], t->published[m][i], NULL, true);
        }
    double off = 0, area = 0;
    for (int i = 0; i < (out->quick ? QUICK : FRAMES); ++i) {
        off = fmax(off, hypot(of[1].place[i][0] - of[0].place[i][0], of[1].place[i][1] - of[0].place[i][1]));
        area = fmax(area, fabs(of[1].volume[i] / of[0].volume[i] - 1));
    }
    rows_format(quantity, sizeof quantity, "%s, centres apart", t->scene);
    put(out, quantity, off / of[0].reach, (double)NAN, "2 %", off <= 0.02 * of[0].reach);
    rows_format(quantity, sizeof quantity, "%s, areas apart", t->scene);
    put(out, quantity, area, (double)NAN, "2 %", area <= 0.02);
    return RHEO_OK;
}

rheo_status reproduce_buckling(rows *out) {
    static const table tables[] = {
        {"buckling", {{336, 43.5, 25.1, 26311.0}, {358, 82.6, 63.3, 13376.1}}},
        {"buckling-deep", {{301, 89.2, 56.1, 76289.6}, {301, 89.4, 56.6, 13505.5}}}};
    rheo_status status = RHEO_OK;
    rows_title(out, "600 ms; reference: the source's, on one core at 2.2 GHz");
    rows_put_header(out);
    for (int i = 0; i < 2 && !status; ++i) status = compare(out, &tables[i]);
    return status;
}
