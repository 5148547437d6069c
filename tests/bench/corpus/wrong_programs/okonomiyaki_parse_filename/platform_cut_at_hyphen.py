# wrong: splits the name at all hyphens and takes the fourth part for the platform, which may hold hyphens itself
import os


def parse_filename(path: str) -> list[str | None]:
    base = os.path.basename(path).rstrip()
    if not base.endswith(".egg"):
        raise ValueError(path)
    parts = base[:-len(".egg")].split("-")
    if len(parts) < 3 or not parts[2].startswith("py"):
        raise ValueError(path)
    platform = parts[3] if len(parts) > 3 else None
    return parts[0], parts[1], parts[2][2:], platform
