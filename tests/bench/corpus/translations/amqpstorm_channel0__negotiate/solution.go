package main

func channel0_negotiate(server_value int64, client_value int64) int64 {
	smaller := server_value
	if client_value < smaller {
		smaller = client_value
	}
	if smaller == 0 {
		return client_value
	}
	return smaller
}
