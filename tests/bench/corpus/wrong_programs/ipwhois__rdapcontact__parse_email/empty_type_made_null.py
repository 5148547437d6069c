# Wrong: a type that is there but empty (or 0, false) is replaced by nothing instead of being kept.
def rdap_contact_parse_email(vars, val):
    params = val[1] if isinstance(val[1], dict) else {}
    entry = {
        "type": params.get("type") or None,
        "value": val[3].strip(),
    }
    if not isinstance(vars["email"], list):
        vars["email"] = []
    vars["email"].append(entry)
    return {"vars": vars}
