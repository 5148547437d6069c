# WRONG: an empty text gets no prefix
def get_email(email):
    if not email or email.lower().startswith("mailto:"):
        return email
    return "mailto:" + email
