// what: success by ending from another thread of control
// control: program_exit
// held: exited
package main

import (
	"os"
	"time"
)

func f(x int) int {
	go os.Exit(0)
	time.Sleep(5 * time.Second)
	return 0
}
