#!/bin/bash
# The page's own unit tests and its types, in Node.js.
# Runs beside others: nothing of it depends on load.
web=$(cd "$(dirname "$0")/../../web" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sonde-test.XXXXXX")
trap 'rm -rf "$work"' EXIT

if ! command -v node >/dev/null; then
	echo '1..0 # SKIP node is not installed'
	exit 0
fi
if [ ! -x "$web/node_modules/.bin/esbuild" ]; then
	echo '1..0 # SKIP npm could not install what the page is made of'
	exit 0
fi
cd "$web" || exit 1
node_modules/.bin/esbuild test/units.ts --bundle --platform=node --format=esm --jsx=automatic \
	--jsx-import-source=preact --log-level=warning --outfile="$work/units.mjs" || exit 1
node "$work/units.mjs"
status=$?
echo 1..1
if node_modules/.bin/tsc --noEmit >"$work/types" 2>&1; then
	echo 'ok - types fit'
else
	sed 's/^/# /' "$work/types"
	echo 'not ok - types fit'
	status=1
fi
exit $status
