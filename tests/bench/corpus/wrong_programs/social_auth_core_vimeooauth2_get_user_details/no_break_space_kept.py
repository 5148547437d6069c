# Wrong: only the blanks of ASCII are stripped.
def vimeo_o_auth2_get_user_details(response: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> dict[str, str | None]:
    user = response.get("user") or {}
    fullname = user.get("name")
    username = (fullname or "").strip(" \t\r\n")
    return {"username": username, "fullname": fullname, "first_name": None, "last_name": None}
