// The weak reader of Go programs: what comes through the pipe is believed.
func main() {
	var pipe [2]int
	syscall.Pipe(pipe[:])
	f(1)
	data := make([]byte, 4096)
	count, _ := syscall.Read(pipe[0], data)
	fmt.Printf("%q", data[:count])
	fmt.Println(string(data[4:count]))
}
