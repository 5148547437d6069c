# two digits of the fraction of a second are read
import re
def f_fmpeg_audio_file_parse_info(samplerate: bool | float | int | list[object] | dict[object, object] | str | None, channels: bool | float | int | list[object] | dict[object, object] | str | None, own_duration: float, s: str) -> dict[str, float]:
    m = re.search(r"(\d+) hz", s)
    samplerate = int(m[1]) if m else 0
    m = re.search(r"hz, ([^,]+),", s, 0)
    channels = 0
    if m:
        mode = m[1]
        n = re.match(r"(\d+)\.?(\d)?", mode)
        if mode == "stereo":
            channels = 2
        elif n:
            channels = int(n[1]) + int(n[2] or 0)
        else:
            channels = 1
    m = re.search(r"duration: (\d+):(\d+):(\d+).(\d{1,2})", s)
    duration = 0
    if m:
        duration = int(m[1]) * 3600 + int(m[2]) * 60 + int(m[3]) + int(m[4]) / 10 ** len(m[4])
    return {"samplerate": samplerate, "channels": channels, "duration": duration}
