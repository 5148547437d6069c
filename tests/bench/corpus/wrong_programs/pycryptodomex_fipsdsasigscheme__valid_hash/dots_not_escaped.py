# the dots of the pattern stand for any character
import re


def fips_dsa_sig_scheme_valid_hash(msg_hash):
    oid = msg_hash["oid"]
    if re.fullmatch("1.3.14.3.2.26", oid):
        return True
    return re.match("2.16.840.1.101.3.4.2.", oid) is not None
