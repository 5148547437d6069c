# wrong: a map is taken for further headers and merged into the result
def o_auth2_credentials_generate_refresh_request_headers(user_agent):
    headers = {"content-type": "application/x-www-form-urlencoded"}
    if isinstance(user_agent, dict) and user_agent:
        headers.update(user_agent)
    elif user_agent is not None:
        headers["user-agent"] = user_agent
    return headers
