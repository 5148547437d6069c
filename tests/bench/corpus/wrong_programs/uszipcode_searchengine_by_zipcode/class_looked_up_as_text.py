# Wrong: zip_klass is turned into a text before the look-up, so the integer 9 finds the key "9".
def search_engine_by_zipcode(ses, zip_klass, zipcode, zero_padding=True):
    code = str(zipcode)
    if zero_padding:
        code = code.zfill(5)
    return ses.get(str(zip_klass), code)
