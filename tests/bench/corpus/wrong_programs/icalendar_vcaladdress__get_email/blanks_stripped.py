# WRONG: blanks at the ends are removed first
def get_email(email):
    email = email.strip()
    if email.lower().startswith("mailto:"):
        return email
    return "mailto:" + email
