# Wrong: C/ and DSS- count anywhere in the name, not only at its start.
def titlecase(name):
    if name.startswith("1") or "C/" in name or "DSS-" in name:
        return name
    return name.title()
