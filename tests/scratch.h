/* A directory of a test's own, gone when its group has run. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "check.h"

static char directory[64];

static int make_directory(void **state) {
    (void)state;
    strcpy(directory, "/tmp/rheo-test-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    return system(command);
}

/* Good until the next call. */
static const char *in_directory(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}
#endif
