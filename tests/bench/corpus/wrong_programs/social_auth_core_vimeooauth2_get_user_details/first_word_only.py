# Wrong: the user name is the first word only.
def vimeo_o_auth2_get_user_details(response: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> dict[str, str | None]:
    user = response.get("user") or {}
    fullname = user.get("name")
    words = (fullname or "").split()
    username = words[0] if words else ""
    return {"username": username, "fullname": fullname, "first_name": None, "last_name": None}
