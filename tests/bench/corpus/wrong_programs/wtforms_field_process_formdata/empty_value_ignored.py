# Wrong: an empty first value leaves the data as they are
def field_process_formdata(data, valuelist):
    if valuelist and valuelist[0] != "":
        data = valuelist[0]
    return {"data": data}
