// What a C++ program may name of the public headers: types and constants that live inside a struct in C would
// be out of reach here. Compiled by scripts/check-headers, never run.
#include <rheo/rheo.h>
#include <cstdio>

static const char *word(rheo_severity severity) {
    switch (severity) {
    case RHEO_NOTE: return "note";
    case RHEO_WARNING: return "warning";
    case RHEO_ERROR: return "error";
    }
    return "";
}

int main() {
    rheo_scene scene = rheo_default_scene();
    static rheo_preflight found; // too large for some stacks
    rheo_report report = {};
    const rheo_status status = rheo_check_scene(&found, &scene, nullptr, &report);
    int errors = 0;
    for (int i = 0; i < found.count; ++i) {
        errors += found.findings[i].severity == RHEO_ERROR;
        std::printf("%s: %s\n", word(found.findings[i].severity), found.findings[i].report.message);
    }
    scene.wall[RHEO_TOP] = RHEO_WALL_OPEN;
    scene.method = RHEO_APIC;
    return status == RHEO_OK && errors ? RHEO_INTERNAL : status;
}
