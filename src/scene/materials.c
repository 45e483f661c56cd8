/* The built-in materials, at room temperature unless the line says otherwise.
 *
 * Sources, and the spans that measured values lie in: docs/materials.md. Real samples of the foods, lava,
 * slime and wet sand vary by a factor of two and more, and several of them yield or thin under shear: the
 * viscosity given is the one at about 10/s. */
#include <rheo/material.h>
#include <stddef.h>

/* name, density, viscosity, surface tension, conductivity, heat capacity, colour, look, help */
static const rheo_material materials[] = {
    {"water", 998, 1.0e-3, 0.0728, 0.598, 4184, {0.55, 0.82, 0.90}, RHEO_FLUID_CLEAR, "20 C"},
    {"oil", 915, 0.08, 0.033, 0.17, 1970, {0.75, 0.55, 0.10}, RHEO_FLUID_CLEAR, "vegetable oil, 20 C"},
    {"honey", 1420, 10, 0.055, 0.50, 2400, {0.60, 0.22, 0.01}, RHEO_FLUID_CLEAR, "20 C, 17-18% water; 2 to 20 Pa s"},
    {"syrup", 1370, 2.5, 0.08, 0.37, 2500, {0.50, 0.16, 0.01}, RHEO_FLUID_CLEAR, "light corn syrup, 20 C; 1 to 6 Pa s"},
    {"paraffin wax", 780, 4.0e-3, 0.028, 0.15, 2900, {0.80, 0.78, 0.70}, RHEO_FLUID_CLEAR, "molten, 70 C; sets near 55 C"},
    {"lava", 2650, 100, 0.35, 1.5, 1200, {0.02, 0.005, 0.002}, RHEO_FLUID_MATTE, "basalt, 1150 C; 10 to 1000 Pa s"},
    {"toothpaste", 1300, 40, 0.05, 0.60, 3100, {0.30, 0.36, 0.38}, RHEO_FLUID_GLOSSY, "20 C, yields at about 100 Pa"},
    {"wet sand",
     1900,
     20,
     0.0728,
     1.7,
     1480,
     {0.10, 0.06, 0.02},
RHEO_FLUID_MATTE,
     "saturated; as a thick fluid, without friction"},
    {"chocolate", 1270, 3, 0.03, 0.26, 1600, {0.03, 0.01, 0.003}, RHEO_FLUID_GLOSSY, "molten dark chocolate, 40 C"},
    {"egg white", 1035, 0.02, 0.05, 0.55, 3800, {0.80, 0.82, 0.60}, RHEO_FLUID_CLEAR, "20 C; thins under shear, elastic"},
    {"yolk", 1030, 0.8, 0.045, 0.40, 3300, {0.60, 0.25, 0.002}, RHEO_FLUID_CLEAR, "20 C"},
    {"slime",
     1020,
     30,
     0.06,
     0.58,
     4000,
     {0.10, 0.60, 0.10},
RHEO_FLUID_CLEAR,
     "borax and PVA, slowly pulled; elastic when fast"},
    {"dough", 1150, 5000, 0.06, 0.40, 2800, {0.40, 0.32, 0.20}, RHEO_FLUID_MATTE, "bread dough at 0.1/s; strongly elastic"},
    {"smoke", 1.204, 1.81e-5, 0, 0.0257, 1005, {3e-5, 3e-5, 3e-5}, RHEO_FLUID_CLEAR, "air at 20 C that carries soot"},
    {NULL, 0, 0, 0, 0, 0, {0, 0, 0}, RHEO_FLUID_AUTO, NULL},
};

const rheo_material *rheo_list_materials(void) {
    return materials;
}
