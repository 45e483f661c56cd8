#!/bin/sh
# Bodies through the command: an empty tank and one with water. The same bytes with 1, 2 and 5 threads and in two goes;
# what was dropped lies on the floor; the joint holds; nothing leaves the tank.
# usage: bodies.sh [COMMAND]
set -u
rheo=${1:-${RHEO_COMMAND:-build/rheo}}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "bodies: $*" >&2; exit 1; }

cat > "$dir/scene.yaml" <<'SCENE'
title: Bodies in a tank
domain: { size: [1, 1, 0.75], cells: 20 }
time: { frames: 12, fps: 15 }
solver: { coupling: solid-to-fluid }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.1, 1] } } ] }
solids:
  - { name: ball, shape: { sphere: { center: [0.3, 0.5, 0.4], radius: 0.1 } }, motion: dynamic, density: 500 }
  - { name: block, shape: { box: { min: [0.22, 0.65, 0.3], max: [0.4, 0.75, 0.5] } }, motion: dynamic, density: 2000 }
  - { name: ring, shape: { torus: { center: [0.7, 0.5, 0.4], radius: 0.12, tube: 0.04, axis: [1, 2, 0] } }, motion: dynamic }
  - name: corner
    motion: dynamic
    shape: { union: [ { box: { min: [0.6, 0.7, 0.3], max: [0.85, 0.76, 0.4] } }, { box: { min: [0.6, 0.7, 0.3], max: [0.66, 0.9, 0.4] } } ] }
  - { name: bob, shape: { sphere: { center: [0.3, 0.9, 0.65], radius: 0.05 } }, motion: dynamic }
joints:
  - { type: ball, a: bob, anchor: [0.5, 0.9, 0.65] }
output: { checkpoint_every: 4 }
SCENE

for n in 1 2 5; do
    "$rheo" run "$dir/scene.yaml" -q --json --threads $n --out "$dir/run.$n" > "$dir/json.$n" 2> "$dir/log" ||
        fail "$n threads: $(cat "$dir/log")"
    cmp "$dir/run.1/manifest.json" "$dir/run.$n/manifest.json" || fail "$n threads differ from one"
done
"$rheo" run "$dir/scene.yaml" -q --threads 2 --out "$dir/halves" --frames 7 2> "$dir/log" || fail "$(cat "$dir/log")"
"$rheo" run "$dir/scene.yaml" -q --threads 1 --out "$dir/halves" --resume 2> "$dir/log" || fail "$(cat "$dir/log")"
diff -r "$dir/run.1" "$dir/halves" || fail "two goes differ from one"

# the places at the end, a line each: name x y z
grep '"frame":12,' "$dir/json.1" | sed 's/.*"bodies":\[//; s/\],"fluids.*//' |
    sed 's/{"name":"\([a-z]*\)","position":\[\([-0-9.e]*\),\([-0-9.e]*\),\([-0-9.e]*\)\][^}]*}/\1 \2 \3 \4\n/g; s/,//g' > "$dir/places"
awk 'BEGIN { dx = 0.05 }
    NF == 4 {
        seen++
        if ($2 < 0.03 || $2 > 0.97 || $3 < 0.03 || $3 > 0.97 || $4 < 0.03 || $4 > 0.72) { print $1 " left the tank"; bad = 1 }
        if ($1 == "ball" && ($3 < 0.1 - 0.1 * dx || $3 > 0.101)) { print "the ball does not lie on the floor: " $3; bad = 1 }
        if ($1 == "bob") {
            d = sqrt(($2 - 0.5) ^ 2 + ($3 - 0.9) ^ 2 + ($4 - 0.65) ^ 2)
            if (d < 0.2 - 0.1 * dx || d > 0.2 + 0.1 * dx) { print "the joint let go: " d; bad = 1 }
        }
    }
    END { if (seen != 5) { print "not five bodies: " seen; bad = 1 } exit bad }' "$dir/places" > "$dir/faults" ||
    fail "$(cat "$dir/faults" "$dir/places")"
# A heavy plug that pressure does not hold up: what becomes of the water under it is said.
cat > "$dir/plug.yaml" <<'SCENE'
domain: { dim: 2, size: [0.5, 1], cells: 32 }
time: { frames: 12, fps: 30 }
solver: { coupling: rigid-fluid }
fluids: [ { density: 1000, fill: [ { box: { min: [0, 0], max: [0.5, 0.7] } } ] } ]
solids: [ { name: plug, motion: dynamic, density: 20000, friction: 0, shape: { box: { min: [0, 0.4], max: [0.5, 0.5] } } } ]
output: { mesh: false }
SCENE
"$rheo" run "$dir/plug.yaml" -q --out "$dir/plug" 2> "$dir/log" || fail "$(cat "$dir/log")"
grep -q 'less room than what was put in' "$dir/log" || fail "water is lost and nobody hears of it"
grep -q 'solver.coupling: monolithic' "$dir/log" || fail "what would hold the plug up is not said: $(cat "$dir/log")"
"$rheo" run "$dir/plug.yaml" -q --set solver.coupling=monolithic --out "$dir/held" 2> "$dir/log" || fail "$(cat "$dir/log")"
grep -q 'room than' "$dir/log" && fail "a plug that is held up loses water: $(cat "$dir/log")"

