package solution

import (
	"strconv"
	"strings"
)

func parse_data(value string) []int64 {
	all := []rune(value)
	inner := ""
	if len(all) > 1 {
		inner = string(all[1 : len(all)-1])
	}
	found := []int64{}
	for _, part := range strings.Split(inner, ",") {
		number, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			panic(err)
		}
		found = append(found, number)
	}
	return found
}
