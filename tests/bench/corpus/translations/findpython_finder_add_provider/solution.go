package main

func finder_add_provider(providers []any, provider any, pos *int64) map[string][]any {
	n := int64(len(providers))
	at := n
	if pos != nil {
		at = *pos
		if at < 0 {
			at += n
			if at < 0 {
				at = 0
			}
		}
		if at > n {
			at = n
		}
	}
	providers = append(providers, nil)
	copy(providers[at+1:], providers[at:n])
	providers[at] = provider
	return map[string][]any{"providers": providers}
}
