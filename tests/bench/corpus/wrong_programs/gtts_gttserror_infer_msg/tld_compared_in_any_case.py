# wrong: a tld "COM" in capitals is held equal to "com"


def g_tts_error_infer_msg(own_tts, tts, rsp=None):
    cause = "Unknown"
    if rsp is None:
        premise = "Failed to connect"
        if tts["tld"].lower() != "com":
            host = "https://translate.google.{}/".format(tts["tld"])
            cause = "Host '{}' is not reachable".format(host)
    else:
        status = rsp["status_code"]
        reason = rsp["reason"]
        premise = "{:d} ({}) from TTS API".format(status, reason)
        if status == 403:
            cause = "Bad token or upstream API changes"
        elif status == 404 and tts["tld"].lower() != "com":
            cause = "Unsupported tld '{}'".format(tts["tld"])
        elif status == 200 and not tts["lang_check"]:
            cause = "No audio stream in response. Unsupported language '%s'" % own_tts["lang"]
        elif status >= 500:
            cause = "Upstream API error. Try again later."
    return "{}. Probable cause: {}".format(premise, cause)
