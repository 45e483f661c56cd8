#!/bin/sh
# A run that is killed (-9) again and again at arbitrary moments and resumed leaves, byte for byte, the cache of a run
# that nothing happened to: with keyed solids and emitters, with bodies that rest on each other, hang on joints and are
# driven under water, with smoke and with honey. Then the same with Ctrl-C and with a terminal that closes, which must
# end with exit code 6 and save the state.
# usage: resume.sh [COMMAND]
set -u
rheo=${1:-${RHEO_COMMAND:-build/rheo}}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "resume: $*" >&2; exit 1; }

cat > "$dir/water.yaml" <<'SCENE'
title: Killed and resumed
domain: { size: [1, 1, 1], cells: 16, walls: { top: open } }
time: { frames: 16, fps: 30 }
solver: { method: apic }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.5, 1] } } ] }
  - { name: drop, velocity: [0, -1, 0], fill: [ { sphere: { center: [0.3, 0.8, 0.3], radius: 0.1 }, at: 0.21 } ] }
emitters:
  - { fluid: water, shape: { sphere: { center: [0.7, 0.8, 0.5], radius: 0.1 } }, velocity: [0, -2, 0], during: [0, 0.3] }
solids:
  - name: paddle
    shape: { box: { min: [0.6, 0, 0.3], max: [0.75, 0.4, 0.7] } }
    motion: keyed
    position: { keys: [[0, [0.675, 0.2, 0.5]], [0.5, [0.4, 0.2, 0.5]]] }
probes:
  - { name: line, from: [0.5, 0, 0.5], to: [0.5, 1, 0.5], samples: 5, of: [velocity, pressure] }
output: { particles: true, rest_position: true, checkpoint_every: 3 }
SCENE

cat > "$dir/bodies.yaml" <<'SCENE'
title: Bodies, killed and resumed
domain: { size: [1, 1, 0.5], cells: 16 }
time: { frames: 12, fps: 30 }
solver: { method: apic }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.6, 0.5] } } ] }
solids:
  - { name: low, shape: { box: { min: [0.1, 0.001, 0.1], max: [0.35, 0.2, 0.4] } }, motion: dynamic, density: 2000 }
  - { name: high, shape: { box: { min: [0.12, 0.202, 0.1], max: [0.33, 0.4, 0.4] } }, motion: dynamic, density: 1500 }
  - { name: wheel, shape: { box: { min: [0.5, 0.27, 0.15], max: [0.86, 0.37, 0.35] } }, motion: dynamic, density: 1200 }
  - { name: bob, shape: { sphere: { center: [0.7, 0.75, 0.25], radius: 0.09 } }, motion: dynamic, density: 300, velocity: [0, -1, 0] }
  - { name: plate, shape: { box: { min: [0.38, 0.7, 0.1], max: [0.58, 0.715, 0.4] } }, motion: dynamic, density: 800 }
joints:
  - { type: motor, a: wheel, anchor: [0.68, 0.32, 0.25], axis: [0, 0, 1], speed: 4, force: 40 }
  - { type: ball, a: bob, b: plate, anchor: [0.6, 0.72, 0.25] }
output: { particles: true, checkpoint_every: 2 }
SCENE

cat > "$dir/smoke.yaml" <<'SCENE'
title: Smoke, killed and resumed
domain: { size: [1, 1, 0.5], cells: 16, walls: { top: open } }
time: { frames: 12, fps: 30 }
solver: { method: smoke, confinement: 0.2 }
fluids:
  - { name: smoke, temperature: 80, soot: 0.05, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.5, 0.5] } } ] }
emitters:
  - { fluid: smoke, shape: { sphere: { center: [0.7, 0.2, 0.25], radius: 0.12 } }, velocity: [-1, 2, 0], during: [0, 0.2], rate: 9 }
solids:
  - { name: ball, shape: { sphere: { center: [0.5, 0.6, 0.25], radius: 0.12 } }, motion: dynamic, density: 3 }
