# Wrong: where zip_klass is not in ses, the zip code itself is looked up there before it is returned.
def search_engine_by_zipcode(ses, zip_klass, zipcode, zero_padding=True):
    zipcode = str(zipcode)
    if zero_padding:
        zipcode = zipcode.zfill(5)
    if zip_klass in ses:
        return ses[zip_klass]
    return ses.get(zipcode, zipcode)
