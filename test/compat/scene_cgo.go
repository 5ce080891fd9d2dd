// scene_cgo - a program in Go and C, whose calls go from one to the other and back: C
// runs on the thread's stack, Go on the goroutine's, in turns.
package main

/*
#include <pthread.h>

extern int go_back(int value, int depth);

static __attribute__((noinline)) int w_c(int value, int depth) {
	return go_back(value, depth) + 1;
}

static __attribute__((noinline)) int w_leaf(int value) {
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

static void *in_thread(void *value) {
	return (void *)(long)w_c((int)(long)value, 2);
}

static int from_thread(int value) {
	pthread_t thread;
	void *result = 0;
	if (pthread_create(&thread, 0, in_thread, (void *)(long)value) == 0)
		pthread_join(thread, &result);
	return (int)(long)result;
}
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

//go:noinline
func w_go(value, depth int) int {
	defer func() { cleaned++ }()
	entered()
	if depth > 0 {
		return int(C.w_c(C.int(value), C.int(depth-1))) + 1
	}
	if panics && value%3 != 2 {
		panic(value)
	}
	runtime.Gosched()
	return value
}

var (
	cleaned int
	panics  bool
)

//export go_back
func go_back(value, depth C.int) C.int { return C.int(w_go(int(value), int(depth))) }

// From Go to C and back, four stretches of stack deep.
func play_back(round int) { fmt.Print(" ", w_go(round, 3), " ", cleaned) }

// Left by a panic, over frames of C.
func play_over(round int) {
	panics = true
	defer func() { fmt.Print(" ", recover(), " ", cleaned) }()
	fmt.Print(" ", w_go(round, 3))
}

// A thread that C made calls Go.
func play_thread(round int) { fmt.Print(" ", C.from_thread(C.int(round)), " ", cleaned) }

//go:noinline
func w_leaves(value int) int {
	entered()
	value = int(C.w_leaf(C.int(value)))
	runtime.Gosched()
	return int(C.w_leaf(C.int(value)))
}

// Many at once, whatever thread each is on.
func play_leaves(round int) {
	var all sync.WaitGroup
	var sum int64
	for i := 0; i < 20; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			atomic.AddInt64(&sum, int64(w_leaves(round)))
		}()
	}
	all.Wait()
	fmt.Print(" ", sum)
}

var scenes = map[string]func(int){
	"back": play_back, "over": play_over, "thread": play_thread, "leaves": play_leaves,
}
