# Wrong: a singular allOf is removed next to siblings too, if its entry is a schema without $ref.
def safe_ref(schema):
    if "$ref" in schema and len(schema) > 1:
        rest = {k: v for k, v in schema.items() if k != "$ref"}
        return {"allOf": [{"$ref": schema["$ref"]}], **rest}
    parts = schema.get("allOf")
    if isinstance(parts, list) and len(parts) == 1:
        only = parts[0]
        if len(schema) == 1:
            return only
        if isinstance(only, dict) and "$ref" not in only:
            rest = {k: v for k, v in schema.items() if k != "allOf"}
            return {**only, **rest}
    return schema
