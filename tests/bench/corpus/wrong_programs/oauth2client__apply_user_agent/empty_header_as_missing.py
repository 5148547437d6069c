# wrong: an empty user agent in the headers is treated as missing, so the blank is left out
def apply_user_agent(headers, user_agent):
    if user_agent is not None:
        existing = headers.get("user-agent")
        if existing:
            headers["user-agent"] = user_agent + " " + existing
        else:
            headers["user-agent"] = user_agent
    return headers
