#!/bin/bash
# The live page open for long, while a probe comes and goes every second.
. "$(dirname "$0")/soak.sh"
plan 8
need root
need bpf
need_browser

live_shop -F 29
tap_of timeout -k 5 $((seconds + 60)) node "$web/test/soak.mjs" "$address" "$browser" "$tracer" \
	"$seconds" parse_request
live_end
check 'sonde ended well' status_is 0
check 'and took nothing from the target' alive "$target"
finish
