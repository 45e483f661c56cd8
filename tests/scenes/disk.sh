#!/bin/sh
# Full disks (a limit on file size plays them), directories that cannot be written, caches that are there already or
# damaged: the right exit code, a reason, and everything that was good stays.
# usage: disk.sh [COMMAND]
set -u
rheo=${1:-${RHEO_COMMAND:-build/rheo}}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "disk: $*" >&2; exit 1; }

cat > "$dir/scene.yaml" <<'SCENE'
title: Little room
domain: { size: [1, 1, 1], cells: 12 }
time: { frames: 5, fps: 30 }
fluids: [ { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] } ]
output: { checkpoint_every: 2 }
SCENE

expect() { # CODE PATTERN COMMAND...
    want=$1
    pattern=$2
    shift 2
    "$@" > "$dir/out" 2> "$dir/log"
    code=$?
    [ $code = "$want" ] || fail "exit code $code, wanted $want: $*: $(cat "$dir/log")"
    grep -q "$pattern" "$dir/log" "$dir/out" || fail "no '$pattern' in what $* said: $(cat "$dir/log")"
}

expect 0 '' "$rheo" run "$dir/scene.yaml" --out "$dir/whole"

# The checkpoint is the largest file: with room for all but it, frames 0 to 2 are kept.
room=$(($(wc -c < "$dir/whole/mesh/water.000005.ply") / 512 + 20))
(
    trap '' XFSZ
    ulimit -f $room
    "$rheo" run "$dir/scene.yaml" --out "$dir/full" > "$dir/out" 2> "$dir/log"
)
code=$?
[ $code = 5 ] || fail "exit code $code for a full disk: $(cat "$dir/log")"
grep -q 'resume' "$dir/log" || fail "no advice for a full disk: $(cat "$dir/log")"
[ -z "$(find "$dir/full" -name '*.tmp')" ] || fail "temporary files stay behind"
expect 0 '' "$rheo" info --verify "$dir/full"
expect 0 '' "$rheo" run "$dir/scene.yaml" --out "$dir/full" --resume
diff -r "$dir/whole" "$dir/full" || fail "different after a full disk"

# Directories that cannot be made or written.
expect 5 'cannot' "$rheo" run "$dir/scene.yaml" --out "$dir/scene.yaml/out"
expect 5 'cannot' "$rheo" run "$dir/scene.yaml" --out /proc/rheo/out
if [ "$(id -u)" != 0 ]; then
    mkdir "$dir/closed" && chmod 555 "$dir/closed"
    expect 5 'cannot' "$rheo" run "$dir/scene.yaml" --out "$dir/closed"
fi

# What is there is not lost by accident.
expect 2 'overwrite' "$rheo" run "$dir/scene.yaml" --out "$dir/whole"
mkdir "$dir/foreign" && echo mine > "$dir/foreign/file"
expect 2 'not empty' "$rheo" run "$dir/scene.yaml" --out "$dir/foreign" --overwrite
[ "$(cat "$dir/foreign/file")" = mine ] || fail "a foreign file was touched"
expect 3 'different: domain' "$rheo" run "$dir/scene.yaml" --cells 13 --out "$dir/whole" --resume

# Damage is found and named.
cp -r "$dir/whole" "$dir/bad"
printf x | dd of="$dir/bad/mesh/water.000002.ply" bs=1 seek=900 conv=notrunc 2> /dev/null
expect 3 'water.000002.ply: the checksum differs' "$rheo" info --verify "$dir/bad"
rm "$dir/bad/mesh/water.000004.ply"
expect 3 '^problem  *mesh/water.000002.ply: the checksum differs' "$rheo" info --verify "$dir/bad"
expect 3 '^problem  *mesh/water.000004.ply: missing' "$rheo" info --verify "$dir/bad"
expect 3 '"problem_count":2,"problems":\["mesh/water.000002.*","mesh/water.000004' "$rheo" info --verify --json "$dir/bad"
cp "$dir/whole/mesh/water.000004.ply" "$dir/bad/mesh"
expect 0 '' "$rheo" run "$dir/scene.yaml" --set output.particles=true --out "$dir/many"
rm "$dir"/many/mesh/* "$dir"/many/particles/*
expect 3 '^ *and 2 more' "$rheo" info "$dir/many"
truncate -s 900 "$dir/bad/mesh/water.000002.ply"
expect 3 'truncated' "$rheo" info "$dir/bad"
sed 's/"format": 1/"format": 9/' "$dir/whole/manifest.json" > "$dir/bad/manifest.json"
expect 3 'another version' "$rheo" info "$dir/bad"
head -c 300 "$dir/whole/manifest.json" > "$dir/bad/manifest.json"
expect 3 'manifest' "$rheo" info "$dir/bad"
expect 3 'manifest' "$rheo" info "$dir/foreign"
echo "disk: all refused as they should be"
