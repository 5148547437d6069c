package main

func GetComments(value map[string]any) any {
	if v, ok := value["description"]; ok {
		return v
	}
	if v, ok := value["annotations"]; ok {
		return v
	}
	return ""
}
