# Wrong: blanks are stripped at the end only.
def vimeo_o_auth2_get_user_details(response: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> dict[str, str | None]:
    user = response.get("user") or {}
    fullname = user.get("name")
    username = (fullname or "").rstrip()
    return {"username": username, "fullname": fullname, "first_name": None, "last_name": None}
