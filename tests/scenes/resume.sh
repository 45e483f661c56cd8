#!/bin/sh
# A run that is killed (-9) again and again at arbitrary moments and resumed leaves, byte for byte, the cache of a run
# that nothing happened to. Then the same with Ctrl-C, which must say so with exit code 6 and save the state.
# usage: resume.sh [COMMAND]
set -u
rheo=${1:-${RHEO_COMMAND:-build/rheo}}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "resume: $*" >&2; exit 1; }

cat > "$dir/scene.yaml" <<'SCENE'
title: Killed and resumed
domain: { size: [1, 1, 1], cells: 16, walls: { top: open } }
time: { frames: 16, fps: 30 }
solver: { method: apic }
fluids:
  - { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.5, 1] } } ] }
emitters:
  - { fluid: water, shape: { sphere: { center: [0.7, 0.8, 0.5], radius: 0.1 } }, velocity: [0, -2, 0], during: [0, 0.3] }
solids:
  - name: paddle
    shape: { box: { min: [0.6, 0, 0.3], max: [0.75, 0.4, 0.7] } }
    motion: keyed
    position: { keys: [[0, [0.675, 0.2, 0.5]], [0.5, [0.4, 0.2, 0.5]]] }
probes:
  - { name: line, from: [0.5, 0, 0.5], to: [0.5, 1, 0.5], samples: 5, of: [velocity, pressure] }
output: { particles: true, checkpoint_every: 3 }
SCENE

run() { "$rheo" run "$dir/scene.yaml" -q --threads 2 "$@" 2> "$dir/log"; }

before=$(date +%s%N)
run --out "$dir/whole" || fail "the undisturbed run: $(cat "$dir/log")"
took=$((($(date +%s%N) - before) / 1000000))

# moments from a fixed sequence, so that a failure can be repeated on the same machine
seed=12345
moment() { # milliseconds, up to the length of the whole run
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((1 + (seed / 65536) % took))
}

stop() { # SIGNAL OUT: starts or resumes, and stops it after a while; leaves the exit code in $code
    "$rheo" run "$dir/scene.yaml" -q --threads 2 --out "$2" --resume 2> "$dir/log" &
    pid=$!
    ms=$(moment)
    sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
    kill "-$1" $pid 2> /dev/null
    wait $pid 2> /dev/null
    code=$?
}

kills=0
for i in 1 2 3 4 5 6 7 8 9 10; do
    stop KILL "$dir/killed"
    [ $code = 137 ] && kills=$((kills + 1))
    [ $code = 137 ] || [ $code = 0 ] || fail "exit code $code after kill $i: $(cat "$dir/log")"
    if [ -f "$dir/killed/manifest.json" ]; then
        "$rheo" info --verify "$dir/killed" > /dev/null || fail "a damaged cache after kill $i"
    fi
    if [ $code = 0 ]; then # finished in spite of it (the machine was slower at first): begin again, kill earlier
        mv "$dir/killed" "$dir/killed.$i"
        took=$((took / 2 + 1))
    fi
done
run --out "$dir/killed" --resume || fail "resuming: $(cat "$dir/log")"
for d in "$dir"/killed*; do diff -r "$dir/whole" "$d" || fail "$d differs from the undisturbed run"; done

interrupts=0
for i in 1 2 3 4 5 6; do
    stop INT "$dir/stopped"
    case $code in
    6) interrupts=$((interrupts + 1)); grep -q '"status": "interrupted"' "$dir/stopped/manifest.json" || fail "no status" ;;
    0 | 130) ;; # done before, or stopped before it listened
    *) fail "exit code $code after Ctrl-C $i: $(cat "$dir/log")" ;;
    esac
done
run --out "$dir/stopped" --resume || fail "resuming: $(cat "$dir/log")"
diff -r "$dir/whole" "$dir/stopped" || fail "after Ctrl-C: different"
[ $kills -gt 0 ] || fail "no kill came in time"
echo "resume: same bytes after $kills kills and $interrupts interruptions"
