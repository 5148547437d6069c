package solution

func numbits_to_nums(numbits []int64) []int64 {
	nums := []int64{}
	for i, b := range numbits {
		for bit := 0; bit < 8; bit++ {
			if b&(1<<bit) != 0 {
				nums = append(nums, int64(i*8+bit))
			}
		}
	}
	return nums
}
