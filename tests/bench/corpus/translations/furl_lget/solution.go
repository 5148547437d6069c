package solution

func lget(lst []int64, index int64, other *string) any {
	if index < 0 {
		index += int64(len(lst))
	}
	if index >= 0 && index < int64(len(lst)) {
		return lst[index]
	}
	if other == nil {
		return nil
	}
	return *other
}
