# the two SHAKE functions are refused since they are no fixed-length SHA-3
_PREFIX = "2.16.840.1.101.3.4.2."
_SHAKE = (_PREFIX + "11", _PREFIX + "12")


def fips_dsa_sig_scheme_valid_hash(msg_hash):
    oid = msg_hash["oid"]
    if oid in _SHAKE:
        return False
    return oid == "1.3.14.3.2.26" or oid.startswith(_PREFIX)
