// goroutines - a program in Go that knows its own calls.
//
//	goroutines [--wait] [--rounds N] [--work N]
//
// Prints "ready PID"; with --wait it works only once a line comes in.  In each round
// goroutines climb until their stacks have grown, wait while others work and the
// collector moves them, panic and recover, panic anew, touch what is not there, and
// quit.  Prints how many calls of each function there were, by how they ended, and
// for how long those of main.serve waited.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

var nothing *int
var sink int
var work = 2000

//go:noinline
func burn_inside(n int) int {
	s := 1
	for i := 0; i < n; i++ {
		s = s*31 + i ^ s>>3
	}
	return s
}

//go:noinline
func burn_outside(n int) int {
	s := 7
	for i := 0; i < n; i++ {
		s = s*29 + i ^ s>>5
	}
	return s
}

// 31 calls on stacks that begin small and are moved as they grow.
//
//go:noinline
func climb(n int) int {
	var pad [512]byte
	pad[n&511] = 1
	if n == 0 {
		return 1
	}
	return climb(n-1) + int(pad[n&511])
}

// Waits for an answer, on a stack that is too large now: the collector shrinks it.
//
//go:noinline
func serve(answer chan int, waited *time.Duration) int {
	began := time.Now()
	s := burn_inside(work) + <-answer + burn_inside(work)
	*waited += time.Since(began)
	return s
}

//go:noinline
func raise(n int) int {
	var pad [64]byte
	pad[n] = 1
	if n == 0 {
		panic("raised")
	}
	return raise(n-1) + int(pad[n])
}

//go:noinline
func mend() {
	if recover() == nil {
		os.Exit(3)
	}
}

//go:noinline
func guard() {
	defer mend()
	sink += raise(3)
}

//go:noinline
func anew() {
	defer func() {
		recover()
		panic("anew")
	}()
	sink += raise(3)
}

//go:noinline
func guard_anew() {
	defer mend()
	anew()
}

//go:noinline
func fault() int {
	return *nothing + 1
}

//go:noinline
func guard_fault() {
	defer mend()
	sink += fault()
}

//go:noinline
func last() { sink++ }

//go:noinline
func quit(n int) int {
	defer last()
	if n == 0 {
		runtime.Goexit()
	}
	return quit(n-1) + 1
}

func round(waited *time.Duration) {
	var all, ready sync.WaitGroup
	answer := make(chan int)
	each := func(f func()) {
		all.Add(1)
		go func() {
			defer all.Done()
			f()
		}()
	}
	ready.Add(1)
	each(func() {
		sink += climb(30)
		ready.Done()
		sink += serve(answer, waited)
	})
	ready.Wait()
	each(func() { guard(); guard_anew(); guard_fault(); guard() })
	each(func() { quit(2) })
	each(func() { sink += climb(30) })
	runtime.GC()
	burn_outside(work)
	answer <- 1
	all.Wait()
}

func main() {
	wait := flag.Bool("wait", false, "wait for a line before work")
	rounds := flag.Int("rounds", 50, "how many rounds")
	flag.IntVar(&work, "work", work, "how much work")
	flag.Parse()
	fmt.Println("ready", os.Getpid())
	if *wait {
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	var waited time.Duration
	for i := 0; i < *rounds; i++ {
		round(&waited)
	}
	r := *rounds
	type ends map[string]int
	truth := map[string]interface{}{
		"functions": map[string]ends{
			"main.climb":      {"entries": 62 * r, "return": 62 * r},
			"main.serve":      {"entries": r, "return": r},
			"main.raise":      {"entries": 12 * r, "throw": 12 * r},
			"main.mend":       {"entries": 4 * r, "return": 4 * r},
			"main.guard":      {"entries": 2 * r, "return": 2 * r},
			"main.anew":       {"entries": r, "throw": r},
			"main.guard_anew": {"entries": r, "return": r},
			"main.fault":      {"entries": r, "throw": r},
			"main.quit":       {"entries": 3 * r, "exit": 3 * r},
			"main.last":       {"entries": 3 * r, "return": 3 * r},
		},
		"waited_ns": int64(waited),
	}
	line, _ := json.Marshal(truth)
	fmt.Println(string(line))
}
