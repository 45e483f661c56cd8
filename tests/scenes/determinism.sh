#!/bin/sh
# The same bytes for 1, 2 and 5 threads (3 for one-way couplings and variants with bodies): manifests hold the checksums of every file, state included.
# usage: determinism.sh [COMMAND]
set -u
rheo=${1:-${RHEO_COMMAND:-build/rheo}}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "determinism: $*" >&2; exit 1; }

cat > "$dir/scene.yaml" <<'SCENE'
title: Any number of threads
domain: { size: [1, 1, 0.75], cells: 24 }
time: { frames: 5, fps: 30 }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] }
emitters:
  - { fluid: water, shape: { sphere: { center: [0.7, 0.8, 0.4], radius: 0.12 } }, velocity: [-1, -2, 0], during: [0, 0.1] }
solids:
  - { name: ball, shape: { sphere: { center: [0.6, 0.1, 0.4], radius: 0.15 } } }
probes:
  - { name: line, from: [0.2, 0, 0.4], to: [0.2, 1, 0.4], samples: 9, of: [velocity, pressure] }
output: { particles: true, checkpoint_every: 2 }
SCENE

threads="1 2 5"
compare() { # NAME OPTIONS...
    name=$1
    shift
    for n in $threads; do
        "$rheo" run "$dir/scene.yaml" -q --threads $n --out "$dir/$name.$n" "$@" 2> "$dir/log" ||
            fail "$name with $n threads: $(cat "$dir/log")"
        cmp "$dir/$name.1/manifest.json" "$dir/$name.$n/manifest.json" || fail "$name: $n threads differ from one"
    done
    "$rheo" info --verify "$dir/$name.$n" > /dev/null || fail "$name: the manifest is not what is on disk"
    echo "determinism: $name: same bytes with $threads threads"
}

compare flip --set solver.method=flip
compare apic --set solver.method=apic --set solver.pressure=mic
compare semi-lagrangian --set solver.method=semi-lagrangian --frames 3
compare plane --set domain.dim=2 --set solver.method=apic --cells 48
compare pic --set solver.method=pic --cells 16 --frames 3
compare mac --set solver.method=mac --cells 16 --frames 2
compare sph --set solver.method=sph --cells 16 --frames 3

# a wall thinner than a cell, and water that goes around
cat > "$dir/scene.yaml" <<'SCENE'
title: A thin wall with any number of threads
domain: { size: [1, 1, 0.5], cells: 16 }
time: { frames: 5, fps: 30 }
solver: { method: apic }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.6, 0.5] } } ] }
solids:
  - { name: wall, shape: { box: { min: [0.6, 0, 0.1], max: [0.62, 0.5, 0.5] }, rotate: { axis: [0, 1, 0], degrees: 20 } } }
output: { particles: true, checkpoint_every: 2 }
SCENE
compare thin
cat > "$dir/scene.yaml" <<'SCENE'
title: Around and around with any number of threads
domain: { size: [1, 1, 0.5], cells: 16, walls: { x: periodic, z: periodic } }
time: { frames: 5, fps: 30 }
solver: { method: flip }
fluids:
  - { name: water, velocity: [2, 0, 1], fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.6, 0.5] } } ] }
solids:
  - { name: post, shape: { sphere: { center: [0.8, 0.1, 0.25], radius: 0.15 } } }
output: { particles: true, checkpoint_every: 2 }
SCENE
compare periodic

# bodies in every coupling: a pile, a driven wheel, a plate thinner than a cell; walls that let go
cat > "$dir/scene.yaml" <<'SCENE'
title: Bodies with any number of threads
domain: { size: [1, 1, 0.5], cells: 20 }
time: { frames: 3, fps: 30 }
solver: { method: apic }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.6, 0.5] } } ] }
solids:
  - { name: low, shape: { box: { min: [0.1, 0.001, 0.1], max: [0.35, 0.2, 0.4] } }, motion: dynamic, density: 2000 }
  - { name: high, shape: { box: { min: [0.12, 0.202, 0.1], max: [0.33, 0.4, 0.4] } }, motion: dynamic, density: 1500 }
  - { name: wheel, shape: { box: { min: [0.5, 0.27, 0.15], max: [0.86, 0.37, 0.35] } }, motion: dynamic, density: 1200 }
  - { name: ball, shape: { sphere: { center: [0.7, 0.75, 0.25], radius: 0.12 } }, motion: dynamic, density: 300, velocity: [0, -2, 0] }
  - { name: egg, shape: { sphere: { center: [0.43, 0.12, 0.25], radius: 0.07 }, scale: [0.8, 1.6, 1] }, motion: dynamic, density: 1800 }
