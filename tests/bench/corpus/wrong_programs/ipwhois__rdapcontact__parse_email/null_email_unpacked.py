# Wrong: builds the new list by unpacking the old one, which works for an empty text but fails when "email" is still nothing.
def rdap_contact_parse_email(vars, val):
    params = val[1]
    kind = params.get("type") if isinstance(params, dict) else None
    entry = {"type": kind, "value": val[3].strip()}
    vars["email"] = [*vars["email"], entry]
    return {"vars": vars}
