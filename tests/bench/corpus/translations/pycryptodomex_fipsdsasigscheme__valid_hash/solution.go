package main

import "strings"

func fips_dsa_sig_scheme_valid_hash(msg_hash map[string]any) bool {
	oid := msg_hash["oid"].(string)
	return oid == "1.3.14.3.2.26" || strings.HasPrefix(oid, "2.16.840.1.101.3.4.2.")
}
