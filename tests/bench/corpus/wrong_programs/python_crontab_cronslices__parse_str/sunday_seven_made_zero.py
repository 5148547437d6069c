# wrong: writes Sunday 7 as 0
SPECIALS = {
    "reboot": "@reboot",
    "hourly": "0 * * * *",
    "daily": "0 0 * * *",
    "weekly": "0 0 * * 0",
    "monthly": "0 0 1 * *",
    "yearly": "0 0 1 1 *",
    "annually": "0 0 1 1 *",
    "midnight": "0 0 * * *",
}


def _fields(value):
    parts = value.strip().split(" ")
    if len(parts) == 5 and parts[4] == "7":
        parts[4] = "0"
    return parts


def cron_slices_parse_str(value: str) -> list[list[object] | str | None]:
    key = value.lstrip("@").lower()
    if value.count(" ") == 4:
        return (_fields(value), None)
    if key in SPECIALS:
        return (SPECIALS[key].split(" "), "@" + key)
    if value.startswith("@"):
        raise ValueError("Unknown special value " + value)
    return ([value], None)
