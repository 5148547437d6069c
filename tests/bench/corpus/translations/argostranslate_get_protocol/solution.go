package main

import "strings"

func get_protocol(url string) *string {
	i := strings.Index(url, ":")
	if i <= 0 {
		return nil
	}
	s := url[:i]
	return &s
}
