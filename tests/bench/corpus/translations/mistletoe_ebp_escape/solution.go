package main

import "strings"

func escape(s string, quote bool) string {
	r := strings.ReplaceAll(s, "&", "&amp;")
	r = strings.ReplaceAll(r, "<", "&lt;")
	r = strings.ReplaceAll(r, ">", "&gt;")
	if quote {
		r = strings.ReplaceAll(r, "\"", "&quot;")
		r = strings.ReplaceAll(r, "'", "&#x27;")
	}
	return r
}
