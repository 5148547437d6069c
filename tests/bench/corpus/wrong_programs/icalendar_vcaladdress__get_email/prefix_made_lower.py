# WRONG: a prefix in capitals is rewritten
def get_email(email):
    if email.lower().startswith("mailto:"):
        return "mailto:" + email[7:]
    return "mailto:" + email
