/* A scene made in C instead of read from a file, and its drawn surface: the program of docs/library.md. */
#include <rheo/rheo.h>
#include <stdio.h>

int main(void) {
    rheo_shape ball = rheo_default_shape(RHEO_SHAPE_SPHERE);
    ball.a[0] = 0.5, ball.a[1] = 0.6, ball.a[2] = 0.5; /* the centre, m */
    ball.radius = 0.2;

    rheo_fluid water = rheo_default_fluid();
    water.name = "water";
    water.fill = &ball;
    water.fill_count = 1;

    rheo_scene scene = rheo_default_scene();
    scene.cells = 32;
    scene.method = RHEO_APIC;
    scene.fluids = &water;
    scene.fluid_count = 1;

    rheo_report report;
    rheo_sim *sim = NULL;
    rheo_mesh mesh = {0};
    rheo_status status = rheo_create_sim(&sim, &scene, 0, &report);
    if (!status) status = rheo_advance_step(sim, 0.01, &report); /* one step of at most 0.01 s */
    if (!status) status = rheo_make_mesh(&mesh, sim, &report);
    if (!status) printf("%zu vertices, %zu triangles\n", mesh.vertex_count, mesh.triangle_count);
    if (status) {
        char text[2048];
        rheo_print_report(text, sizeof text, &report);
        fputs(text, stderr);
    }
    int empty = mesh.vertex_count == 0;
    rheo_free_mesh(&mesh);
    rheo_free_sim(sim);
    return status ? (int)status : empty;
}
