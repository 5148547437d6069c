# wrong: an empty user agent before an existing header adds nothing, where a blank is due
def apply_user_agent(headers, user_agent):
    if user_agent is None:
        return headers
    if "user-agent" not in headers:
        headers["user-agent"] = user_agent
    elif user_agent:
        headers["user-agent"] = user_agent + " " + headers["user-agent"]
    return headers
