#!/bin/sh
# Disks that are full (ENOSPC) when a mesh, a checkpoint, a probe or the manifest is written, and one disk for all of it:
# exit code 5 and the reason, no half-written files, every frame that was good stays; --resume goes on once there is
# room, to the same bytes. The disks are small file systems in memory, in a name space of their own: that takes root. Who
# may not mount has disk.sh alone, where a limit on file size plays the full disk.
# usage: disk_full.sh [COMMAND]
set -u
rheo=${1:-${RHEO_COMMAND:-build/rheo}}
fail() { echo "disk full: $*" >&2; exit 1; }

if [ -z "${RHEO_OWN_MOUNTS:-}" ]; then
    if [ "$(id -u)" != 0 ] || ! unshare -m sh -c 'mount -t tmpfs -o size=64k none /mnt' 2> /dev/null; then
        echo "disk full: left out, no file systems can be mounted here; disk.sh plays full disks by a limit on file size"
        exit 0
    fi
    RHEO_OWN_MOUNTS=1 exec unshare -m sh "$0" "$@"
fi
dir=$(mktemp -d) || exit 1
mount -t tmpfs none "$dir" || fail "cannot mount"
trap 'umount -l "$dir"; rmdir "$dir"' EXIT

cat > "$dir/scene.yaml" <<'SCENE'
title: No room
domain: { size: [1, 1, 1], cells: 12 }
time: { frames: 6, fps: 30 }
fluids: [ { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] } ]
solids: [ { name: ball, motion: dynamic, density: 500, shape: { sphere: { center: [0.7, 0.5, 0.5], radius: 0.15 } } } ]
probes: [ { name: line, from: [0, 0.2, 0.5], to: [1, 0.2, 0.5], samples: 200, of: [velocity, pressure] } ]
output: { checkpoint_every: 2 }
SCENE

frames() { "$rheo" info --json "$1" | sed 's/.*"last_frame":\([0-9]*\).*/\1/'; }

# All that a run may not do to CACHE when it meets a full disk, and what it must do afterwards.
meets_full_disk() { # NAME CACHE PATTERN
    before=$(frames "$2")
    "$rheo" run "$dir/scene.yaml" --out "$2" --resume > "$dir/out" 2> "$dir/log"
    code=$?
    [ $code = 5 ] || fail "$1: exit code $code: $(cat "$dir/log")"
    grep -q "$3.*No space left on device" "$dir/log" || fail "$1: no reason given: $(cat "$dir/log")"
    is_intact "$1" "$2"
    [ "$(frames "$2")" -ge "$before" ] || fail "$1: frames are gone"
}
is_intact() { # NAME CACHE
    [ -z "$(find "$2" -name '*.tmp')" ] || fail "$1: temporary files stay behind"
    "$rheo" info --verify "$2" > "$dir/out" 2>&1 || fail "$1: the cache is damaged: $(cat "$dir/out")"
}
goes_on() { # NAME CACHE
    "$rheo" run "$dir/scene.yaml" --out "$2" --resume > "$dir/out" 2> "$dir/log" || fail "$1: no resume: $(cat "$dir/log")"
    diff -r "$dir/whole" "$2" || fail "$1: different after a full disk"
    echo "disk full: $1: exit code 5, nothing lost, resumed to the same bytes"
}
small_disk() { # DIRECTORY: what is in it moves to a file system of its own
    cp -a "$1" "$dir/moved"
    mount -t tmpfs -o size=2m none "$1" && cp -a "$dir/moved/." "$1" && rm -r "$dir/moved" || fail "cannot mount"
}
fill_up() { # DIRECTORY: but for one page, so that files begin and do not end
    dd if=/dev/zero of="$1/ballast" bs=4096 2> /dev/null
    truncate -s -4096 "$1/ballast"
}

"$rheo" run "$dir/scene.yaml" -q --out "$dir/whole" 2> "$dir/log" || fail "$(cat "$dir/log")"
for part in mesh state probes; do
    "$rheo" run "$dir/scene.yaml" -q --frames 2 --out "$dir/$part" 2> "$dir/log" || fail "$(cat "$dir/log")"
    small_disk "$dir/$part/$part"
    fill_up "$dir/$part/$part"
    meets_full_disk $part "$dir/$part" "$part/"
    rm "$dir/$part/$part/ballast"
    goes_on $part "$dir/$part"
done

# the manifest lies beside the directories
"$rheo" run "$dir/scene.yaml" -q --frames 2 --out "$dir/manifest" 2> "$dir/log" || fail "$(cat "$dir/log")"
small_disk "$dir/manifest"
for part in "$dir"/manifest/*/; do small_disk "$part"; done
fill_up "$dir/manifest"
meets_full_disk manifest "$dir/manifest" manifest
rm "$dir/manifest/ballast"
goes_on manifest "$dir/manifest"

# one small disk from the start: half of what it takes
mkdir "$dir/all"
mount -t tmpfs -o size=$(($(du -sk "$dir/whole" | cut -f 1) / 2))k none "$dir/all" || fail "cannot mount"
"$rheo" run "$dir/scene.yaml" --out "$dir/all" > "$dir/out" 2> "$dir/log"
code=$?
[ $code = 5 ] || fail "all: exit code $code: $(cat "$dir/log")"
is_intact all "$dir/all"
meets_full_disk all "$dir/all" ''
mount -o remount,size=4m "$dir/all" || fail "cannot mount"
goes_on all "$dir/all"
