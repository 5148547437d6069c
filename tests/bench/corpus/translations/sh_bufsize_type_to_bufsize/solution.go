package solution

func bufsize_type_to_bufsize(bf_type float64) float64 {
	switch bf_type {
	case 0:
		return 1
	case 1:
		return 1024
	}
	return bf_type
}
