#include <rheo/rheo.h>
#include <stdio.h>

int main(void) {
    const char *set[] = {"domain.cells=32"};
    char text[2048];
    rheo_scene *scene = NULL;
    rheo_sim *sim = NULL;
    rheo_frame_stats now;
    rheo_report report;
    rheo_status status = rheo_load_scene(&scene, "dam-break", set, 1, &report);
    if (!status) status = rheo_create_sim(&sim, scene, 0, &report);
    for (int frame = 0; frame < 10 && !status; ++frame)
        if (!(status = rheo_advance_frame(sim, NULL, &now, &report)))
            printf("%.3f s: %.4f m3, at most %.2f m/s\n", now.time, now.volume, now.speed);
    if (status) rheo_place_report(&report, scene); /* adds file, line and column */
    if (status && rheo_print_report(text, sizeof text, &report)) fputs(text, stderr);
    rheo_free_sim(sim);
    rheo_free_scene(scene);
    return (int)status;
}
