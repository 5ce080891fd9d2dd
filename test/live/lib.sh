# shellcheck shell=bash
# lib - what the live tests share.  Sourced by bash scripts; prints TAP.
#
#	plan 7; need root; need bpf
#	target_start calls steady --wait	-> $target (pid)
#	sonde_run record ... ; $status, $out, $err
#	target_go; target_finish		-> $truth (file with the line of JSON)
#	check 'name' command...			one result; what it printed is shown on failure
#	value FILE 'python expression on d'	reads JSON

build=$(cd "${SONDE_BUILD:-$(dirname "${BASH_SOURCE[0]}")/../../build}" && pwd)
sonde=$build/sonde
targets=$build/test/target
shop=$build/test/demo/shop-server
python=$(command -v /usr/bin/python3 || command -v python3)
work=$(mktemp -d "${TMPDIR:-/tmp}/sonde-test.XXXXXX")
out=$work/out err=$work/err truth=$work/truth
planned=0 done_tests=0 failures=0
children=()

# Is it of this script?  The number of one that has ended may be another's by now.
session_of() { ps -o sid= -p "$1" 2>/dev/null; }
is_ours() { [ "$(session_of "$1")" = "$(session_of $$)" ]; }
# Ends what this script started, by pid, and nothing else.
clean_up() {
	local pid
	for pid in "${children[@]}"; do
		is_ours "$pid" && kill -KILL "$pid" 2>/dev/null
	done
	{ wait; } 2>/dev/null
	mountpoint -q "$work/full" 2>/dev/null && umount "$work/full"
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 143' TERM INT

plan() { planned=$1; echo "1..$1"; }

# Every result that is left is skipped, for this reason.
skip_rest() {
	while [ $done_tests -lt "$planned" ]; do
		done_tests=$((done_tests + 1))
		echo "ok $done_tests - $(basename "$0" .sh) # SKIP $1"
	done
	exit 0
}

skip() { done_tests=$((done_tests + 1)); echo "ok $done_tests - $1 # SKIP $2"; }

ok() { done_tests=$((done_tests + 1)); echo "ok $done_tests - $1"; }
# not_ok NAME TEXT
not_ok() {
	done_tests=$((done_tests + 1)) failures=$((failures + 1))
	echo "not ok $done_tests - $1"
	echo "$2" | head -60 | sed 's/^/# /'
}

check() {
	local name=$1 text
	shift
	if text=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$text
($*)"; fi
}

finish() {
	[ $done_tests -eq "$planned" ] || echo "# $done_tests of $planned"
	exit $((failures > 0))
}

# need root | bpf | the name of a program
need() {
	case $1 in
	root) [ "$(id -u)" = 0 ] || skip_rest "not root" ;;
	bpf)
		[ -e /sys/kernel/btf/vmlinux ] || skip_rest "this kernel has no BTF"
		[ -x "$sonde" ] || { echo "Bail out! $sonde was not built"; exit 1; } ;;
	*) command -v "$1" >/dev/null || skip_rest "$1 is not installed" ;;
	esac
}

# Starts a program that prints "ready PID"; its input is a pipe held open by us.
target_start() {
	local program=$1 tries=0
	shift
	[ -x "$program" ] || program=$targets/$program
	rm -f "$work/go"
	mkfifo "$work/go"
	: >"$truth"
	"$program" "$@" <>"$work/go" >"$truth" 2>"$work/target.err" &
	target=$!
	children+=("$target")
	until grep -q '^ready' "$truth"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || { echo "Bail out! $program did not start"; exit 1; }
		sleep 0.02
	done
}

target_go() { echo go >"$work/go"; }

# Waits for the target's own end; its status is $target_status.
target_finish() {
	{ wait "$target"; } 2>/dev/null
	target_status=$?
	sed -i '/^ready/d' "$truth"
	truth_text=$(cat "$truth")
}

target_stop() { kill -INT "$target" 2>/dev/null; target_finish; }

# Runs sonde to its end: $status, $out, $err.
sonde_run() {
	timeout -k 5 "${sonde_limit:-60}" "$sonde" "$@" >"$out" 2>"$err" </dev/null
	status=$?
	return 0
}

# Starts sonde beside us: $tracer.  Ready when it has said what it attached.
sonde_start() {
	local tries=0
	: >"$err" # what the last run said is not this one's
	"$sonde" "$@" >"$out" 2>"$err" </dev/null &
	tracer=$!
	children+=("$tracer")
	until grep -qE ' Hz, |s a call' "$err" &&
		[ "$(wc -l <"$err")" -ge "${sonde_lines:-1}" ]; do
		tries=$((tries + 1))
		[ $tries -lt 250 ] && kill -0 $tracer 2>/dev/null || break
		sleep 0.02
	done
	sleep 0.2
}

sonde_finish() { { wait "$tracer"; } 2>/dev/null; status=$?; }

# Starts sonde live: $tracer, $address
live_start() {
	local tries=0
	: >"$out"
	"$sonde" "$@" >"$out" 2>"$err" </dev/null &
	tracer=$!
	children+=("$tracer")
	until [ -s "$out" ]; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] && kill -0 $tracer 2>/dev/null || break
		sleep 0.02
	done
	address=$(head -1 "$out")
}
# The demonstration's server, as the target of a page with handle_request as a span.
live_shop() {
	"$shop" >/dev/null &
	target=$!
	children+=("$target")
	sleep 0.5
	live_start -q -p "$target" -s handle_request "$@"
}
live_end() { kill -INT "$tracer" 2>/dev/null; sonde_finish; }

