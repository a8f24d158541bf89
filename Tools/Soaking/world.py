"""Where a soak lives: a folder in /tmp, a runtime directory, a cgroup. Nothing outside is touched."""

import asyncio
import os
import shutil
import subprocess
import tempfile
import time

from violation import Unable

ENTER = 'echo 0 >"$0/cgroup.procs" && exec "$@"'


def cgroup_mount():
    with open("/proc/self/mountinfo") as table:
        for line in table:
            if " - cgroup2 " in line:
                return line.split()[4]
    raise Unable("no cgroup v2 is mounted")


def own_cgroup():
    with open("/proc/self/cgroup") as table:
        return next(line[3:].strip() for line in table if line.startswith("0::")).rstrip("/")


class World:
    """The folder, the cgroups and the environment of everything that the soak starts."""

    def __init__(self, binaries, tools, plugin):
        self.binaries, self.tools, self.plugin = binaries, tools, plugin
        self.folder = tempfile.mkdtemp(prefix="lull-soak.")
        self.runtime = self.folder + "/run"
        self.socket = self.runtime + "/control"
        self.mount = cgroup_mount()
        self.cgroup = f"{self.mount}{own_cgroup()}/lull-soak.{os.getpid()}"
        self.outside, self.root = self.cgroup + "/outside", self.cgroup + "/lull"
        for path in (self.cgroup, self.outside, self.root):
            os.mkdir(path)
        self.environment = dict(os.environ, LULL_RUNTIME_DIR=self.runtime, LULL_CGROUP_ROOT=self.root,
                                XDG_STATE_HOME=self.runtime, LULL_CONFIG_DIR=self.folder + "/config")
        for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "LULL_GUARD"):
            self.environment.pop(name, None)
        self.children = []
        self.begin = time.monotonic()
        self.record = open(self.folder + "/soak.log", "w", buffering=1)

    def lull(self, name):
        return f"{self.binaries}/{name}"

    def tool(self, name):
        return f"{self.tools}/{name}"

    def log(self, text):
        """A line of the soak's own log, with the seconds since its start."""
        self.record.write(f"{time.monotonic() - self.begin:9.3f}  {text}\n")

    async def spawn(self, *words, log=None, cgroup=None, **streams):
        """Starts a program in a cgroup of the soak; its output goes to the named log unless it is taken."""
        streams.setdefault("stdin", asyncio.subprocess.DEVNULL)
        output = open(f"{self.folder}/{log}.log", "ab") if log else None
        if output:
            streams.setdefault("stdout", output)
            streams.setdefault("stderr", output)
        try:
            child = await asyncio.create_subprocess_exec(
                "sh", "-c", ENTER, cgroup or self.outside, *map(str, words),
                env=self.environment, cwd=self.folder, start_new_session=True, **streams)
            self.children = [each for each in self.children if each.returncode is None] + [child]
            return child
        finally:
            if output:
                output.close()

    async def end(self):
        """Ends everything that the soak has started, frozen or not."""
        write(self.cgroup + "/cgroup.kill", "1")
        limit = time.monotonic() + 10
        while "populated 1" in read(self.cgroup + "/cgroup.events") and time.monotonic() < limit:
            await asyncio.sleep(0.01)
        for child in self.children:
            await child.wait()

    def remove(self, keep):
        """Leaves nothing behind but, with `keep`, the folder."""
        subprocess.run(["find", self.cgroup, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"],
                       stderr=subprocess.DEVNULL, check=False)
        self.record.close()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


def read(path):
    """A small file's text; empty when it is gone."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
