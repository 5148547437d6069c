# Wrong: takes the first value that is not empty
def field_process_formdata(data, valuelist):
    if valuelist:
        data = next((v for v in valuelist if v), valuelist[0])
    return {"data": data}
