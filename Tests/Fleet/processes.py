"""Processes of a fleet, each in a session of its own, and each with its id in a file, so that `tear_down` finds what somebody else
left behind."""
import os, shutil, signal, subprocess, tempfile

PREFIX = "beaconkeeper-fleet-"


def birth(pid):
    """When a process began, in ticks since the machine did; None: it is gone. A later one with the same id began later."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            state = file.read().rpartition(")")[2].split()
        return None if state[0] == "Z" else state[19]
    except OSError:
        return None


def leave_id(folder, name, pid):
    with open(os.path.join(folder, name + ".pid"), "w") as file:
        file.write(f"{pid} {birth(pid)}")


def tear_down():
    """Ends what an earlier fleet of this user left behind; returns how many processes and folders there were."""
    ended = folders = 0
    for folder in os.scandir(tempfile.gettempdir()):
        if not (folder.name.startswith(PREFIX) and folder.is_dir(follow_symlinks=False) and folder.stat().st_uid == os.getuid()):
            continue
        files = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".pid")]
        # The one that started the others first, so that it starts no more.
        for path in sorted(files, key=lambda path: not path.endswith("/fleet.pid")):
            with open(path) as file:
                pid, began = (file.read().split() + ["", ""])[:2]
            if pid.isdigit() and int(pid) != os.getpid() and birth(pid) == began:
                try:
                    (os.kill if path.endswith("/fleet.pid") else os.killpg)(int(pid), signal.SIGKILL)
                    ended += 1
                except ProcessLookupError:
                    pass
        if files:
            folders += 1
            shutil.rmtree(folder.path, ignore_errors=True)
    return ended, folders


class Process:
    """A program with a log of its own, in a session of its own, so that it can be killed or frozen with its children."""

    def __init__(self, name, folder, command, environment=None):
        self.name, self.folder, self.command, self.environment = name, folder, command, environment
        self.log = os.path.join(folder, name + ".log")
        self.process = None

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)
        leave_id(self.folder, self.name, self.process.pid)
        return self

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        if self.runs:
            os.killpg(self.process.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        if self.process:
            self.process.wait()

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def thaw(self):
        self.signal(signal.SIGCONT)

    def end(self, patience=60):
        """In good order; returns the exit status."""
        self.thaw()
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(patience) if self.process else None
        except subprocess.TimeoutExpired:
            self.kill()
            return "did not end"
