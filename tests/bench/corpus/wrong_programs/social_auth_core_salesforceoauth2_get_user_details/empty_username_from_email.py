# wrong: an empty user name is replaced by the e-mail address


def salesforce_o_auth2_get_user_details(response: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> dict[str, bool | float | int | list[object] | dict[object, object] | str | None]:
    first_name = response.get("first_name")
    last_name = response.get("last_name")
    fullname = response.get("display_name")
    username = response.get("username")
    email = response.get("email") or ""
    if username == "":
        username = email
    return {
        "username": username,
        "email": email,
        "first_name": first_name,
        "last_name": last_name,
        "fullname": fullname,
    }
