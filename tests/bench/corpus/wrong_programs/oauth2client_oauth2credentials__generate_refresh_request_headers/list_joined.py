# wrong: a list of texts is joined to one text instead of being passed on
def o_auth2_credentials_generate_refresh_request_headers(user_agent):
    headers = {"content-type": "application/x-www-form-urlencoded"}
    if user_agent is None:
        return headers
    if isinstance(user_agent, list) and user_agent:
        if all(isinstance(part, str) for part in user_agent):
            user_agent = " ".join(user_agent)
    headers["user-agent"] = user_agent
    return headers
