# wrong: finds an existing header in any spelling of its name and adds to that one
def apply_user_agent(headers, user_agent):
    if user_agent is None:
        return headers
    for name in headers:
        if name.lower() == "user-agent":
            headers[name] = user_agent + " " + headers[name]
            return headers
    headers["user-agent"] = user_agent
    return headers
