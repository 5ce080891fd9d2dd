#!/bin/sh
# Uses the golden flame graph in a browser; prints TAP, skips without Chromium.
#	svg_act.sh [FILE.svg]
# Runs beside others: nothing of it depends on load.
here=$(dirname "$0")
svg=${1:-$here/plain.svg}
for browser in chromium chromium-browser google-chrome; do
	command -v $browser >/dev/null && break
	browser=
done
if [ -z "$browser" ]; then
	echo "1..0 # SKIP no chromium"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# the share of parse_request and of the expand_table outside it, from the folded form
expected=$(awk '{ n = $NF; all += n } /parse_request|expand_table/ { hit += n }
	END { printf "%.1f", 100 * hit / all }' "$here/plain-marks.folded")
{
	sed '$d' "$svg"
	echo '<script><![CDATA['
	sed "s/EXPECTED/\"$expected\"/" "$here/svg_act.js"
	echo ']]></script></svg>'
} >"$work/test.svg"
$browser --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
	--disable-component-update --disable-sync --user-data-dir="$work/profile" \
	--window-size=1500,400 --dump-dom "file://$work/test.svg" 2>/dev/null >"$work/dom"
sed -n 's/.*data-tap="\([^"]*\)".*/\1/p' "$work/dom" | head -1 | sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' |
	tr '|' '\n' >"$work/tap"
cat "$work/tap"
if ! grep -q '^1\.\.' "$work/tap"; then
	echo "not ok 1 - the script of the flame graph ran to its end"
	echo "1..1"
	exit 1
fi
! grep -q '^not ok' "$work/tap"
