#!/bin/sh
# What is installed to a prefix of its own works from there, even after the prefix was moved, without a word to the loader:
# the command, and the README's C program compiled through the pkg-config file. The shared library needs nothing that only
# benchmarks use, and shows no name but rheo_*.
# usage: install.sh COMMAND SOURCE
set -u
build=$(dirname "$1")
source=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "install: $*" >&2; exit 1; }
if ! grep -q '^RHEO_SANITIZE:STRING=$' "$build/CMakeCache.txt"; then
    echo "install: a library with a sanitizer needs that sanitizer in every program: nothing to test"
    exit 0
fi

unset LD_LIBRARY_PATH DESTDIR
cmake --install "$build" --prefix "$dir/first" > "$dir/log" 2>&1 || fail "$(cat "$dir/log")"
mv "$dir/first" "$dir/second"
"$dir/second/bin/rheo" scenes > "$dir/log" 2>&1 || fail "the command: $(cat "$dir/log")"
grep -q dam-break "$dir/log" || fail "the command said $(cat "$dir/log")"
pc=$(find "$dir/second" -name rheo.pc)
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs rheo) || fail "pkg-config with $pc"
# shellcheck disable=SC2086 # several words
cc "$source/tests/api/example.c" -o "$dir/example" $flags > "$dir/log" 2>&1 || fail "compiling: $(cat "$dir/log")"
"$dir/example" > "$dir/log" 2>&1 || fail "the program: $(cat "$dir/log")"
[ "$(grep -c 'm3, at most' "$dir/log")" = 10 ] || fail "the program said $(cat "$dir/log")"
library=$(find "$dir/second" -name 'librheo.so')
needed=$(readelf -d "$library" | grep -iE 'NEEDED.*(hypre|mpi)') && fail "the library loads what only benchmarks use: $needed"
shown=$(nm -D --defined-only "$library" | awk '{ print $NF }') || fail "nm with $library"
echo "$shown" | grep -q '^rheo_create_sim$' || fail "the library does not show rheo_create_sim"
others=$(echo "$shown" | grep -v '^rheo_') && fail "the library shows names that are not its own: $others"
[ -z "$(find "$dir/second" -name measure.h)" ] || fail "the command's own header is installed"
echo "install: works from its prefix"
