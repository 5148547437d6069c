# wrong: takes first and last name out of the full name where they are missing
def nation_builder_o_auth2_get_user_details(response: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    email = response.get("email") or ""
    username = email.split("@")[0]
    fullname = response.get("full_name")
    first_name = response.get("first_name")
    last_name = response.get("last_name")
    if isinstance(fullname, str) and first_name is None and last_name is None:
        first_name, _, last_name = fullname.partition(" ")
    return {
        "username": username,
        "email": email,
        "fullname": fullname,
        "first_name": first_name,
        "last_name": last_name,
    }
