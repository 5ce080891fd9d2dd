// scene_goroutines - a program in Go whose calls are on stacks that move, are left by
// panics and by Goexit, wait while others run on their threads, and look at their own
// stacks.
package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

//go:noinline
func w_grows(n int) int {
	var pad [256]byte
	entered()
	pad[n&255] = byte(n)
	if n == 0 {
		return 0
	}
	return w_grows(n-1) + int(pad[n&255])
}

// In a goroutine of its own, whose stack begins small; then the collector, which makes
// large ones smaller.
func play_grows(round int) {
	done := make(chan int)
	go func() {
		n := w_grows(50)
		runtime.GC()
		done <- n + w_grows(10)
	}()
	fmt.Print(" ", <-done)
}

//go:noinline
func w_panic(depth, value int) int {
	defer func() { cleaned++ }()
	entered()
	if depth == 0 {
		if value%3 != 2 {
			panic("round " + strconv.Itoa(value))
		}
		return value
	}
	return w_panic(depth-1, value) + 1
}

var cleaned int

func play_recovered(round int) {
	defer func() {
		if cause := recover(); cause != nil {
			fmt.Print(" ", cause)
		}
		fmt.Print(" ", cleaned)
	}()
	fmt.Print(" ", w_panic(10, round))
}

//go:noinline
func w_again(depth, value int) int {
	entered()
	defer func() {
		cause := recover()
		fmt.Print(" ", depth)
		panic(cause)
	}()
	if depth == 0 {
		panic("round " + strconv.Itoa(value))
	}
	return w_again(depth-1, value) + 1
}

// Recovered on the way, and gone on with.
func play_again(round int) {
	defer func() { fmt.Print(" ", recover()) }()
	w_again(4, round)
}

type pair struct{ a, b int }

//go:noinline
func w_fault(p *pair) int {
	entered()
	return p.b
}

// By a signal.
func play_fault(round int) {
	defer func() { fmt.Print(" ", recover()) }()
	var p *pair
	if round%2 == 0 {
		p = &pair{round, round}
	}
	fmt.Print(" ", w_fault(p))
}

//go:noinline
func w_goexit(depth int) int {
	defer func() { cleaned++ }()
	entered()
	if depth == 0 {
		runtime.Goexit()
	}
	return w_goexit(depth-1) + 1
}

func play_goexit(round int) {
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		w_goexit(3)
	}()
	done.Wait()
	fmt.Print(" ", cleaned)
}

//go:noinline
func w_looks(depth int) int {
	entered()
	if depth == 0 {
		var pcs [64]uintptr
		mine := 0
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
		for {
			frame, more := frames.Next()
			fmt.Print(" ", strings.TrimPrefix(frame.Function, "main."), ":", frame.Line)
			if frame.Function == "main.w_looks" {
				mine++
			}
			if !more {
				break
			}
		}
		return mine - strings.Count(string(debug.Stack()), "main.w_looks(")
	}
	return w_looks(depth-1) + 1
}

func play_looks(round int) { fmt.Print(" ", w_looks(round%7)) }

//go:noinline
func w_waits(ask, answer chan int) int {
	entered()
	return <-ask + <-answer
}

// Twenty at once, more than there are threads.
func play_waits(round int) {
	var all sync.WaitGroup
	var sum int64
	ask, answer := make(chan int), make(chan int)
	for i := 0; i < 20; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			atomic.AddInt64(&sum, int64(w_waits(ask, answer)))
		}()
	}
	for i := 0; i < 20; i++ {
		ask <- i
	}
	for i := 0; i < 20; i++ {
		answer <- round
	}
	all.Wait()
	fmt.Print(" ", sum)
}

//go:noinline
func w_child(round int) string {
	entered()
	text, err := exec.Command("/bin/echo", strconv.Itoa(round)).Output()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

func play_child(round int) { fmt.Print(" ", w_child(round)) }

// The last panic ends the program: nobody recovers it.
func play_uncaught(round int) {
	if round < rounds-1 {
		play_recovered(round)
		return
	}
	fmt.Println()
	finish(4)
	w_panic(3, 0)
}

var scenes = map[string]func(int){
	"grows": play_grows, "recovered": play_recovered, "again": play_again,
	"fault": play_fault, "goexit": play_goexit, "looks": play_looks,
	"waits": play_waits, "child": play_child, "uncaught": play_uncaught,
}
