#!/bin/bash
# The live page in a browser, as a person uses it: web/test/browser.mjs has the cases.
. "$(dirname "$0")/lib.sh"
web=$(cd "$(dirname "$0")/../../web" && pwd)
plan 21
need root
need bpf
need node
[ -d "$web/node_modules/playwright-core" ] ||
	skip_rest 'npm could not install what drives a browser'
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	skip_rest 'chromium is not installed'

"$shop" >/dev/null &
target=$!
children+=("$target")
sleep 0.5
live_start -q -p "$target" -s handle_request
while read -r line; do
	case $line in
	'# end it now') live_end ;;
	'ok - '*) ok "${line#ok - }" ;;
	'not ok - '*) not_ok "${line#not ok - }" "$said" ;;
	'# '*) said+=${line#\# }$'\n' ;;
	esac
	[[ $line = '#'* ]] || said=
done < <(timeout -k 5 160 node "$web/test/browser.mjs" "$address" "$browser" 2>&1)
check 'sonde ended well' status_is 0
check 'and took nothing from the target' alive "$target"
finish
