package main

func initialize_headers(headers map[string]int64) map[string]int64 {
	result := make(map[string]int64, len(headers))
	for k, v := range headers {
		result[k] = v
	}
	return result
}
