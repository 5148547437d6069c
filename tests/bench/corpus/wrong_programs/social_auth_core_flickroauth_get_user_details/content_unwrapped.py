# Wrong: values are unwrapped from {"_content": ...} as in other answers of the service.
def flickr_o_auth_get_user_details(response: dict[str, int | list[object] | dict[object, object] | str | None]) -> dict[str, int | list[object] | dict[object, object] | str | None]:
    def value(key):
        found = response.get(key)
        if isinstance(found, dict) and "_content" in found:
            return found["_content"]
        return found

    username = value("username") or value("id")
    fullname = value("fullname")
    return {"username": username, "email": "", "fullname": fullname,
            "first_name": None, "last_name": None}
