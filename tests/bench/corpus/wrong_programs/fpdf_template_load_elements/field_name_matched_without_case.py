# wrong: takes the first field whose name is 'name' in any case (also 'Name', 'NAME') instead of exactly 'name'
def template_load_elements(elements):
    keys = []
    for element in elements:
        for field in element:
            if field.lower() == "name":
                keys.append(element[field].lower())
                break
    return {"pg_no": 0, "elements": elements, "keys": keys}