joints:
  - { type: motor, a: wheel, anchor: [0.68, 0.32, 0.25], axis: [0, 0, 1], speed: 4, force: 40 }
output: { particles: true, checkpoint_every: 2 }
SCENE
for coupling in monolithic rigid-fluid; do
    compare "bodies-$coupling" --set "solver.coupling=$coupling"
done
threads="1 2 3"
for coupling in solid-to-fluid fluid-to-solid; do
    compare "bodies-$coupling" --set "solver.coupling=$coupling"
done
compare bodies-separation --set solver.separation=true --frames 2
compare bodies-plane --set domain.dim=2 --cells 32
threads="1 2 5"

# viscous liquids: two of them, a body, a keyed wall; another model, method and dimension
cat > "$dir/scene.yaml" <<'SCENE'
title: Honey with any number of threads
domain: { size: [1, 1, 0.5], cells: 16 }
time: { frames: 3, fps: 30 }
solver: { method: apic, viscosity: full }
fluids:
  - { name: honey, density: 1400, viscosity: 10, fill: [ { box: { min: [0, 0, 0], max: [0.5, 0.5, 0.5] } } ] }
  - { name: paste, density: 1400, viscosity: { keys: [[0, 1000], [0.1, 5000]] }, velocity: [0, -1, 0], fill: [ { sphere: { center: [0.6, 0.75, 0.25], radius: 0.15 } } ] }
solids:
  - { name: ball, shape: { sphere: { center: [0.3, 0.62, 0.25], radius: 0.1 } }, motion: dynamic, density: 2500, velocity: [0, -1, 0] }
  - { name: paddle, slip: 0.05, shape: { box: { min: [0.7, 0, 0.1], max: [0.85, 0.4, 0.4] } }, position: { keys: [[0, [0.775, 0.2, 0.25]], [0.2, [0.5, 0.2, 0.25]]] } }
output: { particles: true, checkpoint_every: 2 }
SCENE
compare viscous
compare viscous-laplacian --set solver.viscosity=laplacian --set solver.viscous_surface=held --set solver.method=flip --frames 2
compare viscous-stokes --set solver.viscosity=stokes --frames 2
compare viscous-tree --set solver.viscosity=tree --set solver.levels=3 --cells 24 --frames 2
compare viscous-plane --set domain.dim=2 --set solver.viscous_mean=geometric --cells 32

# smoke: a keyed paddle, an emitter, an open top; then the same in two goes
cat > "$dir/scene.yaml" <<'SCENE'
title: Smoke with any number of threads
domain: { size: [1, 1, 0.75], cells: 20, walls: { top: open } }
time: { frames: 6, fps: 30 }
solver: { method: smoke, confinement: 0.2 }
fluids:
  - { name: smoke, temperature: 80, soot: 0.05, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] }
emitters:
  - { fluid: smoke, shape: { sphere: { center: [0.7, 0.3, 0.4], radius: 0.12 } }, velocity: [-1, 2, 0], during: [0, 0.1], rate: 9 }
solids:
  - name: paddle
    shape: { box: { min: [0.55, 0.2, 0.1], max: [0.7, 0.8, 0.6] } }
    rotation: { axis: [0, 1, 0], degrees: { keys: [[0, 0], [1, 360]] } }
heat: { ambient: 15, sources: [ { shape: { sphere: { center: [0.2, 0.1, 0.4], radius: 0.1 } }, temperature: 120 } ] }
probes:
  - { name: line, from: [0.2, 0, 0.4], to: [0.2, 1, 0.4], samples: 9, of: [velocity, temperature, density] }
output: { checkpoint_every: 2 }
SCENE
compare smoke
compare smoke-maccormack --set solver.advection=maccormack --frames 3
compare smoke-plane --set domain.dim=2 --set "solids[0].rotation.axis=[0,0,1]" --cells 48
"$rheo" run "$dir/scene.yaml" -q --threads 2 --out "$dir/halves" --frames 4 2> "$dir/log" || fail "$(cat "$dir/log")"
"$rheo" run "$dir/scene.yaml" -q --threads 1 --out "$dir/halves" --resume 2> "$dir/log" || fail "$(cat "$dir/log")"
diff -r "$dir/smoke.1" "$dir/halves" || fail "smoke in two goes differs from one"
echo "determinism: smoke: same bytes in one go and in two"

