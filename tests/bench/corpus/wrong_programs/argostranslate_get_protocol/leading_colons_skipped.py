# takes the first part between colons that is not empty, so colons at the beginning are skipped
def get_protocol(url):
    for part in url.split(":")[:-1]:
        if part:
            return part
    return None
