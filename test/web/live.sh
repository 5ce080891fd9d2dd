#!/bin/bash
# The live page in a browser, as a person uses it: web/test/browser.mjs has the cases.
. "$(dirname "$0")/../live/lib.sh"
plan 25
need root
need bpf
need_browser

live_shop
browse live
check 'sonde ended well' status_is 0
check 'and took nothing from the target' alive "$target"
finish
