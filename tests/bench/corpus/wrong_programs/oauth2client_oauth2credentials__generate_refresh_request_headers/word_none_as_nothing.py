# wrong: the text "None" is taken for nothing
def o_auth2_credentials_generate_refresh_request_headers(user_agent):
    headers = {"content-type": "application/x-www-form-urlencoded"}
    if str(user_agent) != "None":
        headers["user-agent"] = user_agent
    return headers
