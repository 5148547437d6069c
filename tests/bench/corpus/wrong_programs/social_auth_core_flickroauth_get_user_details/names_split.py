# Wrong: the full name is split to a first and a last name.
def flickr_o_auth_get_user_details(response: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    fullname = response.get("fullname")
    first_name = last_name = None
    if isinstance(fullname, str) and len(fullname.split()) > 1:
        first_name, last_name = fullname.split(None, 1)
    return {"username": response.get("username") or response.get("id"), "email": "",
            "fullname": fullname, "first_name": first_name, "last_name": last_name}
