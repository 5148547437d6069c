package solution

import "strings"

func interpret_as_minutes(sval string, mdict map[string]*string) map[string]*string {
	result := make(map[string]*string, len(mdict)+1)
	for k, v := range mdict {
		result[k] = v
	}
	if strings.Count(sval, ":") == 1 &&
		!strings.Contains(sval, ".") &&
		result["hours"] == nil &&
		result["days"] == nil &&
		result["weeks"] == nil &&
		result["mins"] != nil &&
		result["secs"] != nil {
		result["hours"] = result["mins"]
		result["mins"] = result["secs"]
		delete(result, "secs")
	}
	return result
}
