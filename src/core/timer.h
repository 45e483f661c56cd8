/* Wall time by stage name, for the statistics. */
#ifndef CORE_TIMER_H
#define CORE_TIMER_H

double timer_now(void); /* s, monotonic */

enum { TIMER_STAGES = 24 };
typedef struct stage_timer {
    struct {
        const char *name;
        double seconds;
    } stage[TIMER_STAGES];
    int count;
    int current; /* index of the running stage, -1 for none */
    double since;
    void (*begun)(void *user, const char *stage); /* told of each stage as it begins; may be NULL */
    void *user;
} stage_timer;

void timer_reset(stage_timer *t); /* who is told stays */
/* Ends the running stage and starts `name` (a string literal); NULL only ends. */
void timer_stage(stage_timer *t, const char *name);
#endif
