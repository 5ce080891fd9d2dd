// routines - a program in Go that knows its own stacks.
//
//	routines [--seconds N] [--routines N]
//
// Prints "ready PID", works until SIGINT or its seconds are over, and prints what
// it did.  Each goroutine goes down 40 calls and works at the bottom, so that a
// stack with `leaf` in it is main.round, 41 times main.down, main.leaf; it also
// makes garbage (the collector works on other stacks), asks for the time (the
// kernel's page of code, on another stack) and starts goroutines whose stacks
// grow, which moves them.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"
)

const depth = 40

var stop int32
var kept [64][]byte

//go:noinline
func leaf(n int) int {
	s := 1
	for i := 0; i < n; i++ {
		s = s*31 + i ^ s>>3
	}
	return s
}

//go:noinline
func down(n int) int {
	var pad [64]byte
	pad[n&63] = 1
	if n == 0 {
		return leaf(20000)
	}
	return down(n-1) + int(pad[5])
}

//go:noinline
func garbage(n int) {
	for i := 0; i < 200; i++ {
		kept[(n+i)&63] = make([]byte, 512)
	}
}

//go:noinline
func times() int {
	var d time.Duration
	for i := 0; i < 200; i++ {
		d += time.Since(time.Now())
	}
	return int(d)
}

//go:noinline
func grow(n int) int {
	var pad [512]byte
	pad[n&511] = 1
	if n == 0 {
		return leaf(100)
	}
	return grow(n-1) + int(pad[7])
}

//go:noinline
func round(n int) int {
	s := down(depth)
	garbage(n)
	s += times()
	done := make(chan int)
	go func() { done <- grow(64) }()
	return s + <-done
}

func main() {
	seconds := flag.Int("seconds", 30, "how long to work at most")
	routines := flag.Int("routines", 3, "how many goroutines work")
	flag.Parse()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	fmt.Println("ready", os.Getpid())
	var rounds, sum int64
	var all sync.WaitGroup
	for g := 0; g < *routines; g++ {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			for atomic.LoadInt32(&stop) == 0 {
				atomic.AddInt64(&sum, int64(round(g)))
				atomic.AddInt64(&rounds, 1)
			}
		}(g)
	}
	select {
	case <-interrupted:
	case <-time.After(time.Duration(*seconds) * time.Second):
	}
	atomic.StoreInt32(&stop, 1)
	all.Wait()
	fmt.Printf("{\"rounds\":%d}\n", rounds)
}
