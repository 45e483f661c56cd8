/* Whole scenes of a few lines, one an idea, for the scene reference. Tests load and check every one. */
#include "scene/params.h"

const scene_example scene_examples[] = {
    {"A bowl: a ball, less a smaller ball, less everything above the rim",
     "domain: { size: [1, 1, 1], cells: 48 }\n"
     "fluids:\n"
     "  - { name: water, material: water, fill: [ { cylinder: { from: [0.5, 0.3, 0.5], to: [0.5, 0.5, 0.5], "
     "radius: 0.2 } } ] }\n"
     "solids:\n"
     "  - name: bowl\n"
     "    look: glass\n"
     "    shape:\n"
     "      difference:\n"
     "        - { sphere: { center: [0.5, 0.5, 0.5], radius: 0.4 } }\n"
     "        - { sphere: { center: [0.5, 0.5, 0.5], radius: 0.3 } }\n"
     "        - { box: { min: [0, 0.6, 0], max: [1, 1, 1] } }\n"},
    {"A mesh from a modelling program, in millimetres and Z up",
     "domain: { size: [1, 1, 1], cells: 32 }\n"
     "fluids: [ { name: water, material: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.25, 1] } } ] } "
     "]\n"
     "solids:\n"
     "  - name: stone # scaled, turned and moved in this order, about the middle of its bounds\n"
     "    shape:\n"
     "      mesh: { file: stone.obj, scale: 0.001 }\n"
     "      rotate: { axis: [1, 0, 0], degrees: -90 }\n"
     "      move: [0.5, 0.5, 0.5]\n"
     "    motion: dynamic\n"
     "    density: 2500\n"},
    {"A thin shell: the triangles themselves are the wall, so the mesh may be open",
     "domain: { size: [1, 1, 1], cells: 32 }\n"
     "fluids: [ { name: water, material: water, fill: [ { box: { min: [0, 0, 0], max: [0.3, 0.6, 1] } } ] } "
     "]\n"
     "solids:\n"
     "  - { name: shell, thin: true, thickness: 0.005, shape: { mesh: { file: stone.obj, scale: 0.001 }, "
     "move: [0.6, 0.3, 0.5] } }\n"},
    {"Keyed motion: a paddle that moves to and fro and turns",
     "domain: { size: [2, 1, 1], cells: 48 }\n"
     "fluids: [ { name: water, material: water, fill: [ { box: { min: [0, 0, 0], max: [2, 0.4, 1] } } ] } ]\n"
     "solids:\n"
     "  - name: paddle\n"
     "    shape: { box: { min: [0.4, 0.1, 0.2], max: [0.5, 0.7, 0.8] } }\n"
     "    position: { keys: [[0, [0.45, 0.4, 0.5]], [1, [1.2, 0.4, 0.5]], [2, [0.45, 0.4, 0.5]]] } # of its "
     "centre\n"
     "    rotation: { axis: [0, 0, 1], degrees: { keys: [[0, 0], [1, 30], [2, 0]] } }\n"},
    {"Joints: a flap on a hinge and a wheel driven by a motor. Speeds and limits are those of a relative to "
     "b, "
     "by the\n"
     "right-hand rule: seen with the axis pointing at you, positive is counterclockwise. b: world is fixed "
     "in space",
     "domain: { size: [2, 1, 1], cells: 48 }\n"
     "fluids: [ { name: water, material: water, fill: [ { box: { min: [0, 0, 0], max: [2, 0.3, 1] } } ] } ]\n"
     "solids:\n"
     "  - { name: flap, motion: dynamic, density: 600, shape: { box: { min: [0.48, 0.1, 0.1], max: [0.56, "
     "0.7, 0.9] } } }\n"
     "  - { name: wheel, motion: dynamic, density: 800, shape: { box: { min: [1.2, 0.36, 0.2], max: [1.8, "
     "0.46, 0.8] } } }\n"
     "joints:\n"
     "  - { type: hinge, a: flap, b: world, anchor: [0.52, 0.7, 0.5], axis: [0, 0, 1], limits: [-60, 60] }\n"
     "  - { type: motor, a: wheel, b: world, anchor: [1.5, 0.41, 0.5], axis: [0, 0, 1], speed: { keys: [[0, "
     "0], [1, 4]] }, force: 200 }\n"},
    {"An emitter that runs from 0.2 to 1.5 s, and an open side through which liquid leaves",
     "domain: { size: [1, 1, 1], cells: 32, walls: { right: open } }\n"
     "fluids: [ { name: water, material: water } ]\n"
     "emitters:\n"
     "  - { fluid: water, shape: { sphere: { center: [0.2, 0.8, 0.5], radius: 0.06 } }, velocity: [2, 0, 0], "
     "during: [0.2, 1.5] }\n"},
    {"Periodic sides: what leaves on the right comes back in on the left (the axis needs a multiple of 8 "
     "cells)",
     "domain: { size: [1, 0.5, 0.5], cells: 32, walls: { x: periodic } }\n"
     "fluids: [ { name: water, material: water, velocity: [1, 0, 0], fill: [ { box: { min: [0, 0, 0], max: "
     "[1, 0.25, 0.5] } } ] } ]\n"
     "solids: [ { name: pole, shape: { cylinder: { from: [0.5, 0, 0.25], to: [0.5, 0.5, 0.25], radius: 0.08 "
     "} } } ]\n"},
    {NULL, NULL},
};
