# Wrong: blanks around a header name are taken off in the copy (a name of nothing but blanks is kept).
def initialize_headers(headers):
    result = {}
    for name, value in (headers or {}).items():
        result[name.strip() or name] = value
    return result
