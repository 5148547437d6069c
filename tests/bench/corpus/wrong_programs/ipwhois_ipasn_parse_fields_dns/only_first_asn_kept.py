# Wrong: when several AS numbers announce the prefix ("4444 15169") only the first is kept.
def ipasn_parse_fields_dns(rir_whois, response):
    parts = response.split("|")
    registry = parts[3].strip(" \n")
    if registry not in rir_whois:
        raise ValueError("ASN registry %r is not known." % registry)
    return {
        "asn_registry": registry,
        "asn": parts[0].strip(' "\n').split(" ")[0],
        "asn_cidr": parts[1].strip(" \n"),
        "asn_country_code": parts[2].strip(" \n").upper(),
        "asn_date": parts[4].strip(' "\n'),
        "asn_description": None,
    }
