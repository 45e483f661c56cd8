#include <rheo/rheo.h>
#include <stdio.h>

int main(void) {
    rheo_scene *scene = NULL;
    rheo_sim *sim = NULL;
    rheo_frame_stats now = {0};
    rheo_report why;
    char text[2048];
    rheo_status bad = rheo_load_scene(&scene, "dam-break", (const char *[]){"domain.cells=32"}, 1, &why);
    if (!bad) bad = rheo_create_sim(&sim, scene, 0, &why);
    while (!bad && now.frame < 10 && !(bad = rheo_advance_frame(sim, NULL, &now, &why)))
        printf("%.3f s: %.4f m3, at most %.2f m/s\n", now.time, now.volume, now.speed);
    if (bad && rheo_print_report(text, sizeof text, &why)) fputs(text, stderr);
    rheo_free_sim(sim);
    rheo_free_scene(scene);
    return (int)bad;
}
