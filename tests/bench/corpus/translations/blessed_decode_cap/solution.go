package main

func decode_cap(value string) string {
	out := make([]byte, 0, len(value)+8)
	// Bytes from 0x80 on belong to characters that are copied as they are.
	for i := 0; i < len(value); i++ {
		ch := value[i]
		switch {
		case ch == 0x1b:
			out = append(out, '\\', 'E')
		case ch == '\n':
			out = append(out, '\\', 'n')
		case ch == '\r':
			out = append(out, '\\', 'r')
		case ch == '\t':
			out = append(out, '\\', 't')
		case ch == 0:
			out = append(out, '^', '@')
		case ch == 0x7f:
			out = append(out, '^', '?')
		case ch < 32:
			out = append(out, '^', ch+64)
		default:
			out = append(out, ch)
		}
	}
	return string(out)
}