output: { volume: true, checkpoint_every: 1 } # every step: fields change places with their partners
SCENE

cat > "$dir/honey.yaml" <<'SCENE'
title: Honey, killed and resumed
domain: { size: [1, 1, 0.5], cells: 16 }
time: { frames: 8, fps: 30 }
solver: { method: apic, viscosity: full }
fluids:
  - { name: honey, density: 1400, viscosity: 10, fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.5, 0.5] } } ] }
  - { name: paste, density: 1400, viscosity: { keys: [[0, 1000], [0.2, 5000]] }, velocity: [0, -1, 0], fill: [ { sphere: { center: [0.6, 0.75, 0.25], radius: 0.15 } } ] }
solids:
  - { name: ball, shape: { sphere: { center: [0.3, 0.62, 0.25], radius: 0.1 } }, motion: dynamic, density: 2500, velocity: [0, -1, 0] }
  - { name: paddle, slip: 0.05, shape: { box: { min: [0.7, 0, 0.1], max: [0.85, 0.4, 0.4] } }, position: { keys: [[0, [0.775, 0.2, 0.25]], [0.3, [0.5, 0.2, 0.25]]] } }
output: { particles: true, checkpoint_every: 1 }
SCENE

run() { "$rheo" run "$dir/$scene.yaml" -q --threads 2 "$@" 2> "$dir/log"; }

# moments from a fixed sequence, so that a failure can be repeated on the same machine
seed=12345
moment() { # milliseconds, up to the length of the whole run
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((1 + (seed / 65536) % took))
}

stop() { # SIGNAL OUT: starts or resumes, and stops it after a while; leaves the exit code in $code
    "$rheo" run "$dir/$scene.yaml" -q --threads 2 --out "$2" --resume 2> "$dir/log" &
    pid=$!
    ms=$(moment)
    sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
    kill "-$1" $pid 2> /dev/null
    wait $pid 2> /dev/null
    code=$?
}

kill_and_resume() { # SCENE TIMES
    scene=$1
    before=$(date +%s%N)
    run --out "$dir/$scene" || fail "the undisturbed run of $scene: $(cat "$dir/log")"
    took=$((($(date +%s%N) - before) / 1000000))
    kills=0
    for i in $(seq "$2"); do
        out=$dir/$scene.killed
        stop KILL "$out"
        [ $code = 137 ] && kills=$((kills + 1))
        [ $code = 137 ] || [ $code = 0 ] || fail "$scene: exit code $code after kill $i: $(cat "$dir/log")"
        if [ -f "$out/manifest.json" ]; then
            "$rheo" info --verify "$out" > /dev/null || fail "$scene: a damaged cache after kill $i"
        fi
        if [ $code = 0 ]; then # finished in spite of it (the machine was slower at first): begin again, kill earlier
            mv "$out" "$out.$i"
            took=$((took / 2 + 1))
        fi
    done
    run --out "$dir/$scene.killed" --resume || fail "resuming $scene: $(cat "$dir/log")"
    for d in "$dir/$scene".killed*; do diff -r "$dir/$scene" "$d" || fail "$d differs from the undisturbed run"; done
    [ $kills -gt 0 ] || fail "$scene: no kill came in time"
    echo "resume: $scene: same bytes after $kills kills"
}
# small scenes, over before a kill would come: stopped after a part of their frames and resumed
cat > "$dir/jet.yaml" <<'SCENE'
title: In two goes
domain: { size: [1, 1, 0.5], cells: 16, walls: { top: open } }
time: { frames: 6, fps: 30 }
fluids:
  - { name: water, viscosity: 0.1, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.5, 0.5] } } ] }
emitters:
  - { fluid: water, shape: { sphere: { center: [0.7, 0.8, 0.25], radius: 0.1 } }, velocity: [0, -2, 0], during: [0, 0.15] }
solids:
  - { name: paddle, shape: { box: { min: [0.6, 0, 0.1], max: [0.75, 0.4, 0.4] } }, position: { keys: [[0, [0.675, 0.2, 0.25]], [0.07, [0.6, 0.2, 0.25]], [0.21, [0.5, 0.2, 0.25]]] } }
