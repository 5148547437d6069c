package main

func analyze_named_regex_pattern(path string) map[string]string {
	c := []rune(path)
	result := map[string]string{}
	stack := 0
	nameCapture, regexCapture := false, false
	name, regex := "", ""
	i := 0
	for i < len(c) {
		skip := false
		step := 1
		switch {
		case c[i] == '\\':
			step = 2
		case c[i] == '(' && i+3 < len(c) && c[i+1] == '?' && c[i+2] == 'P' && c[i+3] == '<':
			skip = true
			nameCapture = true
			step = 4
		case c[i] == '(' && regexCapture:
			stack++
		case c[i] == '>' && nameCapture:
			if name == "" {
				panic("empty group name")
			}
			nameCapture = false
			regexCapture = true
			skip = true
		case c[i] == ')' && regexCapture:
			if stack == 0 {
				regexCapture = false
				result[name] = regex
				name, regex = "", ""
			} else {
				stack--
			}
		}
		if !skip {
			end := i + step
			if end > len(c) {
				end = len(c)
			}
			if nameCapture {
				name += string(c[i:end])
			} else if regexCapture {
				regex += string(c[i:end])
			}
		}
		i += step
	}
	return result
}
