/* Fuzzing of the scene reader: any bytes must end in a scene that validates or in a report, without leaks or
 * overruns.
 *
 * The text after a byte 0x1e, if there is one, is used as a --set. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <rheo/scene.h>
#include "scene/scene_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *split = memchr(data, 0x1e, size);
    size_t length = split ? (size_t)(split - data) : size;
    char *set = NULL;
    if (split) {
        size_t rest = size - length - 1;
        set = malloc(rest + 1);
        if (!set) return 0;
        memcpy(set, split + 1, rest);
        set[rest] = '\0';
    }
    rheo_scene *scene = NULL;
    rheo_report report = {0};
    const char *const sets[] = {set};
    rheo_status status =
        scene_parse_text(&scene, (const char *)data, length, "fuzz.yaml", ".", sets, set ? 1 : 0, &report);
    if (status == RHEO_OK) {
        /* what was accepted must be readable again from the copy that goes into a cache */
        rheo_scene *again = NULL;
        if (rheo_validate_scene(scene, &report) != RHEO_OK) abort();
        if (scene_parse_text(&again, scene->source, strlen(scene->source), "copy.yaml", ".", NULL, 0,
                             &report) != RHEO_OK)
            abort();
        rheo_free_scene(again);
        rheo_free_scene(scene);
    } else if (!report.message[0]) {
        abort();
    }
    free(set);
    return 0;
}
