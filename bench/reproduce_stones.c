/* Drafting, kissing, tumbling: the built-in scene `tumbling-stones` (Carlson 2004, 5.6 and figure 20), two
 * stones that sink in a shaft one above the other, on the published grid (quick: on half of it) with the
 * published method (bodies as liquid held rigid). The thesis says what happens and gives no times: the stones
 * drift closer, touch, tumble around one another, and the one that began above reaches the floor first.
 *
 *   drafting:  the gap between them when they start, and when they have come nearest;
 *   kissing:   the first frame at which they are within a tenth of a cell of each other;
 *   tumbling:  the angle from the vertical of the line from the one to the other;
 *   arrival:   when the lowest point of each is within half a cell of the floor, between frames by its
 * height. */
#include "cases.h"

#include <math.h>
#include <rheo/sim.h>

#define RADIUS  0.0825 /* m */
#define TOUCH   0.1    /* cells */
#define ARRIVED 0.5    /* cells */
#define PI      3.14159265358979323846
enum { LOWER, UPPER }; /* as the scene has them */

typedef struct history {
    double time, height[2];   /* of the frame before */
    double start, nearest;    /* gap, cells */
    double kiss, arrival[2];  /* s, infinite: never */
    double begun, met, ended; /* degrees: at the start, at the first touch, when the first arrives */
} history;

static double turned(const rheo_body_stats b[2]) {
    double across = 0;
    for (int a = 0; a < 3; a += 2)
        across +=
            (b[UPPER].position[a] - b[LOWER].position[a]) * (b[UPPER].position[a] - b[LOWER].position[a]);
    return atan2(sqrt(across), b[UPPER].position[1] - b[LOWER].position[1]) * 180 / PI;
}

static void note(history *h, const rheo_body_stats b[2], double time, double dx) {
    double square = 0;
    for (int a = 0; a < 3; ++a)
        square += (b[0].position[a] - b[1].position[a]) * (b[0].position[a] - b[1].position[a]);
    const double gap = (sqrt(square) - 2 * RADIUS) / dx;
    if (time == 0)
        *h = (history){.start = gap,
                       .nearest = gap,
                       .kiss = INFINITY,
                       .arrival = {INFINITY, INFINITY},
                       .begun = turned(b)};
    h->nearest = fmin(h->nearest, gap);
    if (gap <= TOUCH && !isfinite(h->kiss)) {
        h->kiss = time;
        h->met = turned(b);
    }
    if (!isfinite(fmin(h->arrival[0], h->arrival[1]))) h->ended = turned(b);
    for (int i = 0; i < 2; ++i) {
        const double height = b[i].position[1] - RADIUS - ARRIVED * dx;
        if (height <= 0 && !isfinite(h->arrival[i]))
            h->arrival[i] = h->time + (time - h->time) * h->height[i] / (h->height[i] - height);
        h->height[i] = height;
    }
    h->time = time;
}

static rheo_status sink(history *h, int *cells, rows *out) {
    rheo_scene *scene = NULL;
    rheo_sim *sim = NULL;
    rheo_frame_stats stats = {0};
    const char *const half[] = {"domain.cells=146"};
    rheo_status status = rheo_load_scene(&scene, "tumbling-stones", half, out->quick ? 1 : 0, out->report);
    if (!status) status = rheo_create_sim(&sim, scene, out->threads, out->report);
    while (!status) {
        rheo_body_stats b[2];
        for (int i = 0; i < 2; ++i) rheo_read_body(&b[i], NULL, sim, i);
        note(h, b, stats.time, scene->size[1] / scene->cells);
        if (isfinite(h->arrival[0] + h->arrival[1]) || stats.time > 2.5) break;
        status = rheo_advance_frame(sim, NULL, &stats, out->report);
    }
    if (scene) *cells = scene->cells;
    rheo_free_sim(sim);
    rheo_free_scene(scene);
    return status;
}

static void put(rows *out, const char *quantity, int n, double ours, const char *wanted, int pass) {
    rows_put(out, &(row){.name = "tumbling-stones",
                         .quantity = quantity,
                         .n = n,
                         .ours = ours,
                         .reference = (double)NAN,
                         .error = (double)NAN,
                         .order = (double)NAN,
                         .kind = ROW_PUBLISHED,
                         .wanted = wanted,
                         .informative = wanted == NULL,
                         .pass = pass});
}

rheo_status reproduce_stones(rows *out) {
    history h = {0};
    int n = 0;
    const rheo_status status = sink(&h, &n, out);
    if (status) return status;
    rows_put_header(out);
    put(out, "gap at the start, cells", n, h.start, NULL, 0);
    put(out, "drafting and kissing: first touch, s", n, h.kiss, "before either arrives",
        h.kiss < fmin(h.arrival[0], h.arrival[1]));
    put(out, "line of centres at the start, degrees", n, h.begun, NULL, 0);
    put(out, "line of centres at the first touch, degrees", n, h.met, NULL, 0);
    put(out, "tumbling: when the first arrives, degrees", n, h.ended, "above 90", h.ended > 90);
    put(out, "lower stone arrives, s", n, h.arrival[LOWER], NULL, 0);
    put(out, "upper stone arrives, s", n, h.arrival[UPPER], "first", h.arrival[UPPER] < h.arrival[LOWER]);
    return RHEO_OK;
}
