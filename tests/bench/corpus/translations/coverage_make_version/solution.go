package solution

import (
	"fmt"
)

func make_version(major int64, minor int64, micro int64, releaselevel string, serial int64, dev int64) string {
	version := fmt.Sprintf("%d.%d.%d", major, minor, micro)
	switch releaselevel {
	case "final":
	case "alpha":
		version += fmt.Sprintf("a%d", serial)
	case "beta":
		version += fmt.Sprintf("b%d", serial)
	case "candidate":
		version += fmt.Sprintf("rc%d", serial)
	default:
		panic("unknown release level: " + releaselevel)
	}
	if dev != 0 {
		version += fmt.Sprintf(".dev%d", dev)
	}
	return version
}
