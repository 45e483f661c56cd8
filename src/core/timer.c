/* Seconds a stage, by a clock that only goes forwards. Limits: a few stages a method; more are not counted.
 */
#include "core/timer.h"

#include <string.h>
#include <time.h>

double timer_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void timer_reset(stage_timer *t) {
    *t = (stage_timer){.current = -1, .begun = t->begun, .user = t->user};
}

void timer_stage(stage_timer *t, const char *name) {
    double now = timer_now();
    if (t->current >= 0) t->stage[t->current].seconds += now - t->since;
    t->current = -1;
    t->since = now;
    if (!name) return;
    if (t->begun) t->begun(t->user, name);
    for (int s = 0; s < t->count; ++s)
        if (strcmp(t->stage[s].name, name) == 0) {
            t->current = s;
            return;
        }
    if (t->count == TIMER_STAGES) return;
    t->stage[t->count].name = name;
    t->current = t->count++;
}
