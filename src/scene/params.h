/* The one list of everything a scene file can say. A row feeds the reader, the range check, `rheo help scene`
 * and docs/scene-reference.md. */
#ifndef SCENE_PARAMS_H
#define SCENE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <rheo/scene.h>

typedef enum section {
    IN_SCENE,
    IN_DOMAIN,
    IN_TIME,
    IN_SOLVER,
    IN_SPH,
    IN_FLUID,
    IN_INTERFACE,
    IN_EMITTER,
    IN_SOLID,
    IN_ROTATION,
    IN_JOINT,
    IN_HEAT,
    IN_HEAT_SOURCE,
    IN_PROBE,
    IN_OUTPUT,
    IN_CAMERA,
    IN_BOX, /* the shapes stand in the order of rheo_shape_kind */
    IN_SPHERE,
    IN_CAPSULE,
    IN_CYLINDER,
    IN_TORUS,
    IN_PLANE,
    IN_MESH,
    IN_PLACEMENT, /* what may stand beside any shape */
    IN_ROTATE,
    IN_APPEARANCE, /* and beside a fill's */
    SECTIONS
} section;

typedef enum param_type {
    P_SECTION,   /* a map read as another section into the same struct */
    P_LIST,      /* a list of maps, each a struct of its own */
    P_INT,       /* int */
    P_REAL,      /* double */
    P_ENDLESS,   /* double, .inf becomes RHEO_NEVER */
    P_BOOL,      /* bool */
    P_TEXT,      /* const char * */
    P_NAME,      /* const char *, fit for a file name */
    P_VECTOR,    /* double[3] */
    P_COLOR,     /* double[3], always three numbers */
    P_SCALE,     /* double[3] from one number or three */
    P_SPAN,      /* double[2], a time span */
    P_CHOICE,    /* int or bool, the index of one of the names */
    P_CURVE1,    /* rheo_curve of numbers */
    P_CURVE3,    /* rheo_curve of vectors */
    P_SHAPE,     /* rheo_shape */
    P_SHAPES,    /* const rheo_shape * and its count */
    P_VISCOSITY, /* rheo_curve of numbers, or a law in temperature, of a fluid */
    P_SIDES,     /* rheo_curve[6] of numbers, by side */
    P_WALLS,     /* rheo_wall[6] */
    P_SLIP,      /* double, a slip length [m] or one of its names */
    P_MATERIAL,  /* const char *, one of the materials */
    P_FLUID,     /* int, the index of a fluid given by name */
    P_FLUIDS,    /* int[2], the indices of two fluids given by name */
    P_SOLID,     /* int, the index of a solid given by name, -1 for "world" */
    P_SET,       /* unsigned, one bit for each of the names */
    P_LATER,     /* a name that is taken for a later version; refused with that message */
} param_type;

typedef struct param {
    section in;
    const char *name;
    param_type type;
    const char *unit; /* "" for none */
    double low, high; /* of numbers and of each component */
    bool above;       /* low itself is not allowed */
    bool required;    /* no default */
    const char
        *standard;       /* the default as it would be written; "" when leaving it out means something else */
    size_t offset, size; /* where it goes */
    const char *const *names; /* of choices and sets, ended by NULL */
    section sub;              /* of P_SECTION and P_LIST */
    const char *help;
} param;

extern const param scene_params[];
extern const int scene_param_count;
extern const char *const shape_names[];  /* in the order of rheo_shape_kind, ended by NULL */
extern const char *const side_names[];   /* left right bottom top back front */
extern const char *const method_names[]; /* in the order of rheo_method */

const char *section_name(section s);
/* Fills the rows' defaults into a struct of that section (numbers, choices and vectors; the rest stays). */
void params_fill_defaults(void *into, section in);
/* Whether a choice's name is one of the contract that this version refuses: read, but neither listed nor
 * suggested. */
bool param_is_later(const param *p, const char *name);
/* "number > 0, at most 4096" and the like: what the row allows. */
void param_allowed(char *text, size_t size, const param *p);

/* Scenes for the reference; the list ends with a title of NULL. Their meshes are called stone.obj. */
typedef struct scene_example {
    const char *title, *text;
} scene_example;
extern const scene_example scene_examples[];
#endif
