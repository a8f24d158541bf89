"""The place of lulld's socket, and the start of lulld."""

import os
import select
import socket
import struct
import subprocess

from ._types import Refused, Unavailable


def socket_path() -> str:
    """The rule for the place of lulld's socket."""
    folder = os.environ.get("LULL_RUNTIME_DIR")
    session = os.environ.get("XDG_RUNTIME_DIR", "")
    if folder:
        # Programs in other folders would look for lulld elsewhere.
        if not folder.startswith("/") or len(os.fsencode(folder)) > 99:
            raise Refused(
                "bad-value", "LULL_RUNTIME_DIR must be a path that begins with / and has at most 99 bytes")
    elif os.geteuid() == 0:
        folder = "/run/lull"
    else:
        folder = f"{session}/lull" if session.startswith("/") else f"/tmp/lull-{os.geteuid()}"
    return f"{folder}/control"


def connect() -> socket.socket:
    """A connection to the user's own lulld, or root's in /run/lull: in /tmp any user could have made the
    directory first."""
    path = socket_path()
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.settimeout(5)
        link.connect(path)
        owner = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
    except OSError as error:
        link.close()
        raise Unavailable(f"no daemon: {path}: {error.strerror or error}") from error
    if owner == os.geteuid() or (owner == 0 and path.startswith("/run/lull/")):
        return link
    link.close()
    raise Refused(
        "refused", f"{path}: uid {owner} listens there: set LULL_RUNTIME_DIR to a directory of your own")


def launch() -> None:
    """Starts lull-guard in a session of its own, and waits until lulld accepts; raises Unavailable."""
    path = os.environ.get("LULL_GUARD") or "lull-guard"
    try:
        first = subprocess.Popen(
            [path, "--daemonize", "--started-by", "use"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    except FileNotFoundError as error:
        words = f"{path}: {error.strerror}"
        if path == "lull-guard":
            words = "lull-guard is not in PATH (LULL_GUARD names its file)"
        raise Unavailable(f"no daemon: {words}") from error
    except OSError as error:
        raise Unavailable(f"no daemon: {path}: {error.strerror}") from error
    with first:
        _await(first, path)


def _await(first: subprocess.Popen[bytes], path: str) -> None:
    try:
        # Its first process ends when the control socket accepts.
        status = first.wait(5)
    except subprocess.TimeoutExpired as error:
        first.kill()
        raise Unavailable(f"no daemon: {path} was not ready in 5 s") from error
    if status == 0 or first.stderr is None:
        return
    # What it has started may hold the pipe open.
    ready = select.select([first.stderr], [], [], 0)[0]
    text = os.read(first.stderr.fileno(), 4096).decode(errors="replace").strip() if ready else ""
    words = text.split("\n")[-1].removeprefix("lull-guard: ") or f"{path} ended with status {status}"
    raise Unavailable(f"no daemon: {words}")


