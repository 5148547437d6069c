# wrong: lowers letter by letter and makes the last sigma of the text ς, but not that at the end of a word within the text
def lower(text):
    result = "".join(c.lower() for c in text)
    if len(text) > 1 and text.endswith("Σ") and text[-2].isalpha():
        result = result[:-1] + "ς"
    return result


def template_load_elements(elements):
    return {"pg_no": 0, "elements": elements, "keys": [lower(e["name"]) for e in elements]}
