"""A program in Python that Lull puts to sleep and wakes. docs/PYTHON.md has a tour.

A program opens a handle, holds the sockets that may wake it, and adds one descriptor (`fileno`) to its own
loop. It is frozen while nothing happens, and says after each event that it has handled it (`done`).
"""

from ._lines import HasFileno, Line, RestoredLine
from ._program import Program
from ._types import (
    Action, Away, Changed, Ended, Event, Expire, Fetch, FetchResult, Keeping, KeepAlive, Launch, LineLost,
    LineType, Lost, LullError, Message, Mode, Notification, Offload, Open, Prepare, Push, Received, Refused,
    Restored, State, Suspension, TimedOut, Unavailable, Wake,
)

__all__ = [
    "Action", "Away", "Changed", "Ended", "Event", "Expire", "Fetch", "FetchResult", "HasFileno", "Keeping",
    "KeepAlive", "Launch", "Line", "LineLost", "LineType", "Lost", "LullError", "Message", "Mode",
    "Notification", "Offload", "Open", "Prepare", "Program", "Push", "Received", "Refused", "Restored",
    "RestoredLine", "State", "Suspension", "TimedOut", "Unavailable", "Wake",
]
