# WRONG: MAILTO: is not recognised
def get_email(email):
    if email.startswith("mailto:"):
        return email
    return "mailto:" + email
