# WRONG: the prefix is found anywhere in the text
def get_email(email):
    if "mailto:" in email.lower():
        return email
    return "mailto:" + email
