#!/bin/bash
# The live page in a browser, as a person uses it: web/test/browser.mjs has the cases.
. "$(dirname "$0")/../live/lib.sh"
plan 24
need root
need bpf
need_browser

"$shop" >/dev/null &
target=$!
children+=("$target")
sleep 0.5
live_start -q -p "$target" -s handle_request
browse live
check 'sonde ended well' status_is 0
check 'and took nothing from the target' alive "$target"
finish
