# Wrong: header names are taken as equal up to case, so of two names that differ in case only the later entry is kept.
def initialize_headers(headers):
    if headers is None:
        return {}
    kept = {}
    for name, value in headers.items():
        kept[name.lower()] = (name, value)
    return dict(kept.values())
