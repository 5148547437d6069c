# Wrong: an empty full name becomes nothing.
def flickr_o_auth_get_user_details(response: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    username = response.get("username") or response.get("id")
    fullname = response.get("fullname")
    if fullname == "":
        fullname = None
    return {"username": username, "email": "", "fullname": fullname,
            "first_name": None, "last_name": None}
