package solution

func weekday_index(day string) int64 {
	for i, name := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		if name == day {
			return int64(i)
		}
	}
	panic("no such day")
}
