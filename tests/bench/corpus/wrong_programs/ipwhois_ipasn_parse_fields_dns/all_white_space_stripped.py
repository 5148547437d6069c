# Wrong: prefix, country and registry lose every kind of white space at their ends (tabs too), not only blanks and ends of lines.
def ipasn_parse_fields_dns(rir_whois, response):
    fields = response.split("|")
    result = {
        "asn_registry": fields[3].strip(),
        "asn": fields[0].strip(' "\n'),
        "asn_cidr": fields[1].strip(),
        "asn_country_code": fields[2].strip().upper(),
        "asn_date": fields[4].strip(' "\n'),
        "asn_description": None,
    }
    if result["asn_registry"] not in rir_whois:
        raise ValueError("ASN registry %r is not known." % result["asn_registry"])
    return result
