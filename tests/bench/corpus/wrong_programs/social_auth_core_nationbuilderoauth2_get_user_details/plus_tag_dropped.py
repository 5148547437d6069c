# wrong: drops a tag after a plus sign from the user name
def nation_builder_o_auth2_get_user_details(response: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    email = response.get("email") or ""
    username = email.split("@")[0].split("+")[0]
    fullname = response.get("full_name")
    first_name = response.get("first_name")
    last_name = response.get("last_name")
    return {
        "username": username,
        "email": email,
        "fullname": fullname,
        "first_name": first_name,
        "last_name": last_name,
    }
