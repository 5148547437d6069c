package main

func split_indentation(s string) []string {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return []string{s[:i], s[i:]}
}
