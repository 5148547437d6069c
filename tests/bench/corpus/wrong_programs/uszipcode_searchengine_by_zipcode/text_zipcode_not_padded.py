# Wrong: only integers are padded with zeros; a text that is too short stays as it is.
def search_engine_by_zipcode(ses, zip_klass, zipcode, zero_padding=True):
    if isinstance(zipcode, int):
        zipcode = str(zipcode).zfill(5) if zero_padding else str(zipcode)
    return ses.get(zip_klass, zipcode)
