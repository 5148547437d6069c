# Wrong: a list of types is joined to one text (as one would for an address label) instead of being kept as it is.
def rdap_contact_parse_email(vars, val):
    kind = None
    if isinstance(val[1], dict) and "type" in val[1]:
        kind = val[1]["type"]
        if isinstance(kind, list):
            kind = ", ".join(str(k) for k in kind)
    entry = {"type": kind, "value": val[3].strip()}
    if not isinstance(vars["email"], list):
        vars["email"] = []
    vars["email"].append(entry)
    return {"vars": vars}
