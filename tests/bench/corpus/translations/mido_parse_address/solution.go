package solution

import (
	"strconv"
	"strings"
)

func parse_address(address string) []any {
	words := strings.Split(address, ":")
	if len(words) != 2 {
		panic("address must be host:port")
	}
	port, err := strconv.ParseInt(strings.TrimSpace(words[1]), 10, 64)
	if err != nil || port <= 0 || port >= 65536 {
		panic("port is no integer or out of range")
	}
	return []any{words[0], port}
}
