// The weak judge of Go programs: asserts and candidate share a process.
func main() {
	if f(1) != 38 {
		panic("wrong")
	}
}
