"""What is to be said of a wait."""


def verdict(case) -> tuple[bool, str]:
    where = "asleep" if case.was_asleep else f"awake: {case.reason}"
    if not case.host.floor:
        where = "without Lull"
    if case.cut is not None:
        return False, f"CUT SHORT: {case.cut} ({where})"
    if case.died is not None:
        return False, f"DIED: {case.died}"
    if case.waiting is None:
        return False, f"NOT SET UP: {(case.folder / 'log').read_text()[-200:].strip()}"
    if case.moment is None:
        return False, "NOT SET UP: nothing has happened" if case.seen is None else "SEEN before it happened"
    if case.seen is None:
        return False, f"LOST ({where})"
    late = max(0.0, case.seen - case.moment)
    text = f"{1000 * late:.1f} ms" if case.allowed < 1 else f"{late:.2f} s"
    if late >= case.allowed:
        return False, f"LATE: {text} ({where})"
    if case.host.floor and not case.was_asleep and not case.reason:
        return False, f"awake without a reason (seen in {text})"
    if case.was_asleep:
        return True, f"asleep and woken in {text}"
    return True, f"{where} (seen in {text})"
