# Wrong: the entry of a singular allOf is treated in its turn.
def safe_ref(schema):
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema and len(schema) > 1:
        rest = dict(schema)
        ref = rest.pop("$ref")
        return {"allOf": [{"$ref": ref}], **rest}
    if "allOf" in schema and len(schema) == 1 and len(schema["allOf"]) == 1:
        return safe_ref(schema["allOf"][0])
    return schema
