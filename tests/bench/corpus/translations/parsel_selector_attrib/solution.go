package main

func selector_attrib(root map[string]any, type_ *string) map[string]any {
	result := map[string]any{}
	if type_ != nil && *type_ == "json" {
		return result
	}
	for k, v := range root["attrib"].(map[string]any) {
		result[k] = v
	}
	return result
}
