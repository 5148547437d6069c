# wrong: the elements are sorted by their priority on loading; they are to be held as given
def template_load_elements(elements):
    ordered = sorted(elements, key=lambda e: e.get("priority", 0))
    return {"pg_no": 0, "elements": ordered, "keys": [e["name"].lower() for e in ordered]}
