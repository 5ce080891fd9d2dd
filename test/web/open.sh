#!/bin/bash
# A recording in the page: what open serves, and what a browser makes of it.  Needs no root.
# shop.sonde: sonde record -p PID -s handle_request -F 199 -d 10, of shop-server.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/../live/lib.sh"
plan 24
recording=$(dirname "$0")/shop.sonde

sonde_run open "$work/none.sonde"
check 'a recording that is not there is said to be so' says 'none.sonde.*No such file'
check 'which is a failure' status_is 1
head -c 2000 "$0" >"$work/odd.sonde"
sonde_run open "$work/odd.sonde"
check 'and one that is none' says 'odd.sonde'

head -c "$(($(wc -c <"$recording") * 2 / 3))" "$recording" >"$work/cut.sonde"
live_start open "$work/cut.sonde" --listen 127.0.0.1:0
check 'one that is cut is opened, and it is said' says 'cut.sonde'
answer() {
	"$python" - "${address%%#*}api/$1" "${address#*#t=}" "$2" <<-'END'
	import sys, urllib.error, urllib.request
	url, token, body = sys.argv[1:]
	request = urllib.request.Request(url, body.encode(), {'Authorization': 'Bearer ' + token})
	try:
	    print(urllib.request.urlopen(request).read().decode())
	except urllib.error.HTTPError as e:
	    print(e.read().decode())
	END
}
answer ask '{"split": "dur > 2ms"}' >"$work/answer" 2>&1
check 'what is left of it can be asked' holds 'd["samples"] > 100 and d["split"]' "$work/answer"
answer watch '{"place": "mix_block"}' >"$work/answer" 2>&1
check 'nothing can be watched in it' grep -q 'this is a recording' "$work/answer"
live_end
check 'Ctrl-C ends it' status_is 0

need_browser
live_start open "$recording" -q --listen 127.0.0.1:0
browse recording
finish
