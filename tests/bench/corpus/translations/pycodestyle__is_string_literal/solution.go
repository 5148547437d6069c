package solution

func is_string_literal(line any) bool {
	all := []string{}
	switch given := line.(type) {
	case string:
		for _, r := range given {
			all = append(all, string(r))
		}
	case []string:
		all = given
	case []any:
		for _, item := range given {
			text, _ := item.(string)
			all = append(all, text)
		}
	}
	if len(all) > 0 && (all[0] == "u" || all[0] == "U" || all[0] == "b" || all[0] == "B") {
		all = all[1:]
	}
	if len(all) > 0 && (all[0] == "r" || all[0] == "R") {
		all = all[1:]
	}
	return len(all) > 0 && (all[0] == "\"" || all[0] == "'")
}
