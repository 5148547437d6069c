# Wrong: the name is split to a first and a last name.
def vimeo_o_auth2_get_user_details(response: dict[str, bool | float | int | list[object] | dict[object, object] | str | None]) -> dict[str, str | None]:
    user = response.get("user") or {}
    fullname = user.get("name")
    first_name, last_name = None, None
    parts = (fullname or "").split(" ", 1)
    if len(parts) == 2:
        first_name, last_name = parts
    return {"username": (fullname or "").strip(), "fullname": fullname,
            "first_name": first_name, "last_name": last_name}
