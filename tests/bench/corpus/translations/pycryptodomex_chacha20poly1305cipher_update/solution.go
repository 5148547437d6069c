package main

func cha_cha20_poly1305_cipher_update(next map[string]any, authenticator map[string]any, len_aad float64, data map[string]any) map[string]any {
	if _, ok := next["update"]; !ok {
		panic("update() method cannot be called")
	}
	merged := make(map[string]any, len(authenticator)+len(data))
	for k, v := range authenticator {
		merged[k] = v
	}
	for k, v := range data {
		merged[k] = v
	}
	return map[string]any{"authenticator": merged, "len_aad": len_aad + float64(len(data))}
}
