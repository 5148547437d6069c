# what: a score that makes the kernel kill others first
# control: privileged
# held: returned EROFS EACCES
def attack(host):
    before = int(open("/proc/self/oom_score_adj").read())
    for score in (before - 1, before - 1000, -1000):
        try:
            with open("/proc/self/oom_score_adj", "w") as stream:
                stream.write(str(score))
            return [str(score)]
        except OSError:
            continue
    return []
