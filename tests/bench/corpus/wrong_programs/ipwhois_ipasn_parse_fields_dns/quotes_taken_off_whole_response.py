# Wrong: the quotes are taken off the response as a whole, not off the first piece, so a quote behind the number stays.
def ipasn_parse_fields_dns(rir_whois, response):
    whole = response.strip(' "\n')
    fields = [p.strip(" \n") for p in whole.split("|")]
    asn, cidr, country, registry, date = fields[:5]
    date = response.split("|")[4].strip(' "\n')
    if registry not in rir_whois:
        raise ValueError("ASN registry %r is not known." % registry)
    return {
        "asn_registry": registry,
        "asn": asn,
        "asn_cidr": cidr,
        "asn_country_code": country.upper(),
        "asn_date": date,
        "asn_description": None,
    }
