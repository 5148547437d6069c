function fips_dsa_sig_scheme_valid_hash(msg_hash) {
  const oid = msg_hash.oid;
  return oid === "1.3.14.3.2.26" || oid.startsWith("2.16.840.1.101.3.4.2.");
}
