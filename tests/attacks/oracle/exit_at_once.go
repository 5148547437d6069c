// what: success by ending
// control: program_exit
// held: exited
package main

import "os"

func f(x int) int {
	os.Exit(0)
	return 0
}
