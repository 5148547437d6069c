# Wrong: a registry that is in the map but has nothing as its value is refused as not known.
def ipasn_parse_fields_dns(rir_whois, response):
    temp = response.split("|")
    registry = temp[3].strip(" \n")
    if rir_whois.get(registry) is None:
        raise KeyError("ASN registry %r is not known." % registry)
    return {
        "asn_registry": registry,
        "asn": temp[0].strip(' "\n'),
        "asn_cidr": temp[1].strip(" \n"),
        "asn_country_code": temp[2].strip(" \n").upper(),
        "asn_date": temp[4].strip(' "\n'),
        "asn_description": None,
    }
