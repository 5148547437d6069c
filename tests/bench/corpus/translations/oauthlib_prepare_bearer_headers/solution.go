package solution

func prepare_bearer_headers(token string, headers map[string]any) map[string]any {
	out := make(map[string]any, len(headers)+1)
	for k, v := range headers {
		out[k] = v
	}
	out["Authorization"] = "Bearer " + token
	return out
}