# The program that drives a browser, and the browser: $browser.
need_browser() {
	web=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../web" && pwd)
	need node
	[ -d "$web/node_modules/playwright-core" ] ||
		skip_rest 'npm could not install what drives a browser'
	browser=$(command -v chromium || command -v chromium-browser ||
		command -v google-chrome) || skip_rest 'chromium is not installed'
}
# Takes over the lines of TAP that a command prints; a line '# end it now' ends sonde.
tap_of() {
	local line said=
	while read -r line; do
		case $line in
		'# end it now') live_end ;;
		'ok - '*) ok "${line#ok - }" ;;
		'not ok - '*) not_ok "${line#not ok - }" "$said" ;;
		'#'*) said+=${line#\# }$'\n' && continue ;;
		esac
		said=
	done < <("$@" 2>&1)
}
# browse live|recording: the cases of web/test/browser.mjs at $address; ends sonde.
browse() { tap_of timeout -k 5 160 node "$web/test/browser.mjs" "$1" "$address" "$browser"; }
# Ends a child of ours without a word of the shell's.
end_now() { { kill -KILL "$1" && wait "$1"; } 2>/dev/null; return 0; }

# The value of a Python expression; d is the document (of several in a file, a line each:
# the last), lines all of them.
value() {
	"$python" - "$@" <<'END'
import json, sys
text = open(sys.argv[1]).read() if sys.argv[1] else ''
try:
    lines = [json.loads(text)]
except ValueError:
    lines = [json.loads(l) for l in text.splitlines() if l.strip().startswith(('{', '['))]
d = lines[-1] if lines else {}
print(eval('(' + sys.argv[2] + ')', {'d': d, 'lines': lines, 'a': sys.argv[3:], 'json': json}))
END
}

# holds 'expression' FILE [FILE]: true for the documents d (first) and t (second); if not, what
# it compares is shown.
holds() {
	"$python" - "$@" <<'END'
import ast, json, sys
def last(path):
    lines = [l for l in open(path) if l.strip()]
    try:
        return json.loads(''.join(lines))
    except ValueError:
        return json.loads(lines[-1])
d = last(sys.argv[2])
t = last(sys.argv[3]) if len(sys.argv) > 3 else None
def near(a, b, part):
    return abs(a - b) <= part * abs(b)
def span(place=None):
    return next(s for s in d['spans'] if place in (None, s['place']))
def balanced(s):
    return s.get('entries', s['calls']) == sum(s['ended'].values()) + s['open']
held = eval('(' + sys.argv[1] + ')')
def compared(node):
    if isinstance(node, (ast.Lambda, ast.GeneratorExp, ast.ListComp)):
        return
    if isinstance(node, ast.Compare):
        for side in (node.left, *node.comparators):
            if not isinstance(side, ast.Constant):
                text = ast.unparse(side)
                print(text, '=', str(eval(text))[:200])
        return
    for inner in ast.iter_child_nodes(node):
        compared(inner)
if not held:
    print('does not hold:', sys.argv[1])
    try:
        compared(ast.parse('(' + sys.argv[1] + ')'))
    except Exception as error:
        print('(not to be told alone:', error, ')')
    for name, doc in (('d', d), ('t', t)):
        if doc is not None:
            for key in ('functions', 'nodes', 'histogram'):
                if isinstance(doc, dict) and isinstance(doc.get(key), list):
                    doc[key] = doc[key][:4]
            if isinstance(doc, dict) and (doc.get('split') or {}).get('verdict'):
                print('verdict =', json.dumps(doc['split']['verdict']))
            print(name, '=', json.dumps(doc)[:3000])
sys.exit(not held)
END
}

# stacks_hold STATEMENTS FOLDED: with the truth t as holds has it, stacks, and time(): nanoseconds
# of those that have these frames in this order; what does not hold is shown.
stacks_hold() {
	"$python" - "$1" "$2" "$truth" <<'END'
import json, sys, textwrap
stacks = []
for line in open(sys.argv[2]):
	stack, ns = line.rsplit(" ", 1)
	stacks.append((stack.split(";"), int(ns)))
t = json.load(open(sys.argv[3]))

def time(*frames):
	def has(stack):
		at = iter(stack)
		return all(any(f == name for f in at) for name in frames)
	return sum(ns for stack, ns in stacks if has(stack))

exec(textwrap.dedent(sys.argv[1]))
END
}

# Of a sonde, without what guards its descriptors.
children_of() {
	local pid
	for pid in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		grep -qx sonde-guard "/proc/$pid/comm" 2>/dev/null || echo "$pid"
	done
}
says() { grep -qi -- "$1" "$err" || { cat "$err"; return 1; }; }
status_is() { [ "$status" = "$1" ] || { echo "status $status"; cat "$err"; return 1; }; }
alive() { kill -0 "$1"; }
# stands PID: has each of its threads been stopped?  The one that takes the signal stops them
# all, and where every CPU is busy it has to wait for one.
stands() {
	for _ in {1..500}; do
		grep -h '^State:' /proc/"$1"/task/*/status | grep -qv stopped || return 0
		sleep 0.01
	done
	return 1
}
exited_well() { [ "$target_status" = 0 ] || { echo "target ended with $target_status"; cat "$work/target.err"; return 1; }; }
