/* r(theta, phi) = R (1 + 0.35 sin^3 theta cos 3 phi - 0.25 cos theta): rings of vertices between two poles.
 */
#include "lobed_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/report.h"

enum { RINGS = 32, AROUND = 48 };

static void write_vertex(FILE *f, double radius, double theta, double phi) {
    const double s = sin(theta), r = radius * (1 + 0.35 * s * s * s * cos(3 * phi) - 0.25 * cos(theta));
    fprintf(f, "v %.9g %.9g %.9g\n", r * s * cos(phi), r * cos(theta), r * s * sin(phi));
}

/* Vertex numbers from 1: the upper pole, rings, the lower pole. */
static void write_triangles(FILE *f) {
    const int last = 2 + RINGS * AROUND;
    for (int i = 0; i < AROUND; ++i) {
        const int next = (i + 1) % AROUND;
        fprintf(f, "f 1 %d %d\n", 2 + next, 2 + i);
        for (int ring = 0; ring < RINGS - 1; ++ring) {
            const int up = 2 + ring * AROUND, down = up + AROUND;
            fprintf(f, "f %d %d %d\nf %d %d %d\n", up + i, up + next, down + i, up + next, down + next,
                    down + i);
        }
        fprintf(f, "f %d %d %d\n", last, last - AROUND + i, last - AROUND + next);
    }
}

rheo_status lobed_mesh_write(char path[LOBED_PATH], double radius, rheo_report *report) {
    const char *folder = getenv("TMPDIR");
    const double pi = 3.14159265358979;
    snprintf(path, LOBED_PATH, "%s/rheo-lobes-XXXXXX.obj", folder && *folder ? folder : "/tmp");
    const int file = mkstemps(path, 4);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    if (!f)
        return report_fail(report, RHEO_IO, "a folder in TMPDIR that can be written", "cannot write '%s'",
                           path);
    write_vertex(f, radius, 0, 0);
    for (int ring = 1; ring <= RINGS; ++ring)
        for (int i = 0; i < AROUND; ++i)
            write_vertex(f, radius, pi * ring / (RINGS + 1), 2 * pi * i / AROUND);
    write_vertex(f, radius, pi, 0);
    write_triangles(f);
    return fclose(f) ? report_fail(report, RHEO_IO, "room on the disk", "cannot write '%s'", path) : RHEO_OK;
}
