# wrong: an element with an empty name gets no key, so keys and elements no longer go together
def template_load_elements(elements):
    keys = []
    for element in elements:
        name = element["name"]
        if name:
            keys.append(name.lower())
    return {"pg_no": 0, "elements": elements, "keys": keys}
