"""What the dashboard costs the gateway: whole processes at 1,000 advertisements a second, with and without it, with pages open."""
import json
import os
import re
import socket
import subprocess
import threading
import time

RATE, SECONDS = 1000, 15
LINES = [
    json.dumps({"receiver": "hci0", "address": f"C2:00:00:00:00:{n:02X}", "address_type": "random", "rssi": -60 - n % 20,
                "payload": f"0201061aff4c000215f29dc74adbbd12de318ac8b046dd44250001{n:04x}c5"})[1:] for n in range(1, 51)]


class Visited:
    """A gateway that hears fifty beacons; `pages` of them are watched, each beside the overview. None: it has no door."""

    def __init__(self, binary, configuration, pages):
        self.process = subprocess.Popen(
            [binary, "run", "--config", configuration, "--capture", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.isEnded = False
        door = next(re.finditer(r"dashboard: http://127\.0\.0\.1:(\d+)", line), None) if pages is not None and (
            line := next((one for one in self.process.stdout if "dashboard: http" in one), "")) else None
        threads = [threading.Thread(target=self._feed, daemon=True), threading.Thread(target=self._drain, daemon=True)]
        for thread in threads: thread.start()
        time.sleep(5)
        if door:
            for page in range(pages):
                for path in ("events", f"beacons/fleet%3A1.{page + 1}/live"):
                    threading.Thread(target=self._read, args=(int(door[1]), path), daemon=True).start()
        time.sleep(3)
        before = self._cpu()
        time.sleep(SECONDS)
        # Of a core, in %.
        self.cpu = (self._cpu() - before) / SECONDS * 100
        # MiB.
        line = next(line for line in open(f"/proc/{self.process.pid}/status") if line.startswith("VmRSS"))
        self.memory = int(line.split()[1]) / 1024
        self.isEnded = True
        self.process.terminate()
        self.process.wait()

    def _cpu(self):
        user, system = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _feed(self):
        count, began = 0, time.monotonic()
        try:
            while not self.isEnded:
                due = int((time.monotonic() - began) * RATE)
                now = time.time()
                self.process.stdin.write("".join(f'{{"t": {now:.3f}, {LINES[n % 50]}\n' for n in range(count, due)))
                self.process.stdin.flush()
                count = due
                time.sleep(0.02)
        except (BrokenPipeError, ValueError): pass

    def _drain(self):
        for _ in self.process.stdout: pass

    def _read(self, port, path):
        with socket.create_connection(("127.0.0.1", port)) as page:
            page.sendall(f"GET /api/v1/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            try:
                while page.recv(65536): pass
            except OSError: pass
