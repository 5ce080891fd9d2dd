#!/bin/bash
# clang++ compiling one large file: 20 images, 130 frames deep.
# Runs beside others: nothing of it depends on load.
. "$(dirname "$0")/soak.sh"
plan 5
need root
need bpf
need clang++

# Functions and templates, as many as take the time: a declaration at the top for each.
write_source() {
	"$python" - "$1" <<'END'
import sys
print("template <int N> struct sum { static int of(int x) { return x * N + sum<N - 1>::of(x ^ N); } };")
print("template <> struct sum<0> { static int of(int x) { return x; } };")
for i in range(int(sys.argv[1])):
    print(f"int f{i}(int *a, int n) {{ int s = {i}; for (int i = 0; i < n; i++) "
          f"s += a[i] > {i} ? sum<{i % 20 + 5}>::of(s) : a[(i * {i + 3}) % n]; return s; }}")
END
}

# feed: the large file, when it is time: before, the compiler waits to be watched.
feed() {
	until [ -e "$work/start" ]; do sleep 0.05; done
	cat "$work/many.cc"
}

mkfifo "$work/source"
write_source 100 >"$work/few.cc"
began=$(date +%s%N)
clang++ -O2 -g -c -o "$work/few.o" "$work/few.cc" || skip_rest "clang++ compiles nothing here"
count=$(((seconds * 100000000000) / ($(date +%s%N) - began)))
write_source $count >"$work/many.cc"
clang++ -x c++ -O2 -g -c -o "$work/alone.o" - <"$work/many.cc"

feed >"$work/source" &
children+=($!)
clang++ -x c++ -O2 -g -c -o "$work/watched.o" - <"$work/source" 2>"$work/target.err" &
target=$!
children+=("$target")
sleep 1
# the declarations are all read before the first function is optimised
soak_begin "$target" clang::Parser::ParseTopLevelDecl llvm::StringMapImpl::LookupBucketFor
touch "$work/start"
target_finish 2>/dev/null
soak_end
check 'it compiles' exited_well
check 'the object is what it is alone' cmp "$work/alone.o" "$work/watched.o"
# one declaration a line; the end of the file is asked for once more
lines=$(wc -l <"$work/many.cc")
check 'every declaration is a call' holds "$lines <= d['entries'] <= $lines + 3" "$out"
check 'every call has its end' holds 'd["ended"]["return"] == d["entries"]' "$out"
check "probes came and went ($(visits))" visits_are_sound
finish
