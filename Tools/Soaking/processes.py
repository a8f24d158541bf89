"""The processes of Lull that belong to this soak, found by what they run and in which runtime directory."""

import os
from collections import defaultdict

from world import read

NAMES = ("lulld", "lull-guard", "lull-audio", "lull")


def state(pid):
    """The letter of /proc/PID/stat: T for stopped, Z for dead; empty when it is gone."""
    text = read(f"/proc/{pid}/stat")
    return text[text.rindex(")") + 2] if ")" in text else ""


def start_time(pid):
    """When it was started, which tells it from a later one with its pid; None when it is gone."""
    text = read(f"/proc/{pid}/stat")
    fields = text[text.rindex(")") + 2:].split() if ")" in text else []
    return None if not fields or fields[0] in "ZX" else int(fields[19])


def parent(pid):
    text = read(f"/proc/{pid}/stat")
    return int(text[text.rindex(")") + 2:].split()[1]) if ")" in text else 0


def is_ours(pid, world):
    return f"LULL_RUNTIME_DIR={world.runtime}\0" in read(f"/proc/{pid}/environ")


def role(pid):
    """`daemon`, `guard`, `audio`, `run`, or None for a process that is none of these."""
    name = read(f"/proc/{pid}/comm").strip()
    words = read(f"/proc/{pid}/cmdline").split("\0")
    if name == "lulld" and "--guarded" in words:
        return "daemon"
    if name in ("lulld", "lull-guard"):
        return "guard"
    if name == "lull-audio":
        return "audio"
    return "run" if name == "lull" and words[1:2] == ["run"] else None


def find(world):
    """The pids of this soak's Lull by their role."""
    found = defaultdict(list)
    for entry in os.listdir("/proc"):
        if entry.isdigit() and read(f"/proc/{entry}/comm").strip() in NAMES and is_ours(entry, world):
            if (what := role(entry)) and state(entry) not in ("", "Z", "X"):
                found[what].append(int(entry))
    # A child of lulld that has not yet run its own program looks like lulld.
    found["daemon"] = [pid for pid in found["daemon"] if parent(pid) not in found["daemon"]]
    return found


def peak_memory(pid):
    """The most memory that it ever had, in bytes."""
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
