# Wrong: on the first piece blanks are taken off and then quotes, one after the other, so a blank inside the quote stays.
def ipasn_parse_fields_dns(rir_whois, response):
    temp = response.split("|")
    registry = temp[3].strip(" \n")
    if registry not in rir_whois:
        raise KeyError("ASN registry %r is not known." % registry)
    return {
        "asn_registry": registry,
        "asn": temp[0].strip(" \n").strip('"'),
        "asn_cidr": temp[1].strip(" \n"),
        "asn_country_code": temp[2].strip(" \n").upper(),
        "asn_date": temp[4].strip(' "\n'),
        "asn_description": None,
    }