# A piston goes into a full box, or out of it: that it presses is said at once, and that a tenth is gone when it is.
# Without bodies no coupling would help.
cat > "$dir/piston.yaml" <<'SCENE'
domain: { dim: 2, size: [0.5, 1], cells: 32 }
time: { frames: 8, fps: 30 }
solver: { coupling: solid-to-fluid }
fluids: [ { fill: [ { box: { min: [0, 0], max: [0.5, 1] } } ] } ]
solids:
  - name: piston
    shape: { box: { min: [-0.1, 0.9], max: [0.6, 1.5] } }
    position: { keys: [[0, [0.25, 1.2]], [0.4, [0.25, 0.9]]] }
output: { mesh: false }
SCENE
sed 's/\[\[0, .*/[[0, [0.25, 1.0]], [0.4, [0.25, 1.3]]] }/' "$dir/piston.yaml" > "$dir/pulled.yaml"
for way in "piston less" "pulled more"; do
    set -- $way
    "$rheo" run "$dir/$1.yaml" -q --out "$dir/$1" 2> "$dir/log" || fail "$(cat "$dir/log")"
    grep -q "'piston' presses or pulls" "$dir/log" || fail "$1: a full box is pressed and nobody hears of it"
    grep -q "$2 room than what was put in" "$dir/log" || fail "$1: what was said first hides it: $(cat "$dir/log")"
    grep -q 'solver.coupling' "$dir/log" && fail "$1: a coupling is proposed where nothing is coupled"
done
# On this grid the water reads a sixth too large before it has moved.
"$rheo" run box-in-channel -q --cells 16 --frames 4 --out "$dir/coarse" 2> "$dir/log" || fail "$(cat "$dir/log")"
grep -q 'room than' "$dir/log" && fail "a coarse first reading is taken for a gain: $(cat "$dir/log")"

# A light body that leans across a box of 25 cells, two corners of it sealed off.
cat > "$dir/corners.yaml" <<'SCENE'
domain: { dim: 2, size: [0.5, 1], cells: 7, walls: closed }
time: { frames: 3, fps: 5, cfl: 1 }
solver: { method: smoke }
fluids: [ { name: w, material: smoke, fill: [ { sphere: { center: [0.372, 0.979], radius: 0.2 } } ], velocity: [0.223, -0.328] } ]
solids:
  - { shape: { cylinder: { from: [0.596, 0.913], to: [0.083, 0.212], radius: 0.1 } }, motion: dynamic, density: 1, velocity: [1.29, -0.908] }
SCENE
for density in 0.003 0.03 0.3 1 10 100; do
    "$rheo" run "$dir/corners.yaml" -q --json --overwrite --out "$dir/corners" --set "solids[0].density=$density" > "$dir/json" 2> "$dir/log" ||
        fail "corners, $density: $(cat "$dir/log")"
    grep -q '"converged":false' "$dir/json" && fail "the pressure in sealed corners is not found, density $density"
done
# Joints that contradict each other as soon as the wheel turns: the body is lost, what came before is not.
cat > "$dir/lost.yaml" <<'SCENE'
domain: { dim: 2, size: [1, 1.5], cells: 24 }
time: { frames: 12, fps: 30 }
fluids: [ { name: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.409, 1] } } ] } ]
solids:
  - { name: bob, shape: { capsule: { from: [0.7516, 0.514], to: [0.8397, 0.514], radius: 0.05287 } }, motion: dynamic, density: 2744 }
  - name: wheel
    shape: { box: { min: [0.42, 1.12, 0], max: [0.58, 1.28, 1] } }
    rotation: { axis: [0, 0, 1], degrees: { keys: [[0, 0], [0.2, 0], [1.2, 360]] } }
joints:
  - { type: hinge, a: bob, b: wheel, anchor: [0.5529, 1.077] }
  - { type: slider, a: bob, axis: [0.2602, 1.293, 0] }
output: { checkpoint_every: 3 }
SCENE
"$rheo" run "$dir/lost.yaml" -q --json --out "$dir/lost" > "$dir/json" 2> "$dir/log"
[ $? -eq 4 ] || fail "a lost body does not end a run with 4: $(cat "$dir/log")"
grep -q '"event":"end","status":"diverged","frames":6' "$dir/json" || fail "lost: $(tail -n 1 "$dir/json")"
"$rheo" run "$dir/lost.yaml" -q --out "$dir/before" --frames 6 2> "$dir/log" || fail "$(cat "$dir/log")"
for part in bodies mesh; do
    diff -r "$dir/lost/$part" "$dir/before/$part" || fail "what came before a body was lost is not there: $part"
done
cmp "$dir/lost/state/state.000006.h5" "$dir/before/state/state.000006.h5" || fail "the last good state differs"
echo "bodies: same bytes with 1, 2 and 5 threads and in two goes; all rest where they should"
