#!/bin/bash
# redis-server under redis-benchmark, with every command as a span.
. "$(dirname "$0")/lib.sh"
plan 6
need root
need bpf
need redis-server
need redis-benchmark

redis-server --port 0 --unixsocket "$work/redis.sock" --save '' --appendonly no \
	--dir "$work" >"$work/redis.log" 2>&1 &
target=$!
children+=("$target")
for _ in $(seq 100); do [ -S "$work/redis.sock" ] && break; sleep 0.05; done
cli() { redis-cli -s "$work/redis.sock" "$@"; }
commands() { cli info stats | tr -d '\r' | sed -n 's/^total_commands_processed://p'; }

# Its allocator maps a C++ run-time and walks stacks: what suits is for sonde to know.
sonde_run record -p "$target" -s processCommand --yes --dry-run -d 1 -o "$work/x.sonde"
check 'redis may be watched as it is' status_is 0

before=$(commands)
sonde_start record -p "$target" -s processCommand --yes -F 499 -d 30 -o "$work/x.sonde"
redis-benchmark -s "$work/redis.sock" -q -t set,get,lrange_600 -n 20000 -c 8 >"$work/benchmark" 2>&1
after=$(commands)
kill -INT "$tracer"
sonde_finish
check 'record ends well' status_is 0
check 'redis is alive' cli ping
sonde_run report "$work/x.sonde" --split 'dur > p95' --json
check 'every command is a call' holds "abs(span()['calls'] - ($after - $before)) <= 2" "$out"
check 'calls are accounted for' holds 'balanced(span())' "$out"
check 'slow commands were sampled' holds 'd["split"]["in"]["samples"] > 20 and d["functions"]' "$out"
finish