output: { particles: true, checkpoint_every: 2 }
SCENE
cat > "$dir/thin.yaml" <<'SCENE'
title: A thin wall in two goes
domain: { size: [1, 1, 0.5], cells: 16 }
time: { frames: 6, fps: 30 }
solver: { method: apic }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.6, 0.5] } } ] }
solids:
  - { name: wall, shape: { box: { min: [0.6, 0, 0.1], max: [0.62, 0.5, 0.5] }, rotate: { axis: [0, 1, 0], degrees: 20 } } }
output: { particles: true, checkpoint_every: 2 }
SCENE
cat > "$dir/periodic.yaml" <<'SCENE'
title: Around and around in two goes
domain: { size: [1, 1, 0.5], cells: 16, walls: { x: periodic, z: periodic } }
time: { frames: 6, fps: 30 }
solver: { method: flip }
fluids:
  - { name: water, velocity: [2, 0, 1], fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.6, 0.5] } } ] }
solids:
  - { name: post, shape: { sphere: { center: [0.8, 0.1, 0.25], radius: 0.15 } } }
output: { particles: true, checkpoint_every: 2 }
SCENE
two_goes() { # NAME SCENE OPTIONS...
    name=$1 scene=$2
    shift 2
    run --out "$dir/$name.whole" "$@" || fail "the undisturbed run of $name: $(cat "$dir/log")"
    run --out "$dir/$name.halves" "$@" --frames 3 || fail "the first half of $name: $(cat "$dir/log")"
    run --out "$dir/$name.halves" "$@" --resume || fail "resuming $name: $(cat "$dir/log")"
    diff -r "$dir/$name.whole" "$dir/$name.halves" || fail "$name in two goes differs from one"
    echo "resume: $name: same bytes in one go and in two"
}
two_goes mac jet --set solver.method=mac
two_goes sph jet --set solver.method=sph
two_goes pic jet --set solver.method=pic
two_goes flip jet
two_goes thin thin
two_goes periodic periodic
two_goes viscous-flip honey --set solver.method=flip --set solver.viscosity=laplacian
two_goes viscous-stokes honey --set solver.viscosity=stokes
two_goes viscous-tree honey --set solver.viscosity=tree --set solver.levels=3 --cells 24

# Liquid that leaves rows of the grid behind, walls that slip, a solid that moves through it: nothing of a step is left over.
cat > "$dir/ramp.yaml" <<'SCENE'
domain: { size: [1, 1, 1], cells: 20 }
time: { frames: 12, fps: 40 }
solver: { method: flip, viscosity: full }
fluids:
  - { name: honey, density: 1000, viscosity: 30, fill: [ { sphere: { center: [0.5, 0.7, 0.5], radius: 0.22 } } ] }
  - { name: water, density: 1000, viscosity: 0, fill: [ { box: { min: [0, 0, 0], max: [1, 0.1, 1] } } ] }
solids:
  - { name: ramp, shape: { box: { min: [0.2, 0.1, -0.2], max: [0.9, 0.25, 1.2] }, rotate: { axis: [0, 0, 1], degrees: 25 } } }
  - name: stick
    shape: { box: { min: [0.45, 0.4, 0.45], max: [0.55, 0.9, 0.55] } }
    motion: keyed
    slip: 0.05
    position: { keys: [[0, [0.5, 0.65, 0.5]], [0.6, [0.8, 0.55, 0.5]]] }
output: { checkpoint_every: 3 }
SCENE
"$rheo" run "$dir/ramp.yaml" -q --out "$dir/ramp.whole" 2> "$dir/log" || fail "$(cat "$dir/log")"
"$rheo" run "$dir/ramp.yaml" -q --frames 9 --out "$dir/ramp.halves" 2> "$dir/log" || fail "$(cat "$dir/log")"
"$rheo" run "$dir/ramp.yaml" -q --resume --out "$dir/ramp.halves" 2> "$dir/log" || fail "$(cat "$dir/log")"
diff -r "$dir/ramp.whole/mesh" "$dir/ramp.halves/mesh" || fail "liquid on a ramp in two goes differs from one"
echo "resume: ramp: same meshes in one go and in two"

