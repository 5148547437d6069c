# Wrong: a first value that is a list gives its first element
def field_process_formdata(data, valuelist):
    if valuelist:
        data = valuelist[0]
    if valuelist and isinstance(data, list) and data:
        data = data[0]
    return {"data": data}
