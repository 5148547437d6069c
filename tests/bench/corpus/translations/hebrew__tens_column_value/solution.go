package main

func tens_column_value(number int64) int64 {
	if number < 10 {
		return 0
	}
	return number % 100 / 10 * 10
}
