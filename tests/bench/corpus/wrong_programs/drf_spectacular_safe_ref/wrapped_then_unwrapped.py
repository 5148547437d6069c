# Wrong: after $ref gave way to the schema's own allOf, a single entry left there is unwrapped as well.
def safe_ref(schema):
    if "$ref" in schema and len(schema) > 1:
        rest = {k: v for k, v in schema.items() if k != "$ref"}
        schema = {"allOf": [{"$ref": schema["$ref"]}], **rest}
    if list(schema) == ["allOf"] and len(schema["allOf"]) == 1:
        return schema["allOf"][0]
    return schema
