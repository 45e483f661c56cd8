#include <rheo/rheo.h>
#include <stdio.h>
int main(void) {
    rheo_sim *sim;
    rheo_report why = {0};
    if (rheo_open_sim(&sim, "dam-break", &why)) return puts(why.message), 1;
    for (rheo_frame_stats now = {0}; now.frame < 10 && !rheo_advance_frame(sim, NULL, &now, &why);)
        printf("%.3f s: %.4f m3, at most %.2f m/s\n", now.time, now.volume, now.speed);
    rheo_free_sim(sim);
    return why.status ? puts(why.message), 1 : 0;
}