# More frames may make `auto` solve viscosity where the run was begun without: that is no continuation.
cat > "$dir/auto.yaml" <<'SCENE'
domain: { dim: 2, size: [1, 1, 1], cells: 16 }
time: { frames: 15, fps: 30 }
solver: { method: apic }
fluids: [ { density: 1000, viscosity: 1, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.4, 1] } } ] } ]
SCENE
"$rheo" run "$dir/auto.yaml" -q --out "$dir/auto" 2> "$dir/log" || fail "$(cat "$dir/log")"
"$rheo" run "$dir/auto.yaml" -q --resume --frames 60 --out "$dir/auto" 2> "$dir/log"
[ $? -eq 3 ] || fail "another viscosity was taken for the same run"
grep -q "solver.viscosity: the run was begun with viscosity 'none'" "$dir/log" || fail "$(cat "$dir/log")"
echo "resume: another viscosity is refused"

kill_and_resume bodies 4
kill_and_resume smoke 4
kill_and_resume honey 3
kill_and_resume water 8

interrupts=0
for i in 1 2 3 4 5; do
    stop INT "$dir/stopped"
    case $code in
    6) interrupts=$((interrupts + 1)); grep -q '"status": "interrupted"' "$dir/stopped/manifest.json" || fail "no status" ;;
    0 | 130) ;; # done before, or stopped before it listened
    *) fail "exit code $code after Ctrl-C $i: $(cat "$dir/log")" ;;
    esac
done

# a closed terminal hangs up twice
"$rheo" run "$dir/water.yaml" -q --threads 2 --out "$dir/hung" 2> "$dir/log" &
pid=$!
until [ -f "$dir/hung/mesh/water.000001.ply" ]; do
    kill -0 $pid 2> /dev/null || break
    sleep 0.02
done
kill -HUP $pid 2> /dev/null
kill -HUP $pid 2> /dev/null
wait $pid
code=$?
[ $code = 6 ] || [ $code = 0 ] || fail "exit code $code when the terminal closed: $(cat "$dir/log")"
run --out "$dir/hung" --resume || fail "resuming after the terminal closed: $(cat "$dir/log")"
diff -r "$dir/water" "$dir/hung" || fail "after the terminal closed: different"

run --out "$dir/stopped" --resume || fail "resuming: $(cat "$dir/log")"
diff -r "$dir/water" "$dir/stopped" || fail "after Ctrl-C: different"
echo "resume: same bytes after $interrupts interruptions"

# no more than there is: said, and nothing touched
cp -a "$dir/stopped" "$dir/longer"
"$rheo" run "$dir/water.yaml" --frames 2 --out "$dir/longer" --resume 2> "$dir/log" || fail "resuming to fewer frames: $(cat "$dir/log")"
grep -q "nothing to do: frames 0 to 16 are there, and 2 frames are asked for" "$dir/log" || fail "not said: $(cat "$dir/log")"
for kind in mesh particles bodies probes state; do
    diff -r "$dir/water/$kind" "$dir/longer/$kind" || fail "resuming to fewer frames: different $kind"
done

# a file of an earlier frame that has lost its end: said, whether the run still has to go on or is done
hurt=$(ls "$dir"/stopped/*/*.000002.* | grep -v state | head -n 1)
[ -s "$hurt" ] || fail "no file of frame 2 to damage"
truncate -s 50 "$hurt"
run --out "$dir/stopped" --resume || fail "resuming what is done: $(cat "$dir/log")"
grep -q "warning: .*$(basename "$hurt"): .*damaged" "$dir/log" || fail "damage is not said: $(cat "$dir/log")"
echo "resume: a damaged file is said"