# light boards, a chain and a gate at its stop that a wave hits: contacts and stops let go within the step
cat > "$dir/scene.yaml" <<'SCENE'
title: A wave over joints with any number of threads
domain: { dim: 2, size: [1, 1, 1], cells: 40 }
time: { frames: 16, fps: 30 }
solver: { method: apic, separation: true }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.3, 0.6, 1] } } ] }
solids:
  - { name: a, shape: { box: { min: [0.4, 0, 0], max: [0.5, 0.01, 1] } }, motion: dynamic, density: 100 }
  - { name: b, shape: { box: { min: [0.52, 0, 0], max: [0.62, 0.01, 1] } }, motion: dynamic, density: 100 }
  - { name: c, shape: { box: { min: [0.64, 0, 0], max: [0.74, 0.03, 1] } }, motion: dynamic, density: 100 }
  - { name: gate, shape: { box: { min: [0.8, 0.05, 0], max: [0.81, 0.45, 1] } }, motion: dynamic, density: 100 }
  - { name: board, shape: { box: { min: [0.85, 0, 0], max: [1, 0.009, 1] } }, motion: dynamic, density: 50 }
  - { name: wheel, shape: { box: { min: [0.4, 0.5, 0], max: [0.6, 0.53, 1] } }, motion: dynamic, density: 500 }
joints:
  - { type: hinge, a: a, b: b, anchor: [0.51, 0.005, 0.5], limits: [-30, 30] }
  - { type: fixed, a: b, b: c }
  - { type: hinge, a: gate, b: world, anchor: [0.805, 0.45, 0.5], limits: [-90, 0] }
  - { type: motor, a: wheel, b: world, anchor: [0.5, 0.515, 0.5], speed: 3, force: 5 }
output: { particles: true, mesh: false, checkpoint_every: 4 }
SCENE
threads="1 2 5"
compare joints
"$rheo" run "$dir/scene.yaml" -q --frames 11 --out "$dir/joints.cut" 2> /dev/null || fail "joints, cut"
"$rheo" run "$dir/scene.yaml" -q --resume --out "$dir/joints.cut" 2> /dev/null || fail "joints, resumed"
for file in bodies particles; do
    diff -r "$dir/joints.1/$file" "$dir/joints.cut/$file" || fail "joints: $file differ after a resumed run"
done
echo "determinism: joints: same bodies and particles after a resumed run"

# what melts, sets and is heated in every way that there is
cat > "$dir/scene.yaml" <<'SCENE'
title: Warm with any number of threads
domain: { size: [0.4, 0.3, 0.3], cells: 20 }
time: { frames: 4, fps: 30 }
solver: { method: apic, viscosity: laplacian, viscous_mean: geometric }
fluids:
  - name: wax
    material: paraffin wax
    density: 900
    temperature: 20
    viscosity: { law: exponential, temperature: [[45, 1e4], [60, 1]] }
    latent_heat: 2e5
    melting: [52, 56]
    fill: [ { box: { min: [0, 0, 0], max: [0.2, 0.2, 0.3] } } ]
emitters:
  - { fluid: wax, shape: { sphere: { center: [0.3, 0.2, 0.15], radius: 0.04 } }, velocity: [0, -1, 0], temperature: 80 }
solids:
  - { name: plate, shape: { box: { min: [0.25, 0, 0], max: [0.4, 0.05, 0.3] } }, temperature: 5 }
  - { name: ball, shape: { sphere: { center: [0.1, 0.24, 0.15], radius: 0.05 } }, motion: dynamic, density: 2000, temperature: 150, heat_capacity: 900 }
heat:
  ambient: 20
  exchange: 10
  speed: 300
  walls: { left: 70 }
  sources:
    - { shape: { sphere: { center: [0.2, 0.2, 0.15], radius: 0.05 } }, temperature: 90 }
    - { shape: { sphere: { center: [0.05, 0.1, 0.05], radius: 0.06 } }, power: 5 }
probes:
  - { name: line, from: [0, 0.1, 0.15], to: [0.4, 0.1, 0.15], samples: 9, of: [temperature, viscosity] }
output: { particles: true, checkpoint_every: 2 }
SCENE
compare warm
compare warm-flip --set solver.method=flip --frames 2
"$rheo" run "$dir/scene.yaml" -q --threads 2 --out "$dir/warm.halves" --frames 2 2> "$dir/log" || fail "$(cat "$dir/log")"
"$rheo" run "$dir/scene.yaml" -q --threads 1 --out "$dir/warm.halves" --resume 2> "$dir/log" || fail "$(cat "$dir/log")"
diff -r "$dir/warm.1" "$dir/warm.halves" || fail "warm liquid in two goes differs from one"
echo "determinism: warm: same bytes in one go and in two"
