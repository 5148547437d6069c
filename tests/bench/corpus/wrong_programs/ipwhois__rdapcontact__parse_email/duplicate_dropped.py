# Wrong: an entry equal to one that is already in the list is not added again.
def rdap_contact_parse_email(vars, val):
    try:
        kind = val[1]["type"]
    except (KeyError, TypeError, IndexError):
        kind = None
    entry = {"type": kind, "value": val[3].strip()}
    emails = vars["email"] if isinstance(vars["email"], list) else []
    if entry not in emails:
        emails.append(entry)
    vars["email"] = emails
    return {"vars": vars}
