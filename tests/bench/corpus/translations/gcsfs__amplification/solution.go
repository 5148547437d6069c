package main

func amplification(numerator *float64, denominator float64) *float64 {
	if numerator == nil || denominator == 0 {
		return nil
	}
	q := *numerator / denominator
	return &q
}
