package solution

import (
	"math"
	"math/big"
	"strconv"
)

func format_bytes(bytes float64) string {
	current, unit := bytes, ""
	for _, unit = range []string{"bytes", "KB", "MB", "GB", "TB"} {
		if current < 1024 {
			break
		}
		current /= 1024
	}
	if unit == "bytes" {
		whole, _ := big.NewFloat(math.Trunc(current)).Int(nil)
		return whole.String() + " bytes"
	}
	return strconv.FormatFloat(current, 'f', 1, 64) + " " + unit
}
