package main

func base_hebrew_char_hebrew_names(hebrew_name *string, hebrew_name_alts []string) []*string {
	out := make([]*string, 0, len(hebrew_name_alts)+1)
	out = append(out, hebrew_name)
	for _, s := range hebrew_name_alts {
		t := s
		out = append(out, &t)
	}
	return out
}
