#!/bin/bash
# Programs whose file is gone or another by now, and that someone else looks at, too.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/play.sh"
plan $((4 * RESULTS))
need root
need bpf

place='w_recursion*'
copy=$work/copy

# once it runs, not before
before='cp "$scenes/scene_frames" "$copy.new" && mv "$copy.new" "$copy"'
how='its file deleted' meanwhile='rm "$copy"' \
	play "$copy" recursion "$place" 100 "$all_return"
how='its file replaced' meanwhile='cp "$scenes/scene_stacks" "$copy.new" && mv "$copy.new" "$copy"' \
	play "$copy" recursion "$place" 100 "$all_return"
before=

# A tracer stops the program at each of its system calls; a debugger has breakpoints of
# its own in it, at a function beside the watched ones.
if command -v strace >/dev/null; then
	how='under strace'
	under=("$(command -v strace)" -f -qq -o "$work/strace")
	play scene_frames recursion "$place" 100 "$all_return"
else
	skip_scene "recursion, under strace" "strace is not installed"
fi
if command -v gdb >/dev/null; then
	cat >"$work/under_gdb" <<-'GDB'
		#!/bin/bash
		set -o pipefail
		gdb -q -nx -batch -return-child-result -ex 'set debuginfod enabled off' \
			-ex 'set print inferior-events off' -ex 'set style enabled off' \
			-ex 'set startup-with-shell off' -ex 'dprintf play_recursion,""' \
			-ex run --args "$@" |
			grep --line-buffered -v -e '^\[' -e '^Dprintf' -e '^Using host'
	GDB
	chmod +x "$work/under_gdb"
	how='under gdb'
	under=("$work/under_gdb")
	play scene_frames recursion "$place" 100 "$all_return"
else
	skip_scene "recursion, under gdb" "gdb is not installed"
fi
finish
