# Wrong: a text with a hyphen is taken for ZIP+4 and cut down to what stands before the hyphen.
def search_engine_by_zipcode(ses, zip_klass, zipcode, zero_padding=True):
    if isinstance(zipcode, str):
        zipcode = zipcode.split("-")[0]
    zipcode = str(zipcode)
    if zero_padding:
        zipcode = zipcode.zfill(5)
    return ses.get(zip_klass, zipcode)
