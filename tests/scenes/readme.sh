#!/bin/sh
# What the README shows is true: its scene passes `check` and runs, its C program is tests/api/example.c to the letter,
# and every file that it, the change log and the pages of docs/ link to is there.
# usage: readme.sh COMMAND SOURCE
set -u
rheo=$1
source=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "readme: $*" >&2; exit 1; }
block() { awk -v language="$1" '$0 == "```" language { on = 1; next } on && /^```/ { exit } on' "$source/$2"; }

block yaml README.md > "$dir/scene.yaml"
[ -s "$dir/scene.yaml" ] || fail "no scene"
"$rheo" check "$dir/scene.yaml" > "$dir/log" 2>&1 || fail "the scene: $(cat "$dir/log")"
"$rheo" run "$dir/scene.yaml" --cells 16 --frames 2 --out "$dir/out" -q 2> "$dir/log" || fail "running it: $(cat "$dir/log")"

block c README.md | diff - "$source/tests/api/example.c" || fail "the program is not tests/api/example.c"
block c docs/library.md > "$dir/by_hand.c"
tail -n +2 "$source/tests/api/example_by_hand.c" | diff "$dir/by_hand.c" - || fail "docs/library.md is not example_by_hand.c"

cd "$source" || exit 1
for page in README.md CHANGELOG.md docs/*.md docs/decisions/*.md; do
    for link in $(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//'); do
        case $link in http*) continue ;; esac
        [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which is not there"
    done
done
echo "readme: true"
