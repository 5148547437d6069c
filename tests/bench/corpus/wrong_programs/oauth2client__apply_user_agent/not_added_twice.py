# wrong: a user agent that is already among the header's words is not put in front again
def apply_user_agent(headers, user_agent):
    if user_agent is None:
        return headers
    if "user-agent" not in headers:
        headers["user-agent"] = user_agent
    elif user_agent not in headers["user-agent"].split():
        headers["user-agent"] = "%s %s" % (user_agent, headers["user-agent"])
    return headers
