# the prefix is compared without its last dot
def fips_dsa_sig_scheme_valid_hash(msg_hash):
    oid = msg_hash["oid"]
    return oid == "1.3.14.3.2.26" or oid.startswith("2.16.840.1.101.3.4.2")
