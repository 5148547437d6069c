package solution

import "strings"

func format_version(parts []string) string {
	shown := strings.Join(parts[:min(3, len(parts))], ".")
	if len(parts) <= 3 {
		return shown
	}
	if strings.HasPrefix(parts[3], "dev") || strings.HasPrefix(parts[3], "post") {
		shown += "."
	}
	return shown + parts[3]
}
