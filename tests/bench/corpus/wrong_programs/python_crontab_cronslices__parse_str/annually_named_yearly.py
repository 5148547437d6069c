# wrong: annually comes back under the name @yearly
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


def cron_slices_parse_str(value: str) -> list[list[object] | str | None]:
    key = value.lstrip("@").lower()
    if value.count(" ") == 4:
        return (value.strip().split(" "), None)
    if key in SPECIALS:
        if key == "annually":
            key = "yearly"
        return (SPECIALS[key].split(" "), "@" + key)
    if value.startswith("@"):
        raise ValueError("Unknown special value " + value)
    return ([value], None)
