#!/bin/bash
# nginx with two workers under wrk, with every request as a span.
. "$(dirname "$0")/lib.sh"
plan 11
need root
need bpf
need nginx
need wrk

port=$((20000 + $$ % 20000))
mkdir "$work/www"
chmod 755 "$work" "$work/www"
seq 20000 >"$work/www/index.html"
cat >"$work/nginx.conf" <<END
daemon off; pid $work/nginx.pid; error_log $work/error.log; worker_processes 2;
events { worker_connections 128; }
http {
	access_log off; gzip on; gzip_types text/html;
	client_body_temp_path $work/t1; proxy_temp_path $work/t2; fastcgi_temp_path $work/t3;
	uwsgi_temp_path $work/t4; scgi_temp_path $work/t5;
	server { listen 127.0.0.1:$port; root $work/www; location /status { stub_status; } }
}
END
nginx -c "$work/nginx.conf" -e "$work/error.log" >"$work/target.err" 2>&1 &
master=$!
trap 'kill -TERM $master 2>/dev/null; wait $master; clean_up' EXIT
requests() {
	"$python" -c "import urllib.request as u
print(u.urlopen('http://127.0.0.1:$port/status').read().split()[9].decode())" 2>/dev/null
}
for _ in $(seq 50); do requests >/dev/null && break; sleep 0.1; done
workers=$(children_of $master | paste -sd,)

# record_requests OPTION...
record_requests() {
	before=$(requests)
	sonde_start record -p "$workers" "$@" -F 499 -d 30 -o "$work/x.sonde"
	wrk -t1 -c4 -d3s -H 'Accept-Encoding: gzip' "http://127.0.0.1:$port/" >"$work/wrk" 2>&1
	sleep 0.3
	after=$(requests)
	kill -INT "$tracer"
	sonde_finish
}

record_requests --yes -s ngx_http_process_request
check 'record ends well' status_is 0
check 'nginx is alive' test -n "$after"
sonde_run report "$work/x.sonde" --split 'dur > p95' --json
check 'both workers were seen' holds 'd["target"]["processes"] == 2' "$out"
check 'every request is a call' holds "abs(span()['calls'] - ($after - $before)) <= 4" "$out"
check 'calls are accounted for' holds 'balanced(span())' "$out"
check 'requests were sampled' holds 'd["split"]["in"]["samples"] + d["split"]["rest"]["samples"] > 100' "$out"

# what has no name is called by its address, and is a place by that
"$python" - "$out" >"$work/unnamed" <<'END'
import json, sys
names = [f["name"] for f in json.load(open(sys.argv[1]))["functions"]
         if f["name"].startswith("fn_") and f["image"] == "nginx" and "~" in f["name"]]
print(names[0] if names else "")
END
check 'functions without a name are seen' grep -q '^fn_' "$work/unnamed"
sonde_run list -p "${workers%,*}" "$(cat "$work/unnamed")" --json
check 'and are places as reports write them' status_is 0

# its work is done behind jumps to other functions
record_requests --exit ret --yes -s ngx_http_process_request
sonde_run report "$work/x.sonde" --json
check 'by exits: every request is a call' \
	holds "abs(span()['calls'] - ($after - $before)) <= 4" "$out"
check 'by exits: calls are accounted for' holds 'balanced(span())' "$out"
check 'by exits: nearly all that is done is done in them' \
	holds 'd["split"]["in"]["samples"] > 0.9 * d["samples"] > 100' "$out"
finish
