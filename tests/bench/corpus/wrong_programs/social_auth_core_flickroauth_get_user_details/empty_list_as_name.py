# Wrong: only nothing, 0 and "" let the id step in, an empty list or map does not.
def flickr_o_auth_get_user_details(response: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    username = response.get("username")
    if username is None or username == "" or username == 0:
        username = response.get("id")
    fullname = response.get("fullname")
    return {"username": username, "email": "", "fullname": fullname,
            "first_name": None, "last_name": None}
