#include <rheo/rheo.h>
#include <stdio.h>

int main(void) {
    rheo_sim *sim;
    rheo_frame_stats now = {0};
    rheo_report why = {0};
    if (!rheo_open_sim(&sim, "dam-break", &why))
        while (now.frame < 10 && !rheo_advance_frame(sim, NULL, &now, &why))
            printf("%.3f s: %.4f m3, at most %.2f m/s\n", now.time, now.volume, now.speed);
    if (why.status) fprintf(stderr, "%s:%d: %s\n", why.file, why.line, why.message);
    rheo_free_sim(sim);
    return (int)why.status;
}
