# wrong: a full name that is missing is put together from first and last name


def salesforce_o_auth2_get_user_details(response: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> dict[str, bool | float | int | list[object] | dict[object, object] | str | None]:
    first_name = response.get("first_name")
    last_name = response.get("last_name")
    fullname = response.get("display_name")
    username = response.get("username")
    email = response.get("email") or ""
    if not fullname and first_name and last_name:
        fullname = f"{first_name} {last_name}"
    return {
        "username": username,
        "email": email,
        "first_name": first_name,
        "last_name": last_name,
        "fullname": fullname,
    }
