# Wrong: the schemas inside (properties, items) are made safe as well, not this one alone.
def safe_ref(schema):
    if isinstance(schema, list):
        return [safe_ref(x) for x in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {k: safe_ref(v) for k, v in schema.items()}
    if "$ref" in schema and len(schema) > 1:
        ref = schema.pop("$ref")
        return {"allOf": [{"$ref": ref}], **schema}
    if len(schema) == 1 and "allOf" in schema and len(schema["allOf"]) == 1:
        return schema["allOf"][0]
    return schema
