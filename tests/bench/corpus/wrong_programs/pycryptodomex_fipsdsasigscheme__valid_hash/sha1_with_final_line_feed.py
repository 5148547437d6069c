# the dollar sign of the pattern lets a line feed pass after the OID of SHA-1
import re

_ALLOWED = re.compile(r"1\.3\.14\.3\.2\.26$|2\.16\.840\.1\.101\.3\.4\.2\.")


def fips_dsa_sig_scheme_valid_hash(msg_hash):
    return bool(_ALLOWED.match(msg_hash["oid"]))
