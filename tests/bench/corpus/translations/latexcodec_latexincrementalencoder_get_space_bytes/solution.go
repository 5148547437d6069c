package solution

import "strings"

func latex_incremental_encoder_get_space_bytes(state string, bytes_ string) []string {
	if state != "S" {
		return []string{"", bytes_}
	}
	if strings.HasPrefix(bytes_, " ") {
		return []string{"\\ ", bytes_[1:]}
	}
	return []string{" ", bytes_}
}
