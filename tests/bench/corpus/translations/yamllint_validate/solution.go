package solution

func VALIDATE(conf map[string]any) *string {
	required, _ := conf["required"].(bool)
	allowed, _ := conf["extra-allowed"].([]any)
	extra, _ := conf["extra-required"].([]any)
	found := ""
	switch {
	case required && len(allowed) > 0:
		found = `cannot use both "required: true" and "extra-allowed"`
	case required && len(extra) > 0:
		found = `cannot use both "required: true" and "extra-required"`
	case !required && len(allowed) > 0:
		found = `cannot use both "required: false" and "extra-allowed"`
	default:
		return nil
	}
	return &found
}
