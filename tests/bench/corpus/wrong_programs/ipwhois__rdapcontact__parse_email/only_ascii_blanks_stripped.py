# Wrong: only ASCII blanks are taken off the value, so a no-break space at an end stays.
def rdap_contact_parse_email(vars, val):
    kind = None
    if isinstance(val[1], dict):
        kind = val[1].get("type")
    entry = {"type": kind, "value": val[3].strip(" \t\r\n\x0b\x0c")}
    if not isinstance(vars["email"], list):
        vars["email"] = []
    vars["email"].append(entry)
    return {"vars": vars}
