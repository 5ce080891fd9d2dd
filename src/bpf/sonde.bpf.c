/*
 * sonde - the kernel half, as one object.
 */
#include "bpf/call.bpf.h"
#include "bpf/clock.bpf.h"
#include "bpf/judged.bpf.h"
#include "bpf/life.bpf.h"
#include "bpf/round.bpf.h"
#include "bpf/site.bpf.h"
#include "bpf/symbol.bpf.h"
#include "bpf/wake.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";
