/* Bad inputs through the command: each must end with the right exit code, say where and what, and leave
 * nothing behind.
 *
 * A row is a scene text (written as s.yaml), the arguments, the exit code and pieces that stderr must hold.
 * Every row runs in an empty directory; afterwards only the files that were put there may be in it, unchanged
 * in number. */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef RHEO_COMMAND
#define RHEO_COMMAND getenv("RHEO")
#endif

typedef struct bad {
    const char *name, *scene, *arguments;
    int exit_code;
    const char *says[4];
    const char *file, *content; /* one more file, or NULL */
} bad;

#define FLUID       "fluids:\n  - fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.5, 1] } } ]\n"
#define CHECK       "check s.yaml"
#define FILL(shape) "fluids:\n  - fill: [ " shape " ]\n"
#define SOLID(text) FLUID "solids:\n  - " text "\n"
#define BODY(more, rest)                                                                                     \
    FLUID "solids:\n  - { shape: { sphere: { center: [0.8, 0.7, 0.5], radius: 0.1 } }, motion: dynamic" more \
          " }\n" rest "\n"
#define MESH(name) SOLID("shape: { mesh: { file: " name " } }")

/* clang-format off */ /* one row a line */
static const bad table[] = {
    /* the text itself */
    {"empty file", "", CHECK, 3, {"s.yaml:1:1: the file is empty", "allowed: keys such as"}, 0, 0},
    {"only a comment", "# nothing\n", CHECK, 3, {"s.yaml:1:1: the file is empty"}, 0, 0},
    {"not YAML", "domain: { cells: 16\nfluids: [\n", CHECK, 3, {"s.yaml:", "not valid YAML"}, 0, 0},
    {"tab indentation", "domain:\n\tcells: 16\n", CHECK, 3, {"s.yaml:2:", "not valid YAML"}, 0, 0},
    {"a list", "- 1\n- 2\n", CHECK, 3, {"s.yaml:1:1", "map"}, 0, 0},
    {"a word", "hello\n", CHECK, 3, {"s.yaml:1:1", "map"}, 0, 0},
    {"duplicate key", "domain:\n  cells: 16\n  cells: 17\n" FLUID, CHECK, 3, {"s.yaml:3:3", "already given", "line 2"}, 0, 0},
    {"alias", "domain: { cells: 16 }\ntime: &t { frames: 2 }\n" FLUID, CHECK, 3, {"s.yaml:2:", "anchors"}, 0, 0},
    {"alias bomb", "a: &a [1,1]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n", CHECK, 3, {"s.yaml:1:", "anchors"}, 0, 0},
    {"tag", "domain: !!map { cells: 16 }\n" FLUID, CHECK, 3, {"s.yaml:1:", "tags"}, 0, 0},
    {"two documents", FLUID "---\n" FLUID, CHECK, 3, {"s.yaml:3:", "second document"}, 0, 0},
    {"binary", "\x01\x02\xff\xfe", CHECK, 3, {"s.yaml"}, 0, 0},

    {"mark of UTF-8", "\xef\xbb\xbf" FLUID, CHECK, 0, {0}, 0, 0},
    {"lines as on Windows", "domain: { cells: 16 }\r\nfluids:\r\n  - fil: []\r\n", CHECK, 3, {"s.yaml:3:5: fluids[0].fil", "'fill'"}, 0, 0},
    {"control character", "title: \"a\\x1b[31mred\"\n" FLUID, CHECK, 3, {"s.yaml:1:8: title", "control character (code 27)"}, 0, 0},
    {"control character in a message", "solver: { method: \"\\x1b[31m\" }\n" FLUID, CHECK, 3, {"solver.method: '?[31m' is not known"}, 0, 0},

    {"text after the end", FLUID "...\nmore: {\n", CHECK, 3, {"s.yaml:3:", "a second document starts here"}, 0, 0},
    {"version of YAML to come", "%YAML 9.9\n---\n" FLUID, CHECK, 3, {"s.yaml:1:1: not valid YAML"}, 0, 0},
    {"merge of nothing", "domain: { <<: { cells: 12 } }\n" FLUID, CHECK, 3, {"s.yaml:1:11: domain.<<: unknown key '<<'"}, 0, 0},
    {"list for a key", "? [a, b]\n: 3\n", CHECK, 3, {"s.yaml:1:3: a key must be a plain name"}, 0, 0},
    {"text in UTF-16", "\xff\xfe" "d", CHECK, 3, {"s.yaml:1:1: the file holds a byte that is no text", "UTF-8"}, 0, 0},
    {"letters that turn what follows", SOLID("{ name: \"\xe2\x80\xaelive\", shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } } }"), CHECK, 3, {"s.yaml:4:13: solids[0].name: '?live' cannot be used as a name"}, 0, 0},
    {"control characters beyond ASCII", SOLID("{ name: \"\xc2\x9blive\", shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } } }"), CHECK, 3, {"s.yaml:4:13: solids[0].name: '?live' cannot be used as a name"}, 0, 0},
    {"name of two lines", SOLID("{ name: \"a\\nb\", shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } } }"), CHECK, 3, {"solids[0].name: 'a?b' cannot be used as a name\n"}, 0, 0},

    /* names */
    {"name in capitals", "solver: { method: FLIP }\n" FLUID, CHECK, 3, {"s.yaml:1:19: solver.method: 'FLIP' is not known", "did you mean 'flip'?"}, 0, 0},
    {"truth in capitals", "solver: { separation: True }\n" FLUID, CHECK, 3, {"s.yaml:1:23: solver.separation", "did you mean 'true'?", "allowed: true or false"}, 0, 0},
    {"quantity twice", FLUID "probes:\n  - { name: a, from: [0.5, 0.5, 0.5], of: [velocity, velocity] }\n", CHECK, 3, {"s.yaml:4:54: probes[0].of[1]: 'velocity' is given twice"}, 0, 0},
    {"mesh without a name", MESH("''"), CHECK, 3, {"s.yaml:4:28: solids[0].shape.mesh.file: no file is named", "OBJ, PLY or STL"}, 0, 0},
    {"mesh of another kind", MESH("a.fbx"), CHECK, 3, {"s.yaml:4:28: solids[0].shape.mesh.file: 'a.fbx' ends in none of .obj, .ply, .stl"}, "a.fbx", "x"},
    {"more cells than numbers go", FLUID, "check s.yaml --cells 99999999999", 2, {"--cells needs a whole number from 1 to 2147483647, not '99999999999'"}, 0, 0},
    {"unknown section", "domian: { cells: 16 }\n" FLUID, CHECK, 3, {"s.yaml:1:1: domian", "unknown key", "'domain'"}, 0, 0},
    {"unknown key", "domain: { cels: 16 }\n" FLUID, CHECK, 3, {"s.yaml:1:11: domain.cels", "unknown key 'cels'", "'cells'", "allowed: dim, size, cells"}, 0, 0},
    {"unknown key in a shape", FILL("{ sphere: { centre: [0.5, 0.5, 0.5], radius: 0.2 } }"), CHECK, 3, {"s.yaml:2:25: fluids[0].fill[0].sphere.centre", "'center'"}, 0, 0},
    {"unknown shape", FILL("{ spere: { center: [0.5, 0.5, 0.5], radius: 0.2 } }"), CHECK, 3, {"s.yaml:2:15: fluids[0].fill[0].spere", "'sphere'"}, 0, 0},
    {"two shapes in one", FILL("{ box: { min: [0, 0, 0], max: [1, 1, 1] }, sphere: { center: [0, 0, 0], radius: 1 } }"), CHECK, 3, {"s.yaml:2:", "second shape"}, 0, 0},
    {"no shape", FILL("{ move: [0, 0, 0] }"), CHECK, 3, {"s.yaml:2:13", "no shape"}, 0, 0},
    {"unknown method", "solver: { method: flop }\n" FLUID, CHECK, 3, {"s.yaml:1:19: solver.method", "'flip'"}, 0, 0},
    {"unknown material", "fluids:\n  - material: wather\n", CHECK, 3, {"s.yaml:2:15: fluids[0].material", "'water'"}, 0, 0},
    {"unknown side", "domain: { walls: { topp: open } }\n" FLUID, CHECK, 3, {"s.yaml:1:20: domain.walls.topp", "'top'"}, 0, 0},
    {"axis and its side", "domain: { walls: { x: open, left: closed } }\n" FLUID, CHECK, 3, {"s.yaml:1:29: domain.walls.left", "'x' and 'left' both", "an axis, or its two sides"}, 0, 0},
    {"side and its axis", "domain:\n  walls:\n    top: open\n    x: closed\n    y: open\n" FLUID, CHECK, 3, {"s.yaml:5:5: domain.walls.y", "'top' and 'y' both"}, 0, 0},
    {"depth of a plane scene", "domain: { size: [1, 1], dim: 2, walls: { front: open } }\n" FLUID, CHECK, 3, {"s.yaml:1:42: domain.walls.front", "a plane scene has no side 'front'", "left, right, bottom, top, x, y"}, 0, 0},
    {"third axis of a plane scene", "domain: { dim: 2, walls: { z: periodic } }\n" FLUID, CHECK, 3, {"s.yaml:1:28: domain.walls.z", "has no side 'z'"}, 0, 0},
    {"unknown side of a plane scene", "domain: { dim: 2, walls: { bak: open } }\n" FLUID, CHECK, 3, {"s.yaml:1:28: domain.walls.bak", "allowed: left, right, bottom, top, x, y"}, 0, 0},
    {"unknown fluid", FLUID "emitters:\n  - { fluid: watre, shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } } }\n", CHECK, 3, {"s.yaml:4:14: emitters[0].fluid", "'water'"}, 0, 0},
    {"unknown quantity", FLUID "probes:\n  - { name: p, from: [0, 0, 0], of: [velocty] }\n", CHECK, 3, {"s.yaml:4:38: probes[0].of[0]", "'velocity'"}, 0, 0},
    {"name for a path", FLUID "probes:\n  - { name: ../p, from: [0, 0, 0], of: [phi] }\n", CHECK, 3, {"s.yaml:4:13: probes[0].name", "cannot be used as a name"}, 0, 0},
    {"letters of other alphabets", "fluids:\n  - name: w\xc3\xa4sser\n", CHECK, 3, {"s.yaml:2:11: fluids[0].name", "cannot be used as a name", "letters a to z"}, 0, 0},
    {"name twice", FLUID "  - { name: water }\n", CHECK, 3, {"s.yaml:3:", "fluids[1].name", "used twice"}, 0, 0},

    /* kinds and ranges */
    {"text for a number", "domain: { cells: many }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "'many'", "a whole number"}, 0, 0},
    {"quoted number", "domain: { cells: \"16\" }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "in quotes is a text"}, 0, 0},
    {"broken number", "time: { fps: 30fps }\n" FLUID, CHECK, 3, {"s.yaml:1:14: time.fps", "30fps"}, 0, 0},
    {"fraction for a count", "time: { frames: 2.5 }\n" FLUID, CHECK, 3, {"s.yaml:1:17: time.frames"}, 0, 0},
    {"number for a list", "fluids: 3\n", CHECK, 3, {"s.yaml:1:9: fluids", "a list"}, 0, 0},
    {"number for a map", "domain: 3\n" FLUID, CHECK, 3, {"s.yaml:1:9: domain", "a map"}, 0, 0},
    {"nothing for a map", "domain:\n" FLUID, CHECK, 3, {"s.yaml:1:1: domain: nothing"}, 0, 0},
    {"nothing for a number", "time: { frames: 2 }\ndomain:\n  cells:\n  dim: 3\n" FLUID, CHECK, 3, {"s.yaml:3:3: domain.cells: nothing", "a whole number"}, 0, 0},
    {"nothing in a flow map", "time: { frames: 2 }\ndomain: { cells: }\n" FLUID, CHECK, 3, {"s.yaml:2:11: domain.cells: nothing"}, 0, 0},
    {"nothing in a list", FLUID "solids:\n  -\n", CHECK, 3, {"s.yaml:4:3: solids[0]: nothing"}, 0, 0},
    {"two components", "domain: { size: [1, 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:17: domain.size", "[x, y, z]"}, 0, 0},
    {"word in a vector", "domain: { size: [1, one, 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:21: domain.size[1]: 'one' is not a number", "[x, y, z]"}, 0, 0},
    {"list in a vector", "domain: { size: [1, [1], 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:21: domain.size[1]: a list is not a number"}, 0, 0},
    {"four components", "domain: { size: [1, 1, 1, 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:17: domain.size: a list of 4 numbers"}, 0, 0},
    {"no quantities", FLUID "probes:\n  - { name: p, from: [0, 0, 0], of: [] }\n", CHECK, 3, {"s.yaml:4:37: probes[0].of: an empty list", "a list of:"}, 0, 0},
    {"yes for true", "output: { mesh: yes }\n" FLUID, CHECK, 3, {"s.yaml:1:17: output.mesh", "true or false"}, 0, 0},
    {"zero cells", "domain: { cells: 0 }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "0 is out of range", "4 to 4096"}, 0, 0},
    {"too many cells", "domain: { cells: 5000 }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "4 to 4096"}, 0, 0},
    {"huge number of frames", "time: { frames: 99999999999999 }\n" FLUID, CHECK, 3, {"s.yaml:1:17: time.frames", "out of range", "1 to 1000000"}, 0, 0},
    {"huge number of samples", FLUID "probes:\n  - { name: a, from: [0, 0, 0], to: [1, 1, 1], samples: 2000000000, of: [phi] }\n", CHECK, 3, {"probes[0].samples", "out of range", "1 to 1000000"}, 0, 0},
    {"quoted number in a list", "domain: { size: [1, \"2\", 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:21: domain.size[1]", "in quotes is a text"}, 0, 0},
    {"fluid of another name", FLUID "emitters:\n  - { fluid: oil, shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } } }\n", CHECK, 3, {"s.yaml:4:14: emitters[0].fluid", "one of the fluids: water"}, 0, 0},
    {"huge count", "domain: { cells: 99999999999999 }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "99999999999999 is out of range"}, 0, 0},
    {"negative size", "domain: { size: [1, -1, 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:21: domain.size[1]", "-1 is out of range"}, 0, 0},
    {"NaN", "gravity: [0, .nan, 0]\n" FLUID, CHECK, 3, {"s.yaml:1:14: gravity[1]", "nan is not a finite number"}, 0, 0},
    {"NaN at a key", "gravity: { keys: [[0, [0, -9, 0]], [1, [0, .nan, 0]]] }\n" FLUID, CHECK, 3, {"s.yaml:1:44: gravity.keys[1][1][1]", "nan is not a finite number"}, 0, 0},
    {"infinity", "domain: { size: [1, .inf, 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:21: domain.size[1]", "finite"}, 0, 0},
    {"overflow", "time: { fps: 1e999 }\n" FLUID, CHECK, 3, {"s.yaml:1:14: time.fps"}, 0, 0},
    {"bad dimension", "domain: { dim: 4 }\n" FLUID, CHECK, 3, {"s.yaml:1:16: domain.dim", "2 or 3"}, 0, 0},
    {"thin domain", "domain: { size: [1, 1, 0.001], cells: 16 }\n" FLUID, CHECK, 3, {"s.yaml:1:17: domain.size", "two cells"}, 0, 0},
    {"negative density", "fluids:\n  - density: -1\n", CHECK, 3, {"s.yaml:2:14: fluids[0].density", "out of range"}, 0, 0},
    {"negative viscosity", "fluids:\n  - viscosity: -1\n", CHECK, 3, {"s.yaml:2:16: fluids[0].viscosity"}, 0, 0},
    {"two densities", FLUID "  - { name: b, material: oil, fill: [ { box: { min: [0.6, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:3:5", "fluids[1].density", "same density"}, 0, 0},
    {"point too far", FILL("{ sphere: { center: [0.5, 1e9, 0.5], radius: 0.2 } }"), CHECK, 3, {"s.yaml:2:39: fluids[0].fill[0].sphere.center[1]", "1e+09 is out of range", "each -1e6 to 1e6"}, 0, 0},
    {"radius too large", FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 1e9 } }"), CHECK, 3, {"fluids[0].fill[0].sphere.radius", "above 0 to 1e6"}, 0, 0},
    {"fill before the start", FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }, at: -1 }"), CHECK, 3, {"s.yaml:2:69: fluids[0].fill[0].at", "-1 is out of range", "[s], 0 to 1e9"}, 0, 0},
    {"fill at no time", FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }, at: .nan }"), CHECK, 3, {"s.yaml:2:69: fluids[0].fill[0].at", "finite"}, 0, 0},
    {"fill at a word", FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }, at: once }"), CHECK, 3, {"s.yaml:2:69: fluids[0].fill[0].at", "'once' is not what belongs here"}, 0, 0},
    {"fill after the end", FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }, at: 9 }"), CHECK, 0, {"warning: s.yaml:2:13: fluids[0].fill[0]: the fill appears at 9 s, after the last frame", "an earlier at"}, 0, 0},
    {"part of a fill with a time", FILL("{ union: [ { sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }, at: 1 } ] }"), CHECK, 3, {"fluids[0].fill[0].union[0].at: unknown key 'at'"}, 0, 0},
    {"solid with a time", SOLID("shape: { sphere: { center: [0.8, 0.8, 0.5], radius: 0.1 }, at: 1 }"), CHECK, 3, {"solids[0].shape.at: unknown key 'at'"}, 0, 0},
    {"smoke that appears", "solver: { method: smoke }\n" FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }, at: 1 }"), CHECK, 3, {"s.yaml:3:", "fluids[0].fill[0].at: fills of smoke are there at the start", "an emitter with during"}, 0, 0},
    {"look of a fluid", "fluids:\n  - look: glass\n    fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.5, 1] } } ]\n", CHECK, 3, {"s.yaml:2:11: fluids[0].look: 'glass' is not known", "auto, clear, glossy, matte"}, 0, 0},
    {"look of a solid", SOLID("{ shape: { sphere: { center: [0.8, 0.8, 0.5], radius: 0.1 } }, look: hiden }"), CHECK, 3, {"solids[0].look: 'hiden' is not known", "auto, matte, glass, hidden", "'hidden'"}, 0, 0},
    {"viscosity that is no number", "fluids:\n  - viscosity: .nan\n", CHECK, 3, {"s.yaml:2:16: fluids[0].viscosity", "nan is out of range"}, 0, 0},
    {"viscosity that turns negative", "fluids:\n  - viscosity: { keys: [[0, 1], [1, -1]] }\n", CHECK, 3, {"s.yaml:2:", "fluids[0].viscosity.keys[1]", "out of range"}, 0, 0},
    {"negative slip", "domain: { slip: -0.1 }\n" FLUID, CHECK, 3, {"s.yaml:1:17: domain.slip", "-0.1 is out of range", "auto, free, no, or a slip length"}, 0, 0},
    {"slip that is no number", "domain: { slip: .nan }\n" FLUID, CHECK, 3, {"s.yaml:1:17: domain.slip", "out of range"}, 0, 0},
    {"slip of a solid", SOLID("{ shape: { sphere: { center: [0.8, 0.8, 0.5], radius: 0.1 } }, slip: fre }"), CHECK, 3, {"solids[0].slip: 'fre' is not known", "'free'"}, 0, 0},
    {"fluids of one name", FLUID "  - fill: [ { box: { min: [0.6, 0, 0], max: [1, 0.5, 1] } } ]\n", CHECK, 3, {"fluids[1].name", "the name 'water' is used twice"}, 0, 0},
    {"stokes of nothing viscous", "solver: { viscosity: stokes }\nfluids:\n  - viscosity: 0\n    fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.5, 1] } } ]\n", CHECK, 3, {"solver.viscosity"}, 0, 0},
    {"tree levels for too few cells", "domain: { cells: 20 }\nsolver: { viscosity: tree, levels: 6 }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:2:", "solver.levels", "20 cells across", "2 to 5"}, 0, 0},
    {"a tree in a few cells", "domain: { cells: 5 }\nsolver: { viscosity: tree }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"solver.viscosity", "viscosity: full, or more cells"}, 0, 0},
    {"levels of nothing", "solver: { viscosity: full, levels: 3 }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:1:28: solver.levels", "without viscosity: tree"}, 0, 0},
    {"scheme without a tree", "solver: { scheme: wang }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:1:11: solver.scheme", "without viscosity: tree"}, 0, 0},
    {"unknown scheme", "solver: { viscosity: tree, scheme: wanf }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:1:36: solver.scheme", "'wang'"}, 0, 0},
    {"a tree of one size", "solver: { viscosity: tree, levels: 1 }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:1:36: solver.levels", "2 to 10"}, 0, 0},
    {"a tree with mac", "solver: { method: mac, viscosity: tree }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"solver.viscosity", "method mac does not solve viscosity implicitly"}, 0, 0},
    {"a tree in smoke", "solver: { method: smoke, viscosity: tree }\nfluids:\n  - { viscosity: 100, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"solver.viscosity", "means nothing with method 'smoke'"}, 0, 0},
    {"elasticity below zero", "solver: { method: sph }\nfluids:\n  - { fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ], elasticity: -1 }\n", CHECK, 3, {"s.yaml:3:78: fluids[0].elasticity", "-1 is out of range"}, 0, 0},
    {"elasticity that is no number", "solver: { method: sph }\nfluids:\n  - { fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ], elasticity: .nan }\n", CHECK, 3, {"fluids[0].elasticity", "not a finite number"}, 0, 0},
    {"no time to relax", "solver: { method: sph }\nfluids:\n  - { fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ], elasticity: 100, relaxation_time: 0 }\n", CHECK, 3, {"fluids[0].relaxation_time", "0 is out of range", "above 0, or .inf"}, 0, 0},
    {"yield of a word", "solver: { method: sph }\nfluids:\n  - { fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ], elasticity: 100, yield_stress: none }\n", CHECK, 3, {"fluids[0].yield_stress", "'none' is not what belongs here", "or .inf"}, 0, 0},
    {"mobility above one", "solver: { method: sph }\nfluids:\n  - { fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ], elasticity: 100, mobility: 2 }\n", CHECK, 3, {"fluids[0].mobility", "2 is out of range"}, 0, 0},
    {"law of stress", "solver: { method: sph, sph: { stress: corotatonal } }\n" FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 } }"), CHECK, 3, {"solver.sph.stress: 'corotatonal' is not known", "'corotational'"}, 0, 0},
    {"elasticity on a grid", "fluids:\n  - { elasticity: 10, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:2:7: fluids[0].elasticity", "method: sph"}, 0, 0},
    {"interface of one fluid", "solver: { method: sph }\nfluids:\n  - { name: a, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n  - { name: b }\n" "interfaces: [ { between: [a, a] } ]\n", CHECK, 3, {"s.yaml:5:26: interfaces[0].between: an interface of a fluid with itself"}, 0, 0},
    {"interface of an unknown fluid", "solver: { method: sph }\nfluids:\n  - { name: a, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n  - { name: b }\n" "interfaces: [ { between: [a, c] } ]\n", CHECK, 3, {"s.yaml:5:30: interfaces[0].between[1]: 'c' is not known", "[name, name] of two of the fluids"}, 0, 0},
    {"interface twice", "solver: { method: sph }\nfluids:\n  - { name: a, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n  - { name: b }\n" "interfaces: [ { between: [a, b] }, { between: [b, a], tension: 1 } ]\n", CHECK, 3, {"interfaces[1].between: interfaces[0] is between the same fluids", "each pair once"}, 0, 0},
    {"interface of three", "solver: { method: sph }\nfluids:\n  - { name: a, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n  - { name: b }\n" "interfaces: [ { between: [a, b, a] } ]\n", CHECK, 3, {"interfaces[0].between", "[name, name] of two of the fluids"}, 0, 0},
    {"interface on a grid", "fluids:\n  - { name: a, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n  - { name: b }\ninterfaces: [ { between: [a, b] } ]\n", CHECK, 3, {"interfaces: only particles alone know of interfaces", "method: sph"}, 0, 0},
    {"yield of what is drawn along", "solver: { method: sph, sph: { stress: upper-convected } }\nfluids:\n  - { elasticity: 100, yield_stress: 5, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:3:38: fluids[0].yield_stress: upper-convected stress does not yield", "stress: corotational"}, 0, 0},
    {"no yield of what is drawn along", "solver: { method: sph, sph: { stress: upper-convected } }\nfluids:\n  - { elasticity: 100, yield_stress: .inf, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 0, {0}, 0, 0},
    {"a material's yield, drawn along", "solver: { method: sph, sph: { stress: upper-convected } }\nfluids:\n  - { material: dough, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 0, {0}, 0, 0},
    {"mobility of what turns", "solver: { method: sph }\nfluids:\n  - { elasticity: 100, mobility: 0.2, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:3:34: fluids[0].mobility", "has no mobility", "stress: upper-convected"}, 0, 0},
    {"melting zone of a float", "fluids:\n  - { latent_heat: 2e5, melting: [52, 52.000001], fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:2:34: fluids[0].melting: the melting zone is too narrow", "at least 0.001 K apart"}, 0, 0},
    {"narrow melting zone", "fluids:\n  - { latent_heat: 2e5, melting: [52, 52.001], viscosity: 1, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 0, {0}, 0, 0},
    {"paint of no density", "fluids:\n  - { look: particles, paint: density, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:2:31: fluids[0].paint: particles of method flip have no density", "method: sph"}, 0, 0},
    {"paint of one temperature", "fluids:\n  - { look: particles, paint: temperature, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:2:31: fluids[0].paint: nothing in the scene is warmer or colder", "allowed: color, speed"}, 0, 0},
    {"balls of smoke", "solver: { method: smoke }\nfluids:\n  - { look: particles, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:3:13: fluids[0].look: method smoke has no particles", "allowed: auto"}, 0, 0},
    {"paint of smoke", "solver: { method: smoke }\nfluids:\n  - { paint: speed, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"s.yaml:3:14: fluids[0].paint: method smoke has no particles", "allowed: color"}, 0, 0},
    {"paint of temperature with sph", "solver: { method: sph }\nfluids:\n  - { paint: temperature, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n", CHECK, 3, {"fluids[0].paint: nothing in the scene is warmer", "allowed: color, speed, density\n"}, 0, 0},
    {"tension below zero", "solver: { method: sph }\nfluids:\n  - { name: a, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n  - { name: b }\n" "interfaces: [ { between: [a, b], tension: -0.5 } ]\n", CHECK, 3, {"s.yaml:5:43: interfaces[0].tension: -0.5 is out of range", "or -1"}, 0, 0},
    {"tension between fluids by curvature", "solver: { method: sph, sph: { tension: curvature } }\nfluids:\n  - { name: a, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] }\n  - { name: b }\n" "interfaces: [ { between: [a, b], tension: 0.05 } ]\n", CHECK, 3, {"s.yaml:5:43: interfaces[0].tension", "surfaces against air only", "tension: cohesion"}, 0, 0},
    {"negative radius", FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: -0.2 } }"), CHECK, 3, {"s.yaml:2:58: fluids[0].fill[0].sphere.radius"}, 0, 0},
    {"missing radius", FILL("{ sphere: { center: [0.5, 0.5, 0.5] } }"), CHECK, 3, {"fluids[0].fill[0].sphere.radius", "missing"}, 0, 0},
    {"empty box", FILL("{ box: { min: [0.5, 0, 0], max: [0.5, 1, 1] } }"), CHECK, 3, {"s.yaml:2:20: fluids[0].fill[0].box", "min below max"}, 0, 0},
    {"plane without normal", FILL("{ plane: { point: [0, 0.5, 0], normal: [0, 0, 0] } }"), CHECK, 3, {"normal has no length"}, 0, 0},
    {"zero scale", FILL("{ sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 }, scale: 0 }"), CHECK, 3, {"fluids[0].fill[0].scale"}, 0, 0},
    {"empty union", FILL("{ union: [] }"), CHECK, 3, {"s.yaml:2:", "fluids[0].fill[0].union: an empty list", "a list of shapes"}, 0, 0},
    {"unsorted keys", "gravity: { keys: [[0, [0, -9.81, 0]], [2, [0, 0, 0]], [1, [0, 0, 0]]] }\n" FLUID, CHECK, 3, {"s.yaml:1:55: gravity.keys[2]", "rise"}, 0, 0},
    {"keys without values", "gravity: { keys: [0, 1] }\n" FLUID, CHECK, 3, {"s.yaml:1:19: gravity.keys[0]"}, 0, 0},
    {"keys with short values", "gravity: { keys: [[0, [0, -9.81]]] }\n" FLUID, CHECK, 3, {"s.yaml:1:23: gravity.keys[0][1]: a list of 2 numbers", "[x, y, z]"}, 0, 0},
    {"keys misspelt", "gravity: { kyes: [[0, [0, -9.81, 0]]] }\n" FLUID, CHECK, 3, {"s.yaml:1:12: gravity", "'keys'"}, 0, 0},
    {"span backwards", FLUID "emitters:\n  - { shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } }, during: [2, 1] }\n", CHECK, 3, {"s.yaml:4:76: emitters[0].during", "empty"}, 0, 0},
    {"keyed without keys", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, motion: keyed }"), CHECK, 3, {"solids[0].motion", "needs position or rotation"}, 0, 0},
    {"static with a density", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, density: 1000 }"), CHECK, 3, {"s.yaml:4:68: solids[0].density", "means nothing for a static solid", "motion: dynamic"}, 0, 0},
    {"keyed with a velocity", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, velocity: [1, 0, 0], position: [0.8, 0.5, 0.5] }"), CHECK, 3, {"s.yaml:4:68: solids[0].velocity", "means nothing for a keyed solid"}, 0, 0},
    {"matte container", SOLID("{ shape: { box: { min: [0.1, 0.1, 0.1], max: [0.9, 0.9, 0.9] } }, inside: fluid, look: matte }"), CHECK, 3, {"s.yaml:4:", "solids[0].look", "would hide all it holds", "glass or auto"}, 0, 0},
    {"look misspelt", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, look: glas }"), CHECK, 3, {"s.yaml:4:", "solids[0].look", "'glass'", "allowed: auto, matte, glass"}, 0, 0},
    {"camera without direction", FLUID "camera: { eye: [1, 1, 1], target: [1, 1, 1] }\n", CHECK, 3, {"s.yaml:3:35: camera.target"}, 0, 0},

    /* names of the contract that this version does not have */
    {"body between periodic sides", "domain: { size: [1, 1, 1], cells: 8, walls: { x: periodic } }\n" FLUID "solids: [ { motion: dynamic, shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.12 } } } ]\n", CHECK, 0, {"warning: s.yaml:4:37: solids[0].shape: the run ends when this body comes to a periodic side, along x"}, 0, 0},
    {"thin solid between periodic sides", "domain: { cells: 16, walls: { x: periodic } }\n" FLUID "solids:\n  - { shape: { sphere: { center: [0.7, 0.7, 0.5], radius: 0.2 } } }\n  - { shape: { box: { min: [0.6, 0, 0.2], max: [0.61, 0.4, 0.8] } } }\n", CHECK, 3, {"s.yaml:6:14: solids[1].shape: the solid is thinner than a cell (0.062 m)", "periodic sides", "allowed: solids thicker"}, 0, 0},
    {"periodic on one side", "domain: { walls: { left: periodic } }\n" FLUID, CHECK, 3, {"domain.walls", "the opposite side is not"}, 0, 0},
    {"periodic with cells that are slow to solve", "domain: { cells: 64, size: [1, 0.5625, 1], walls: { y: periodic } }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "36 cells along y", "a multiple of 8", "32 or 40"}, 0, 0},
    {"periodic with odd cells", "domain: { cells: 45, walls: { x: periodic } }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "45 cells along x", "a multiple of 8", "40 or 48"}, 0, 0},
    {"periodic with mic", "domain: { walls: { x: periodic } }\nsolver: { pressure: mic }\n" FLUID, CHECK, 3, {"s.yaml:2:21: solver.pressure", "multigrid"}, 0, 0},
    {"periodic with mac", "domain: { walls: { x: periodic } }\nsolver: { method: mac }\n" FLUID, CHECK, 3, {"domain.walls", "method mac has no periodic sides"}, 0, 0},
    {"periodic with separation", "domain: { walls: { x: periodic } }\nsolver: { separation: true }\n" FLUID, CHECK, 3, {"solver.separation"}, 0, 0},
    {"separation with mac", "solver: { method: mac, separation: true }\n" FLUID, CHECK, 3, {"s.yaml:1:36: solver.separation: method mac has no separation", "allowed: false; method: flip, apic, pic, semi-lagrangian"}, 0, 0},
    {"particles' keys on a grid", "solver: { method: flip, sph: { kernel: cubic } }\n" FLUID, CHECK, 3, {"s.yaml:1:25: solver.sph", "means nothing with method 'flip'", "allowed: method: sph"}, 0, 0},
    {"a grid's keys with particles", "solver: { method: sph, pic_blend: 0.1 }\n" FLUID, CHECK, 3, {"s.yaml:1:24: solver.pic_blend", "means nothing with method 'sph'", "leave it out"}, 0, 0},
    {"a grid's pressure with particles", "solver: { method: sph, pressure: mic }\n" FLUID, CHECK, 3, {"solver.pressure", "means nothing with method 'sph'"}, 0, 0},
    {"particles apart by less than nothing", "solver: { method: sph, sph: { spacing: -0.01 } }\n" FLUID, CHECK, 3, {"solver.sph.spacing", "-0.01 is out of range"}, 0, 0},
    {"unknown kernel", "solver: { method: sph, sph: { kernel: cubical } }\n" FLUID, CHECK, 3, {"solver.sph.kernel", "did you mean 'cubic'?"}, 0, 0},
    {"bodies as fluid among particles", "solver: { method: sph, coupling: rigid-fluid }\n" FLUID, CHECK, 3, {"solver.coupling", "monolithic, solid-to-fluid"}, 0, 0},
    {"pressure to draw of particles", "solver: { method: sph }\noutput: { surface: pressure }\n" FLUID, CHECK, 3, {"output.surface", "no pressure on a grid"}, 0, 0},
    {"level set", "solver: { method: levelset }\n" FLUID, CHECK, 3, {"s.yaml:1:19: solver.method", "not in this version"}, 0, 0},
    {"dynamic with keys", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, motion: dynamic, position: { keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]] } }"), CHECK, 3, {"s.yaml:4:76: solids[0].motion", "a dynamic solid has no position or rotation keys"}, 0, 0},
    {"joint to nobody", BODY(", name: lever", "joints: [ { type: hinge, a: lever, b: wall, anchor: [0.5, 0.5, 0.5] }, { type: ball, a: levr } ]"), CHECK, 3, {"s.yaml:5:39: joints[0].b", "'wall' is not known"}, 0, 0},
    {"joint misspelt", BODY(", name: lever", "joints: [ { type: ball, a: levr } ]"), CHECK, 3, {"s.yaml:5:28: joints[0].a", "did you mean 'lever'"}, 0, 0},
    {"joint with itself", BODY(", name: lever", "joints: [ { type: ball, a: lever, b: lever } ]"), CHECK, 3, {"joints[0].b", "a joint of a solid with itself"}, 0, 0},
    {"motor without torque", BODY(", name: lever", "joints: [ { type: motor, a: lever } ]"), CHECK, 3, {"joints[0].force", "a motor needs"}, 0, 0},
    {"driven ball joint", BODY(", name: lever", "joints: [ { type: ball, a: lever, speed: 3, force: 5 } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].force: a ball joint turns freely: nothing drives it", "hinge, motor or slider"}, 0, 0},
    {"fixed joint with a speed", BODY(", name: lever", "joints: [ { type: fixed, a: lever, speed: 3 } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].speed", "hinge, motor or slider"}, 0, 0},
    {"ball joint with limits", BODY(", name: lever", "joints: [ { type: ball, a: lever, limits: [-10, 10] } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].limits", "it has no limits"}, 0, 0},
    {"hinge without a direction", BODY(", name: lever", "joints: [ { type: hinge, a: lever, axis: [0, 0, 0] } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].axis", "no length"}, 0, 0},
    {"limits backwards", BODY(", name: lever", "joints: [ { type: hinge, a: lever, limits: [20, 10] } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].limits", "leave nothing"}, 0, 0},
    {"hinge limits past the start", BODY(", name: lever", "joints: [ { type: motor, force: 1, a: lever, limits: [20, 90] } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].limits", "do not hold the start (0)", "-180 to 0"}, 0, 0},
    {"slider limits past the start", BODY(", name: lever", "joints: [ { type: slider, a: lever, limits: [-0.3, -0.1] } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].limits", "do not hold the start (0)", "in m"}, 0, 0},
    {"hinge limits past half a turn", BODY(", name: lever", "joints: [ { type: hinge, a: lever, limits: [-90, 400] } ]"), CHECK, 3, {"s.yaml:5:", "joints[0].limits", "400 degrees is out of range", "-180 to 180"}, 0, 0},
    {"solid called world", BODY(", name: world", ""), CHECK, 3, {"s.yaml:4:", "solids[0].name", "joints call the world"}, 0, 0},
    {"body on a periodic side", "domain: { cells: 16, walls: { x: periodic } }\n" FLUID "solids:\n  - { name: ball, motion: dynamic, shape: { sphere: { center: [0.9, 0.7, 0.5], radius: 0.12 } } }\n", CHECK, 3, {"s.yaml:5:", "solids[0].shape", "'ball' reaches a periodic side along x", "0.78 to 1.02 m"}, 0, 0},
    {"joint of the world", BODY(", name: lever", "joints: [ { type: ball, a: world } ]"), CHECK, 3, {"joints[0].a", "neither end of the joint can move"}, 0, 0},
    {"joint misnamed", BODY(", name: lever", "joints: [ { type: hing, a: lever } ]"), CHECK, 3, {"s.yaml:5:19: joints[0].type", "did you mean 'hinge'"}, 0, 0},
    {"equal keys", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, motion: keyed, position: { keys: [[0, [0, 0, 0]], [0, [1, 0, 0]]] } }"), CHECK, 3, {"s.yaml:4:", "solids[0].position.keys[1]", "must rise"}, 0, 0},
    {"no keys", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, motion: keyed, position: { keys: [] } }"), CHECK, 3, {"s.yaml:4:", "solids[0].position.keys: an empty list"}, 0, 0},
    {"key at no time", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, motion: keyed, position: { keys: [[.nan, [0, 0, 0]]] } }"), CHECK, 3, {"s.yaml:4:", "solids[0].position.keys[0]", "not finite"}, 0, 0},
    {"density of nothing", BODY(", density: .nan", ""), CHECK, 3, {"s.yaml:4:94: solids[0].density", "not a finite number"}, 0, 0},
    {"density of a star", BODY(", density: 1e30", ""), CHECK, 3, {"s.yaml:4:94: solids[0].density", "out of range"}, 0, 0},
    {"body in a body", SOLID("{ name: big, shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.3 } }, motion: dynamic }\n  - { name: small, shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.1 } }, motion: dynamic }"), CHECK, 3, {"s.yaml:4:", "solids[0].shape", "the body overlaps 'small'"}, 0, 0},
    {"thin ball", SOLID("{ thin: true, shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } } }"), CHECK, 3, {"s.yaml:4:", "solids[0].thin", "for meshes"}, 0, 0},
    {"liquid in a body only", "fluids:\n  - fill: [ { sphere: { center: [0.5, 0.5, 0.5], radius: 0.05 } } ]\nsolids:\n  - { shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 } }, motion: dynamic }\n", CHECK, 3, {"s.yaml:2:", "fluids[0].fill[0]", "entirely inside solids"}, 0, 0},
    {"zero density", BODY(", density: 0", ""), CHECK, 3, {"s.yaml:4:94: solids[0].density", "0 is out of range", "0.001 to 100000"}, 0, 0},
    {"negative density", BODY(", density: -5", ""), CHECK, 3, {"s.yaml:4:94: solids[0].density", "-5 is out of range"}, 0, 0},
    {"body outside", SOLID("{ shape: { sphere: { center: [1.5, 0.7, 0.5], radius: 0.1 } }, motion: dynamic }"), CHECK, 3, {"s.yaml:4:14: solids[0].shape", "outside the domain"}, 0, 0},
    {"body in the wall", SOLID("{ shape: { sphere: { center: [0.97, 0.7, 0.5], radius: 0.1 } }, motion: dynamic }"), CHECK, 3, {"s.yaml:4:14: solids[0].shape", "closed right side"}, 0, 0},
    {"body without end", SOLID("{ shape: { plane: { point: [0.5, 0.9, 0.5], normal: [0, -1, 0] } }, motion: dynamic }"), CHECK, 3, {"s.yaml:4:14: solids[0].shape", "without a finite volume"}, 0, 0},
    {"bodies in each other", BODY(", name: one", "  - { name: two, shape: { box: { min: [0.75, 0.65, 0.4], max: [0.9, 0.8, 0.6] } }, motion: dynamic }"), CHECK, 3, {"s.yaml:4:14: solids[0].shape", "the body overlaps 'two' by"}, 0, 0},
    {"body in a solid", BODY(", name: one", "  - { name: rock, shape: { box: { min: [0.75, 0.65, 0.4], max: [0.9, 0.8, 0.6] } } }"), CHECK, 3, {"s.yaml:4:14: solids[0].shape", "the body overlaps 'rock' by"}, 0, 0},
    {"body in its like", "domain: { cells: 12 }\n" BODY("", "  - { shape: { sphere: { center: [0.8, 0.7, 0.5], radius: 0.1 } }, motion: dynamic }"), CHECK, 3, {"s.yaml:5:14: solids[0].shape: the body overlaps 'solid1' by 0.1 m near (0.8, 0.7, 0.5)", "bodies apart"}, 0, 0},
    {"box in its like", "domain: { cells: 12 }\n" SOLID("{ shape: { box: { min: [0.6, 0.6, 0.3], max: [0.9, 0.9, 0.7] } }, motion: dynamic }\n  - { name: rock, shape: { box: { min: [0.6, 0.6, 0.3], max: [0.9, 0.9, 0.7] } } }"), CHECK, 3, {"s.yaml:5:14: solids[0].shape: the body overlaps 'rock'"}, 0, 0},
    {"like bodies on a joint", BODY(", name: one", "  - { name: two, shape: { sphere: { center: [0.8, 0.7, 0.5], radius: 0.1 } }, motion: dynamic }\njoints: [ { type: fixed, a: one, b: two } ]"), CHECK, 0, {0}, 0, 0},
    {"a body runs all the same", BODY(", name: one", "  - { name: rock, shape: { box: { min: [0.6, 0.3, 0.4], max: [0.9, 0.55, 0.6] } } }"), CHECK, 0, {0}, 0, 0},
    {"dynamic container", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, motion: dynamic, inside: fluid }"), CHECK, 3, {"s.yaml:4:76: solids[0].motion", "inside: solid"}, 0, 0},

    /* half of what belongs together */
    {"axis without an angle", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, rotation: { axis: [0, 1, 0] } }"), CHECK, 3, {"s.yaml:4:78: solids[0].rotation.degrees: 'degrees' is missing", "allowed: a number [degrees]", "keys: [[time, value], ...]"}, 0, 0},
    {"rotation of nothing", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, motion: keyed, rotation: {} }"), CHECK, 3, {"solids[0].rotation.degrees: 'degrees' is missing"}, 0, 0},
    {"turn without an angle", SOLID("{ shape: { box: { min: [0.6, 0.1, 0.1], max: [0.9, 0.2, 0.2] }, rotate: { axis: [0, 1, 0] } } }"), CHECK, 3, {"s.yaml:4:77: solids[0].shape.rotate.degrees: 'degrees' is missing"}, 0, 0},
    {"rotation without keys", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, rotation: { axis: [0, 1, 0], keys: [] } }"), CHECK, 3, {"solids[0].rotation.keys: an empty list"}, 0, 0},
    {"capsule without a radius", SOLID("shape: { capsule: { from: [0.8, 0.5, 0.5], to: [0.8, 0.8, 0.5] } }"), CHECK, 3, {"solids[0].shape.capsule.radius: 'radius' is missing"}, 0, 0},
    {"hinge without an axis", BODY(", name: lever", "joints: [ { type: hinge, a: lever, anchor: [0.8, 0.9, 0.5] } ]"), CHECK, 0, {"warning: s.yaml:5:11: joints[0]: no axis is given: the joint turns about z"}, 0, 0},
    {"slider without an axis", BODY(", name: lever", "joints: [ { type: slider, a: lever } ]"), CHECK, 0, {"warning: s.yaml:5:11: joints[0]: no axis is given: the joint slides along z"}, 0, 0},
    {"speed without a force", BODY(", name: lever", "joints: [ { type: hinge, a: lever, anchor: [0.8, 0.9, 0.5], axis: [0, 0, 1], speed: { keys: [[0, 0], [1, 3]] } } ]"), CHECK, 0, {"warning: s.yaml:5:11: joints[0]: no force is given: nothing drives the joint"}, 0, 0},
    {"emitter of any fluid", FLUID "  - { name: red, fill: [ { box: { min: [0.6, 0, 0], max: [1, 0.5, 1] } } ] }\nemitters:\n  - { shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } } }\n", CHECK, 0, {"warning: s.yaml:5:5: emitters[0]: no fluid is given: 'water' comes out, the first of 2"}, 0, 0},
    {"samples at a point", FLUID "probes:\n  - { name: p, from: [0.2, 0.2, 0.5], samples: 9, of: [phi] }\n", CHECK, 0, {"warning: s.yaml:4:5: probes[0]: no end of the line is given: its 9 samples are one point"}, 0, 0},
    {"line without length", FLUID "probes:\n  - { name: p, from: [0.2, 0.2, 0.5], to: [0.2, 0.2, 0.5], of: [phi] }\n", CHECK, 0, {"warning: s.yaml:4:5: probes[0]: the line has no length: its 64 samples are one point"}, 0, 0},
    {"plane slider without an axis", "domain: { dim: 2, size: [1, 1], cells: 16 }\n" BODY(", name: lever", "joints: [ { type: slider, a: lever } ]"), CHECK, 3, {"s.yaml:6:11: joints[0].axis: the axis has no length in the plane", "allowed: [x, y], not 0 0"}, 0, 0},
    {"plane hinge about x", "domain: { dim: 2, size: [1, 1], cells: 16 }\n" BODY(", name: lever", "joints: [ { type: hinge, a: lever, anchor: [0.8, 0.9], axis: [1, 0, 0] } ]"), CHECK, 3, {"joints[0].axis: a plane scene turns about z, not about [1, 0, 0]"}, 0, 0},
    {"joint twice", BODY(", name: lever", "joints: [ { type: ball, a: lever, anchor: [0.8, 0.9, 0.5] }, { type: ball, a: world, b: lever, anchor: [0.8, 0.9, 0.5] } ]"), CHECK, 3, {"s.yaml:5:62: joints[1]: joints[0] holds these two in the same way already", "allowed: each once"}, 0, 0},
    {"motor on its hinge", BODY(", name: lever", "joints: [ { type: hinge, a: lever, axis: [0, 0, 1], anchor: [0.8, 0.9, 0.5] }, { type: motor, force: 9, a: lever, axis: [0, 0, -2], anchor: [0.8, 0.9, 0.1] } ]"), CHECK, 3, {"joints[1]: joints[0] holds these two in the same way already: one hinge is enough", "one motor has limits, speed and force"}, 0, 0},
    {"fixed twice", BODY(", name: lever", "joints: [ { type: fixed, a: lever }, { type: fixed, a: lever, anchor: [1, 1, 1] } ]"), CHECK, 3, {"joints[1]: joints[0] holds these two in the same way"}, 0, 0},
    {"two ball joints apart", BODY(", name: lever", "joints: [ { type: ball, a: lever, anchor: [0.8, 0.9, 0.4] }, { type: ball, a: lever, anchor: [0.8, 0.9, 0.6] } ]"), CHECK, 0, {0}, 0, 0},

    /* what only smoke has, and what smoke has not */
    {"air around a liquid", "heat: { ambient: 35 }\n" FLUID, CHECK, 0, {0}, 0, 0},
    {"heat of a liquid", "heat: { ambient: 20, sources: [ { shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.1 } }, temperature: 90 } ] }\n" FLUID, CHECK, 0, {0}, 0, 0},
    {"power beside a temperature", "heat: { sources: [ { shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.1 } }, temperature: 90, power: 5 } ] }\n" FLUID, CHECK, 3, {"s.yaml:1:20: heat.sources[0]", "not both"}, 0, 0},
    {"source of nothing", "heat: { sources: [ { shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.1 } } } ] }\n" FLUID, CHECK, 3, {"heat.sources[0]", "'temperature' is missing", "or a power"}, 0, 0},
    {"power without liquid", "heat: { sources: [ { shape: { sphere: { center: [0.9, 0.9, 0.5], radius: 0.05 } }, power: 5 } ] }\n" FLUID, CHECK, 0, {"heat.sources[0].shape", "no liquid in it at the start", "power goes nowhere"}, 0, 0},
    {"colder than nothing is", "fluids:\n  - { temperature: -300, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:2:20: fluids[0].temperature", "-300 is out of range"}, 0, 0},
    {"negative conductivity", "fluids:\n  - { conductivity: -1, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].conductivity", "-1 is out of range"}, 0, 0},
    {"heat capacity of no number", "fluids:\n  - { heat_capacity: .nan, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].heat_capacity", "not a finite number"}, 0, 0},
    {"negative latent heat", "fluids:\n  - { latent_heat: -1, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].latent_heat", "-1 is out of range"}, 0, 0},
    {"latent heat without a zone", "fluids:\n  - { latent_heat: 2e5, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].melting", "needs temperatures"}, 0, 0},
    {"melting upside down", "fluids:\n  - { latent_heat: 2e5, melting: [56, 52], fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"s.yaml:2:34: fluids[0].melting", "from 56 to 52 is empty"}, 0, 0},
    {"law upside down", "fluids:\n  - { viscosity: { law: linear, temperature: [[60, 1], [50, 9]] }, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].viscosity", "upside down"}, 0, 0},
    {"law of nothing", "fluids:\n  - { viscosity: { law: exponential, temperature: [[50, 1], [60, 0]] }, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].viscosity", "no exponential"}, 0, 0},
    {"unknown law", "fluids:\n  - { viscosity: { law: cubic, temperature: [[50, 1], [60, 0]] }, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].viscosity.law", "'cubic' is not known", "exponential"}, 0, 0},
    {"half a law", "fluids:\n  - { viscosity: { law: linear, temperature: [[50, 1]] }, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] }\n", CHECK, 3, {"fluids[0].viscosity.temperature", "twice"}, 0, 0},
    {"warm side that is none", "heat: { walls: { botom: 90 } }\n" FLUID, CHECK, 3, {"unknown side 'botom'", "'bottom'"}, 0, 0},
    {"warm liquid around the box", "domain: { walls: { x: periodic } }\nheat: { exchange: 5 }\n" FLUID, CHECK, 3, {"heat in liquids and periodic sides"}, 0, 0},
    {"volume of a liquid", "output: { volume: true }\n" FLUID, CHECK, 3, {"s.yaml:1:19: output.volume", "smoke only"}, 0, 0},
    {"mesh of smoke", "solver: { method: smoke }\noutput: { mesh: true }\n" FLUID, CHECK, 3, {"s.yaml:2:17: output.mesh", "no surface"}, 0, 0},
    {"particles of smoke", "solver: { method: smoke }\noutput: { particles: true }\n" FLUID, CHECK, 3, {"output.particles", "no particles"}, 0, 0},
    {"blend of smoke", "solver: { method: smoke, pic_blend: 0.1 }\n" FLUID, CHECK, 3, {"s.yaml:1:26: solver.pic_blend", "means nothing with method 'smoke'"}, 0, 0},
    {"advection misspelt", "solver: { method: smoke, advection: macormack }\n" FLUID, CHECK, 3, {"s.yaml:1:37: solver.advection", "'maccormack'"}, 0, 0},
    {"negative confinement", "solver: { method: smoke, confinement: -1 }\n" FLUID, CHECK, 3, {"solver.confinement", "out of range"}, 0, 0},
    {"below absolute zero", "solver: { method: smoke }\nheat: { ambient: -300 }\n" FLUID, CHECK, 3, {"s.yaml:2:18: heat.ambient", "-273.15"}, 0, 0},
    {"two fluids of smoke", "solver: { method: smoke }\nfluids:\n  - { name: a }\n  - { name: b }\n", CHECK, 3, {"fluids[1]", "one fluid"}, 0, 0},
    {"heat source without a shape", "solver: { method: smoke }\nheat: { sources: [ { temperature: 90 } ] }\n" FLUID, CHECK, 3, {"s.yaml:2:20: heat.sources[0].shape", "missing"}, 0, 0},
    {"heat source outside", "solver: { method: smoke }\nheat: { sources: [ { shape: { sphere: { center: [5, 5, 5], radius: 0.1 } }, temperature: 90 } ] }\n" FLUID, CHECK, 0, {"warning: s.yaml:2:29: heat.sources[0].shape: the heat source lies outside the domain"}, 0, 0},
    {"heat source of an open mesh", "solver: { method: smoke }\nheat: { sources: [ { shape: { mesh: { file: m.obj } }, temperature: 90 } ] }\n" FLUID, CHECK, 3, {"s.yaml:2:29: heat.sources[0].shape", "m.obj: hole near"}, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
    {"keys of all but no time", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, position: { keys: [[0, [0.8, 0.5, 0.5]], [1e-300, [0.8, 0.7, 0.5]]] } }"), CHECK, 0, {"warning: s.yaml:4:", "solids[0].position.keys[1]: the solid leaps 0.2 m in 1e-300 s", "e+299 in a frame"}, 0, 0},
    {"negative rate", "solver: { method: smoke }\n" FLUID "emitters:\n  - { shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } }, rate: -1 }\n", CHECK, 3, {"emitters[0].rate", "out of range"}, 0, 0},
    {"surface probe of smoke", "solver: { method: smoke }\n" FLUID "probes:\n  - { name: a, from: [0.5, 0.5, 0.5], of: [phi] }\n", CHECK, 3, {"probes[0].of", "no surface"}, 0, 0},

    /* what the doctor finds */
    {"no fluids", "domain: { cells: 16 }\n", CHECK, 3, {"s.yaml:1:1: fluids", "missing"}, 0, 0},
    {"empty fluids", "fluids: []\n", CHECK, 3, {"fluids", "no fluid at all"}, 0, 0},
    {"no fill", "fluids:\n  - name: water\n", CHECK, 3, {"s.yaml:2:3: fluids", "no fluid at all"}, 0, 0},
    {"fill between the grid's points", "domain: { cells: 8 }\n" FILL("{ box: { min: [0.01, 0, 0], max: [0.02, 1, 1] } }"), CHECK, 3, {"s.yaml:3:11: fluids[0].fill: there is no fluid at all", "eighth of a cell (0.0625 m)", "a larger fill, more cells, or an emitter"}, 0, 0},
    {"fill beside another that is too thin", "domain: { cells: 8 }\n" FILL("{ box: { min: [0.01, 0, 0], max: [0.02, 1, 1] } }, { box: { min: [0, 0, 0], max: [1, 0.5, 1] } }"), CHECK, 0, {0}, 0, 0},
    {"fill that a solid hides from the grid", "domain: { cells: 8 }\n" FILL("{ box: { min: [0.01, 0.01, 0.01], max: [0.06, 0.06, 0.06] } }") "solids:\n  - shape: { box: { min: [0.02, 0.02, 0.02], max: [0.5, 0.5, 0.5] } }\n", CHECK, 3, {"fluids[0].fill", "no fluid at all", "outside solids"}, 0, 0},
    {"fill that takes itself away", FILL("{ difference: [ { sphere: { center: [0.5, 0.5, 0.5], radius: 0.2 } }, { sphere: { center: [0.5, 0.5, 0.5], radius: 0.3 } } ] }"), CHECK, 3, {"warning: s.yaml:2:13: fluids[0].fill[0]: the fill is empty", "every fill is empty or lies outside"}, 0, 0},
    {"gravity out of the plane", "domain: { dim: 2, size: [1, 1], cells: 16 }\ngravity: [0, 0, -9.81]\n" FILL("{ box: { min: [0, 0], max: [0.5, 0.5] } }"), CHECK, 0, {"warning: s.yaml:2:10: gravity: a plane scene has x and y only"}, 0, 0},
    {"turn out of the plane", "domain: { dim: 2, size: [1, 1], cells: 16 }\n" FILL("{ box: { min: [0.2, 0.2], max: [0.5, 0.5] }, rotate: { axis: [1, 0, 0], degrees: 60 } }"), CHECK, 3, {"fluids[0].fill[0].rotate.axis: a plane scene turns about z, not about [1, 0, 0]", "[0, 0, 1]"}, 0, 0},
    {"keys that turn out of the plane", "domain: { dim: 2, size: [1, 1], cells: 16 }\n" FILL("{ box: { min: [0, 0], max: [0.5, 0.2] } }") "solids:\n  - { motion: keyed, shape: { box: { min: [0.4, 0.5], max: [0.6, 0.7] } }, rotation: { axis: [0, 1, 0], keys: [[0, 0], [1, 90]] } }\n", CHECK, 3, {"s.yaml:5:", "solids[0].rotation.axis: a plane scene turns about z"}, 0, 0},
    {"turn about -z in the plane", "domain: { dim: 2, size: [1, 1], cells: 16 }\n" FILL("{ box: { min: [0.2, 0.2], max: [0.5, 0.5] }, rotate: { axis: [0, 0, -2], degrees: 60 } }"), CHECK, 0, {0}, 0, 0},
    {"number for a box", FILL("{ box: 3 }"), CHECK, 3, {"fluids[0].fill[0].box: a single value", "of: min, max"}, 0, 0},
    {"angle for a turn", FILL("{ box: { min: [0, 0, 0], max: [1, 1, 1] }, rotate: 45 }"), CHECK, 3, {"fluids[0].fill[0].rotate: a single value", "of: axis, degrees"}, 0, 0},
    {"keys and degrees", SOLID("{ shape: { sphere: { center: [0.8, 0.5, 0.5], radius: 0.1 } }, rotation: { keys: [[0, 0], [1, 9]], degrees: 3 } }"), CHECK, 3, {"s.yaml:4:", "solids[0].rotation: 'degrees' does not go with keys", "axis and degrees"}, 0, 0},
    {"fill outside", FILL("{ box: { min: [3, 0, 0], max: [4, 1, 1] } }"), CHECK, 3, {"s.yaml:2:11: fluids[0].fill", "outside the domain"}, 0, 0},
    {"fluid inside a solid", SOLID("shape: { box: { min: [-1, -1, -1], max: [0.9, 0.9, 2] } }"), CHECK, 3, {"s.yaml:2:13: fluids[0].fill[0]", "entirely inside solids"}, 0, 0},
    {"emitter outside", "fluids:\n  - name: water\nemitters:\n  - shape: { sphere: { center: [5, 5, 5], radius: 0.1 } }\n", CHECK, 3, {"emitters", "no fluid at all"}, 0, 0},
    {"absurd memory", "domain: { cells: 4096 }\n" FLUID, CHECK, 3, {"s.yaml:1:18: domain.cells", "TB of memory", "fewer cells"}, 0, 0},
    {"absurd memory in a run", "domain: { cells: 4096 }\n" FLUID, "run s.yaml --out o", 3, {"s.yaml:1:18: domain.cells", "TB of memory"}, 0, 0},
    {"mesh with a slip", MESH("wrld.obj"), CHECK, 3, {"s.yaml:4:28: solids[0].shape.mesh.file", "wrld.obj", "did you mean 'world.obj'?"}, "world.obj", "v 0 0 0\n"},
    {"missing mesh", MESH("none.obj"), CHECK, 3, {"s.yaml:4:28: solids[0].shape.mesh.file", "none.obj", "OBJ, PLY or STL"}, 0, 0},
    {"mesh is a directory", MESH("/"), CHECK, 3, {"s.yaml:4:28: solids[0].shape.mesh.file", "not a file"}, 0, 0},
    {"empty mesh", MESH("m.obj"), CHECK, 3, {"s.yaml:4:12: solids[0].shape", "m.obj: "}, "m.obj", ""},
    {"open mesh", MESH("m.obj"), CHECK, 3, {"s.yaml:4:12: solids[0].shape", "m.obj: hole near", "thin: true"}, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"},
    {"open mesh in millimetres", SOLID("shape: { mesh: { file: m.obj, scale: 0.001 } }"), CHECK, 3, {"m.obj: hole near (250, 0, 0) in the file's coordinates"}, "m.obj", "v 0 0 0\nv 500 0 0\nv 0 500 0\nv 0 0 500\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"},
    {"mesh with a triangle turned", SOLID("shape: { mesh: { file: m.obj, scale: 0.5 }, move: [0.5, 0.2, 0.2] }"), CHECK, 0, {"warning: s.yaml:4:12: solids[0].shape: 1 triangle of the mesh faced the wrong way and is turned"}, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 4 2\nf 2 3 4\nf 3 1 4\n"},
    {"mesh with a mark of UTF-8", SOLID("shape: { mesh: { file: m.obj, scale: 0.4 }, move: [0.5, 0.5, 0.5] }"), CHECK, 0, {0}, "m.obj", "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"},
    {"solid of which nothing is left", SOLID("shape: { intersection: [ { box: { min: [0.6, 0.6, 0.1], max: [0.7, 0.7, 0.2] } }, { sphere: { center: [0.9, 0.9, 0.9], radius: 0.1 } } ] }"), CHECK, 0, {"warning: s.yaml:4:12: solids[0].shape: the solid is empty: nothing is left of its shapes"}, 0, 0},
    {"keyed solid that is cut away", SOLID("{ position: { keys: [[0, [0.7, 0.7, 0.5]], [1, [0.7, 0.6, 0.5]]] }, shape: { union: [ { difference: [ { sphere: { center: [0.7, 0.7, 0.5], radius: 0.1 } }, { box: { min: [0.6, 0.6, 0.4], max: [0.8, 0.8, 0.6] } } ] } ] } }"), CHECK, 0, {"solids[0].shape: the solid is empty"}, 0, 0},
    {"emitter of which nothing is left", FLUID "emitters:\n  - shape: { intersection: [ { sphere: { center: [0.5, 0.8, 0.2], radius: 0.1 } }, { sphere: { center: [0.5, 0.8, 0.9], radius: 0.1 } } ] }\n    velocity: [0, -1, 0]\n", CHECK, 0, {"warning: s.yaml:4:12: emitters[0].shape: the emitter is empty"}, 0, 0},
    {"mesh as small as dust", SOLID("shape: { mesh: { file: m.obj, scale: 1e-6 }, move: [0.5, 0.5, 0.5] }"), CHECK, 0, {"warning: s.yaml:4:12: solids[0].shape: the solid is", "a speck beside a cell"}, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"},
    {"mesh of one point", MESH("m.obj"), CHECK, 3, {"s.yaml:4:12: solids[0].shape", "m.obj: the mesh has no volume"}, "m.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n"},
    {"body as small as dust", SOLID("{ motion: dynamic, shape: { sphere: { center: [0.8, 0.7, 0.5], radius: 1e-9 } } }"), CHECK, 0, {"warning: s.yaml:4:31: solids[0].shape: the solid is", "a speck beside a cell"}, 0, 0},
    {"mesh index out of range", MESH("m.obj"), CHECK, 3, {"s.yaml:4:12: solids[0].shape", "m.obj:4: "}, "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"},
    {"mesh with nan", MESH("m.obj"), CHECK, 3, {"s.yaml:4:12: solids[0].shape", "m.obj:2: ", "'nan' is not a finite number"}, "m.obj", "v 0 0 0\nv 0 nan 0\nv 0 1 0\nf 1 2 3\n"},
    {"garbage PLY", MESH("m.ply"), CHECK, 3, {"m.ply"}, "m.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 99999999\n"},

    /* the command line */
    {"no command", FLUID, "", 2, {"commands:"}, 0, 0},
    {"unknown command", FLUID, "rnu s.yaml", 2, {"unknown command 'rnu'", "'run'", "allowed: run, check"}, 0, 0},
    {"unknown option", FLUID, "run s.yaml --frmaes 3", 2, {"unknown option '--frmaes'", "'--frames'", "--cells"}, 0, 0},
    {"option like no other", FLUID, "run s.yaml --bogus", 2, {"unknown option '--bogus'\n  allowed: --out"}, 0, 0},
    {"option of another command", FLUID, "check s.yaml --width 3", 2, {"unknown option '--width'"}, 0, 0},
    {"missing scene", FLUID, "run", 2, {"usage: rheo run SCENE"}, 0, 0},
    {"missing value", FLUID, "check s.yaml --cells", 2, {"--cells needs N"}, 0, 0},
    {"cells not a number", FLUID, "check s.yaml --cells ten", 2, {"--cells needs a whole number", "'ten'"}, 0, 0},
    {"too few cells", FLUID, "check s.yaml --cells 3", 2, {"--cells 3: domain.cells: 3 is out of range", "4 to 4096"}, 0, 0},
    {"too many frames", FLUID, "check s.yaml --frames 2000000", 2, {"--frames 2000000: time.frames", "1 to 1000000"}, 0, 0},
    {"negative frames", FLUID, "check s.yaml --frames=-3", 2, {"--frames needs a whole number"}, 0, 0},
    {"too many threads", FLUID, "run s.yaml --frames 1 --threads 1000 --out o", 2, {"--threads needs a whole number from 1 to 256", "'1000'"}, 0, 0},
    {"resume and overwrite", FLUID, "run s.yaml --cells 8 --frames 1 --resume --overwrite --out o", 2, {"--resume and --overwrite contradict"}, 0, 0},
    {"quiet and verbose", FLUID, "check s.yaml -q -v", 2, {"--quiet and --verbose contradict"}, 0, 0},
    {"cells twice", FLUID, "check s.yaml --cells 8 --set domain.cells=9", 2, {"--cells and --set domain.cells contradict"}, 0, 0},
    {"frames twice", FLUID, "run s.yaml --set time.frames=9 --frames 1 --cells 8 --out o", 2, {"--frames and --set time.frames contradict"}, 0, 0},
    {"one frame and a span", FLUID, "render none --frame 3 --first 2", 2, {"--frame and --first contradict", "one frame, or a span"}, 0, 0},
    {"span and one frame", FLUID, "render none --last 2 --frame 3", 2, {"--frame and --last contradict"}, 0, 0},
    {"span backwards", FLUID, "render none --first 5 --last 2", 2, {"--first 5 is after --last 2"}, 0, 0},
    {"option for a value", FLUID, "run s.yaml --out --json", 2, {"--out needs DIR, and an option follows: '--json'"}, 0, 0},
    {"short option for a value", FLUID, "run s.yaml --out -q", 2, {"--out needs DIR, and an option follows: '-q'"}, 0, 0},
    {"two places for one cache", FLUID, "run s.yaml --cells 8 --frames 1 --out a --out b", 2, {"--out a and --out b contradict each other"}, 0, 0},
    {"frames and other frames", FLUID, "check s.yaml --frames 2 --frames=3", 2, {"--frames 2 and --frames 3 contradict each other"}, 0, 0},
    {"frames said twice", FLUID, "check s.yaml --cells 8 --frames 2 --frames 2", 0, {0}, 0, 0},
    {"no threads", FLUID, "run s.yaml --threads 0", 2, {"--threads needs a whole number from 1 to 256, not '0'"}, 0, 0},
    {"flag with a value", FLUID, "check s.yaml --quiet=1", 2, {"--quiet takes no value"}, 0, 0},
    {"set below a number", FLUID, "check s.yaml --set domain.cells.x=3", 2, {"--set domain.cells.x=3: domain.cells: a map is not what belongs here"}, 0, 0},
    {"set before the first", FLUID, "check s.yaml --set fluids[-1].density=3", 2, {"is not a path"}, 0, 0},
    {"set all to nothing", FLUID, "check s.yaml --set fluids=[]", 2, {"--set fluids=[]: fluids: there is no fluid at all"}, 0, 0},
    {"place that cannot be made", FLUID, "run s.yaml --cells 8 --frames 1 --out /proc/x", 5, {"/proc/x: cannot make the directory"}, 0, 0},
    {"two scenes", FLUID, "run s.yaml t.yaml", 2, {"one argument too many", "t.yaml"}, 0, 0},
    {"unknown scene", FLUID, "run dam-brake", 3, {"dam-brake", "no such scene", "'dam-break'"}, 0, 0},
    {"missing file", FLUID, "check none.yaml", 3, {"none.yaml", "no such scene"}, 0, 0},
    {"directory for a scene", FLUID, "check .", 3, {"not a file"}, 0, 0},
    {"unknown material", "domain: { size: [1, 1, 1], cells: 8 }\nfluids: [ { name: w, material: watr } ]\n", CHECK, 3, {"s.yaml:2:32: fluids[0].material", "did you mean 'water'?", "egg white", "smoke"}, 0, 0},
    {"usage of a command", FLUID, "run s.yaml --frames x", 2, {"--frames needs a whole number", "see: rheo help run"}, 0, 0},
    {"usage without a scene", FLUID, "check", 2, {"usage: rheo check SCENE", "see: rheo help check"}, 0, 0},
    {"set without value", FLUID, "check s.yaml --set domain.cells", 2, {"--set domain.cells", "path=value"}, 0, 0},
    {"set to nothing", FLUID, "check s.yaml --set domain.cells=", 2, {"--set domain.cells=", "no value after '='", "path=value"}, 0, 0},
    {"steps for ever", "time: { dt_max: 1e-12 }\n" FLUID, CHECK, 0, {"warning: s.yaml:1:", "time: about 4e+12 steps", "days of computing", "time.dt_max"}, 0, 0},
    {"set an unknown key", FLUID, "check s.yaml --set domain.cels=3", 2, {"--set domain.cels=3", "'cells'"}, 0, 0},
    {"set out of range", FLUID, "check s.yaml --set domain.cells=-3", 2, {"--set domain.cells=-3: domain.cells", "4 to 4096"}, 0, 0},
    {"set past the end", FLUID, "check s.yaml --set fluids[7].density=3", 2, {"--set fluids[7].density=3", "past the end"}, 0, 0},
    {"set not YAML", FLUID, "check s.yaml --set domain.size=[1,", 2, {"--set domain.size=[1,", "not valid YAML"}, 0, 0},
    {"new over a file", FLUID, "new s.yaml", 2, {"exists already", "another name"}, 0, 0},
    {"new in no directory", FLUID, "new none/s.yaml", 5, {"none/s.yaml", "cannot write"}, 0, 0},
    {"unknown topic", FLUID, "help scnee", 2, {"'scene'", "allowed: scene, json"}, 0, 0},
    {"ambiguous topic", FLUID, "help m", 2, {"no help about 'm'", "allowed: scene, json"}, 0, 0},
    {"unknown built-in", FLUID, "scenes fontain", 2, {"'fountain'"}, 0, 0},
    {"nothing like a built-in", FLUID, "scenes nope", 2, {"no built-in scene 'nope'", "allowed:", "tilted-tank"}, 0, 0},
    {"nothing like a material", FLUID, "materials nope", 2, {"no material 'nope'", "allowed: water, oil"}, 0, 0},
    {"view", FLUID, "view s.yaml", 2, {"not in this version"}, 0, 0},
    {"unknown surface", FLUID, "mesh none --surface avrage", 2, {"'average'", "allowed: density"}, 0, 0},
    {"info of nothing", FLUID, "info none", 3, {"none: no cache here"}, 0, 0},
    {"render of nothing", FLUID, "render none", 3, {"none: no cache here"}, 0, 0},
    {"movie of nothing", FLUID, "movie none", 3, {"none: no cache here"}, 0, 0},
    {"movie over a scene", FLUID, "movie none --output s.yaml", 2, {"s.yaml: the name does not end like that of a movie", "allowed: .mp4"}, 0, 0},
    {"movie without an ending", FLUID, "movie none --output m", 2, {"m: the name does not end", ".mkv"}, 0, 0},
    {"sheet over a scene", FLUID, "movie none --sheet s.yaml", 2, {"s.yaml: the name does not end like that of a picture", "allowed: .png"}, 0, 0},
    {"mesh of nothing", FLUID, "mesh none", 3, {"none: no cache here"}, 0, 0},
    {"mesh of a file", FLUID, "mesh s.yaml", 3, {"s.yaml: no cache here"}, 0, 0},
    {"resume of a file", FLUID, "run s.yaml --cells 8 --frames 1 --resume --out s.yaml", 5, {"s.yaml", "cannot make the directory"}, 0, 0},
    {"out under a file", FLUID, "run s.yaml --cells 8 --frames 1 --out s.yaml/o", 5, {"s.yaml/o"}, 0, 0},
    {"run over a garbage manifest", FLUID, "run s.yaml --cells 8 --frames 1 --out .", 3, {"manifest.json:1:", "--overwrite"}, "manifest.json", "{ \"half"},
    {"manifest is garbage", FLUID, "info .", 3, {"manifest.json:1:", "not JSON"}, "manifest.json", "{ \"half"},
    {"unknown case", FLUID, "reproduce hydrostatik", 2, {"hydrostatik", "'hydrostatic'", "allowed: poisson-order"}, 0, 0},
    {"unknown set-up", FLUID, "reproduce hydrostatic --only 2D-tilted", 2, {"no set-up of 'hydrostatic' has '2D-tilted'", "2D tilted box, surface"}, 0, 0},
    {"set-up of all cases", FLUID, "reproduce --only sphere", 2, {"of one case"}, 0, 0},
    {"set-up of a whole case", FLUID, "reproduce momentum --only sphere", 2, {"'momentum' has no set-ups"}, 0, 0},
};
/* clang-format on */

static char directory[64];

static void write_file(const char *name, const char *text) {
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static void read_file(char *text, size_t size, const char *name) {
    FILE *f = fopen(name, "rb");
    size_t length = f ? fread(text, 1, size - 1, f) : 0;
    text[length] = '\0';
    if (f) fclose(f);
}

static void enter_empty_directory(void) {
    snprintf(directory, sizeof directory, "/tmp/rheo-bad-XXXXXX");
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
}

static int count_files(void) {
    int count = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) count += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return count;
}

static void leave_directory(void) {
    char line[256];
    snprintf(line, sizeof line, "rm -rf '%s' '%s.err' '%s.out'", directory, directory, directory);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(system(line), 0);
}

/* Runs the command with words cut at spaces; stderr and stdout go beside the directory. Returns the exit
 * code. */
static int run_command(const char *arguments) {
    char words[512], error[80], output[80], *argv[32] = {(char *)(uintptr_t)RHEO_COMMAND};
    int argc = 1;
    snprintf(words, sizeof words, "%s", arguments);
    snprintf(error, sizeof error, "%s.err", directory);
    snprintf(output, sizeof output, "%s.out", directory);
    for (char *w = strtok(words, " "); w && argc < 31; w = strtok(NULL, " ")) argv[argc++] = w;
    argv[argc] = NULL;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(open(error, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
        dup2(open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
        alarm(60);
        execv(argv[0], argv);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int fails_well(const bad *b) {
    char error[8192], name[80];
    int wrong = 0;
    enter_empty_directory();
    write_file("s.yaml", b->scene);
    if (b->file) write_file(b->file, b->content);
    int code = run_command(b->arguments);
    snprintf(name, sizeof name, "%s.err", directory);
    read_file(error, sizeof error, name);
    if (code != b->exit_code) wrong = printf("%s: exit code %d, wanted %d\n", b->name, code, b->exit_code);
    for (int i = 0; i < 4 && b->says[i]; ++i)
        if (!strstr(error, b->says[i])) wrong = printf("%s: '%s' is not said\n", b->name, b->says[i]);
    if (count_files() != (b->file ? 2 : 1)) wrong = printf("%s: something is left behind\n", b->name);
    if (wrong) printf("---\n%s---\n", error);
    leave_directory();
    return wrong != 0;
}

static void bad_inputs_fail_well(void **state) {
    (void)state;
    int failed = 0, count = (int)(sizeof table / sizeof *table);
    for (int i = 0; i < count; ++i) failed += fails_well(&table[i]);
    printf("%d bad inputs, %d not as wanted\n", count, failed);
    assert_int_equal(failed, 0);
}

static const char small_scene[] = "domain: { cells: 12 }\ntime: { frames: 2 }\n"
                                  "output: { mesh: true, particles: true, checkpoint_every: 1 }\n"
                                  "fluids:\n  - fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.5, 1] } } ]\n";

static void damage(const char *file, const char *how) {
    char text[1 << 16];
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    if (!strcmp(how, "truncate")) {
        assert_int_equal(truncate(file, info.st_size / 2), 0);
        return;
    }
    read_file(text, sizeof text, file);
    char *at = strstr(text, how);
    assert_non_null(at);
    *strpbrk(at + strlen(how), "0123456789") = '9';
    write_file(file, text);
}

/* A good cache, damaged in one way; what reads it must say so and must not change it. */
static void damaged_caches_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *file, *how, *read, *says;
    } ways[] = {{"c/manifest.json", "truncate", "info c", "manifest"},
                {"c/manifest.json", "\"format\"", "info c", "manifest"},
                {"c/manifest.json", "truncate", "run s.yaml --out c --resume", "manifest"},
                {"c/manifest.json", "truncate", "render c", "manifest"},
                {"c/mesh/*.000001.ply", "truncate", "info c --verify", ".000001.ply"},
                {"c/particles/*.000002.ply", "truncate", "info c --verify", ".000002.ply"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        enter_empty_directory();
        write_file("s.yaml", small_scene);
        assert_int_equal(run_command("run s.yaml --out c -q"), 0);
        assert_int_equal(run_command("info c --verify"), 0);
        assert_int_equal(run_command("run s.yaml --out c -q"), 2); /* never over a cache without being told */
        glob_t found;
        assert_int_equal(glob(ways[i].file, 0, NULL, &found), 0);
        damage(found.gl_pathv[0], ways[i].how);
        globfree(&found);
        char error[4096], name[80];
        int code = run_command(ways[i].read);
        snprintf(name, sizeof name, "%s.err", directory);
        read_file(error, sizeof error, name);
        if (code != 3 && code != 5)
            fail_msg("%s damaged by %s: exit code %d", ways[i].file, ways[i].how, code);
        if (!strstr(error, ways[i].says)) fail_msg("'%s' is not said: %s", ways[i].says, error);
        leave_directory();
    }
}

/* Depth and length beyond reason end in a message, not in a crash. */
static void monsters_are_refused(void **state) {
    (void)state;
    enter_empty_directory();
    FILE *f = fopen("deep.yaml", "w");
    fputs("fluids:\n  - fill: [ ", f);
    for (int i = 0; i < 40; ++i) fputs("{ union: [ ", f);
    fputs("{ sphere: { center: [0, 0, 0], radius: 1 } }", f);
    for (int i = 0; i < 40; ++i) fputs(" ] }", f);
    fputs(" ]\n", f);
    fclose(f);
    assert_int_equal(run_command("check deep.yaml"), 3);
    f = fopen("deeper.yaml", "w");
    for (int i = 0; i < 100000; ++i) fputc('[', f);
    fclose(f);
    assert_int_equal(run_command("check deeper.yaml"), 3);
    f = fopen("long.yaml", "w");
    fputs("gravity: { keys: [", f);
    for (int i = 0; i < 500000; ++i) fprintf(f, "[%d, [0, 0, 0]], ", i);
    fputs("] }\n", f);
    fclose(f);
    assert_int_equal(run_command("check long.yaml"), 3);
    f = fopen("wide.yaml", "w");
    for (int i = 0; i < 20000; ++i) fprintf(f, "key%d: 1\n", i);
    fclose(f);
    assert_int_equal(run_command("check wide.yaml"), 3);
    char path[450] = "check ";
    while (strlen(path) < 440) strcat(path, "a/");
    assert_int_equal(run_command(path), 3);
    leave_directory();
}

/* Whoever reads --json hears how it ended, whatever went wrong. */
static void failures_end_in_json(void **state) {
    (void)state;
    static const struct {
        const char *arguments;
        int exit_code;
        const char *says[4];
    } rows[] = {
        {"check s.yaml --json",
         3,
         {"\"line\":1", "\"path\":\"domain.cels\"", "\"frames\":0", "\"peak_memory\":0"}},
        {"run s.yaml --json --out o",
         3,
         {"\"file\":\"s.yaml\"", "\"path\":\"domain.cels\"", "\"nearest\":\"cells\"", "\"seconds\":0"}},
        {"run none.yaml --json", 3, {"no such scene"}},
        {"run f.yaml --json --out o", 3, {"\"frames\":0", "no fluid at all"}},
        {"run g.yaml --json --out s.yaml", 5, {"\"frames\":0", "\"file\":\"s.yaml\""}},
        {"render none --json", 3, {"no cache here"}},
        {"movie none --json", 3, {"no cache here"}},
        {"mesh none --json", 3, {"no cache here"}},
        {"info none --json", 3, {"no cache here"}},
    };
    static const char wanted[] = "{\"event\":\"end\",\"status\":\"failed\"";
    enter_empty_directory();
    write_file("s.yaml", "domain: { cels: 16 }\n" FLUID);
    write_file("f.yaml", "domain: { cells: 12 }\nfluids:\n  - name: water\n");
    write_file("g.yaml", "domain: { cells: 12 }\ntime: { frames: 1 }\n" FLUID);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char said[8192], name[80];
        assert_int_equal(run_command(rows[i].arguments), rows[i].exit_code);
        snprintf(name, sizeof name, "%s.out", directory);
        read_file(said, sizeof said, name);
        if (strncmp(said, wanted, sizeof wanted - 1) || strchr(said, '\n') != strrchr(said, '\n'))
            fail_msg("%s: %s", rows[i].arguments, said);
        for (int k = 0; k < 4 && rows[i].says[k]; ++k)
            if (!strstr(said, rows[i].says[k])) fail_msg("'%s' is not said: %s", rows[i].says[k], said);
    }
    leave_directory();
}

static void help_finds_what_there_is(void **state) {
    (void)state;
    char said[8192], name[80];
    enter_empty_directory();
    snprintf(name, sizeof name, "%s.out", directory);
    assert_int_equal(run_command("help exit"), 0);
    read_file(said, sizeof said, name);
    assert_non_null(strstr(said, "diverged"));
    assert_int_equal(run_command("help"), 0);
    read_file(said, sizeof said, name);
    assert_non_null(strstr(said, "\n  render "));
    assert_null(strstr(said, "\n  view ")); /* opens no window yet */
    leave_directory();
}

/* Pictures need Embree, which a build may lack. */
static int can_draw(void) {
    char said[1024], name[80];
    snprintf(name, sizeof name, "%s.out", directory);
    assert_int_equal(run_command("--version"), 0);
    read_file(said, sizeof said, name);
    return strstr(said, "pictures: yes") != NULL;
}

/* What ends a run on its way has a place in the scene too, and what was made before stays. */
static void failures_on_the_way_have_a_place(void **state) {
    (void)state;
    char said[8192], name[80];
    enter_empty_directory();
    snprintf(name, sizeof name, "%s.err", directory);
    write_file("s.yaml", "domain: { cells: 16, walls: { x: periodic } }\n" FLUID
                         "solids:\n  - { name: ball, motion: dynamic, velocity: [3, 0, 0],\n"
                         "      shape: { sphere: { center: [0.7, 0.8, 0.5], radius: 0.1 } } }\n");
    assert_int_equal(run_command("run s.yaml --out c -q --frames 20"), 3);
    read_file(said, sizeof said, name);
    assert_non_null(strstr(said, "s.yaml:6:14: solids[0].shape: the body 'ball' reaches a periodic side"));
    assert_int_equal(run_command("info c --verify"), 0);
    leave_directory();
}

/* A piston on a chamber without air: said once, with its name and when it began; not before it moves. The
 * share of the flow that was left out is in the statistics. */
static void pistons_without_a_way_out_are_named(void **state) {
    (void)state;
    char said[32768], name[80];
    enter_empty_directory();
    snprintf(name, sizeof name, "%s.err", directory);
    write_file("s.yaml",
               "domain: { cells: 10 }\ntime: { frames: 6, fps: 30 }\n"
               "fluids:\n  - fill: [ { box: { min: [0, 0, 0], max: [1, 0.8, 1] } } ]\n"
               "solids:\n  - { name: wheel, shape: { sphere: { center: [0.5, 0.3, 0.5], radius: 0.15 } } }\n"
               "  - name: piston\n    shape: { box: { min: [-0.1, 0.8, -0.1], max: [1.1, 1.4, 1.1] } }\n"
               "    position: { keys: [[0.1, [0.5, 1.1, 0.5]], [1, [0.5, 0.9, 0.5]]] }\n");
    assert_int_equal(run_command("run s.yaml --out c -q"), 0);
    read_file(said, sizeof said, name);
    const char *first = strstr(said, "warning: at t = 0.1 s 'piston' presses");
    assert_non_null(first);
    assert_non_null(strstr(first, "% of the flow"));
    assert_null(strstr(first + 9, "warning:"));
    assert_null(strstr(said, "wheel"));
    assert_int_equal(run_command("run s.yaml --out d -q --frames 2"), 0);
    read_file(said, sizeof said, name);
    assert_null(strstr(said, "piston"));
    assert_int_equal(run_command("run s.yaml --out e --json"), 0);
    snprintf(name, sizeof name, "%s.out", directory);
    read_file(said, sizeof said, name);
    const char *pressed = strstr(said, "\"event\":\"frame\",\"frame\":6");
    assert_non_null(pressed);
    pressed = strstr(pressed, "\"closed_regions\":1,\"incompatible\":");
    assert_non_null(pressed);
    assert_true(atof(strstr(pressed, "ible\":") + 6) > 0.01);
    leave_directory();
}

/* What has no effect is worth a word, --quiet or not; that all is well is not. */
static void warnings_are_never_quiet(void **state) {
    (void)state;
    char said[8192], name[80];
    enter_empty_directory();
    snprintf(name, sizeof name, "%s.err", directory);
    write_file("s.yaml", "domain: { slip: no }\n" FLUID);
    assert_int_equal(run_command("run s.yaml --cells 12 --frames 1 --out c -q"), 0);
    read_file(said, sizeof said, name);
    assert_non_null(strstr(said, "warning: s.yaml:1:"));
    write_file("s.yaml", FLUID);
    assert_int_equal(run_command("run s.yaml --cells 12 --frames 1 --out d -q"), 0);
    read_file(said, sizeof said, name);
    assert_string_equal(said, "");
    leave_directory();
}

/* One of a thing is not several, and what is to be typed next can be typed. */
static void words_fit_what_they_count(void **state) {
    (void)state;
    char said[8192], name[80];
    enter_empty_directory();
    snprintf(name, sizeof name, "%s.err", directory);
    write_file("s.yaml", FLUID);
    assert_int_equal(run_command("run s.yaml --cells 12 --frames 1 --out it's&c"), 0);
    read_file(said, sizeof said, name);
    assert_non_null(strstr(said, "done: 1 frame in "));
    assert_non_null(strstr(said, "rheo movie 'it'\\''s&c'\n"));
    if (can_draw()) {
        assert_int_equal(run_command("render it's&c --frame 1 --width 32 --height 18 --samples 1"), 0);
        read_file(said, sizeof said, name);
        assert_non_null(strstr(said, "\n1 picture in "));
    }
    assert_int_equal(run_command("new plain.yaml"), 0);
    read_file(said, sizeof said, name);
    assert_non_null(strstr(said, "rheo run plain.yaml\n"));
    leave_directory();
}

/* An open sheet runs and is drawn: the cache keeps that the solid is thin. */
static void open_sheets_are_drawn(void **state) {
    (void)state;
    enter_empty_directory();
    write_file("sheet.obj", "v 0.6 0.1 0.2\nv 0.9 0.1 0.2\nv 0.9 0.3 0.8\nv 0.6 0.3 0.8\nf 1 2 3\nf 1 3 4\n");
    write_file("s.yaml", "domain: { cells: 12 }\ntime: { frames: 1 }\n"
                         "fluids:\n  - fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.5, 1] } } ]\n"
                         "solids:\n  - { thin: true, shape: { mesh: { file: sheet.obj } } }\n");
    assert_int_equal(run_command("run s.yaml --out c -q"), 0);
    if (can_draw())
        assert_int_equal(run_command("render c --frame 1 --width 32 --height 18 --samples 1 -q"), 0);
    leave_directory();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_inputs_fail_well),
        cmocka_unit_test(damaged_caches_are_refused),
        cmocka_unit_test(monsters_are_refused),
        cmocka_unit_test(failures_end_in_json),
        cmocka_unit_test(help_finds_what_there_is),
        cmocka_unit_test(warnings_are_never_quiet),
        cmocka_unit_test(pistons_without_a_way_out_are_named),
        cmocka_unit_test(failures_on_the_way_have_a_place),
        cmocka_unit_test(words_fit_what_they_count),
        cmocka_unit_test(open_sheets_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
