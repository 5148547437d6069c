package main

func generator_set_terminal_parser(parserList []any, index int64, parser any) map[string][]any {
	n := int64(len(parserList))
	if index < 0 {
		if index+n < 0 {
			panic("index reaches before the first entry")
		}
		parserList[index+n] = parser
	} else {
		for int64(len(parserList)) <= index {
			parserList = append(parserList, nil)
		}
		parserList[index] = parser
	}
	return map[string][]any{"parserList": parserList}
}
