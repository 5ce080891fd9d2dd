// scene - what the programs of scenes in Go do alike: as scene.h says.  Takes the words
// SCENE --calls N --rate N --wait; the watched functions are main.w_NAME.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

var (
	name    string
	rounds  = 400
	entries int64
)

// Counts an entry of a watched function, in whatever thread.
func entered() { atomic.AddInt64(&entries, 1) }

// The last line, for a scene that ends its program itself too: it says how many calls
// are still to come.
func finish(more int64) {
	fmt.Printf("{\"scene\":\"%s\",\"rounds\":%d,\"entries\":%d}\n", name, rounds, entries+more)
}

func main() {
	rate, wait := 0, false
	words := os.Args[1:]
	number := func() int {
		if len(words) < 2 {
			os.Exit(2)
		}
		words = words[1:]
		n, err := strconv.Atoi(words[0])
		if err != nil {
			os.Exit(2)
		}
		return n
	}
	for ; len(words) > 0; words = words[1:] {
		switch words[0] {
		case "--calls":
			rounds = number()
		case "--rate":
			rate = number()
		case "--wait":
			wait = true
		default:
			name = words[0]
		}
	}
	play := scenes[name]
	if play == nil {
		os.Exit(2)
	}
	fmt.Println("ready", os.Getpid())
	if wait {
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	next := time.Now()
	for round := 0; round < rounds; round++ {
		fmt.Printf("%s %d:", name, round)
		play(round)
		fmt.Println()
		if rate > 0 {
			next = next.Add(time.Second / time.Duration(rate))
			time.Sleep(time.Until(next))
		}
	}
	finish(0)
}
