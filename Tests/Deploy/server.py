#!/usr/bin/env python3
"""server.py FOLDER: serves it on a free port, which it prints, and can go on in the middle of a file.

FOLDER/cut holds a number: no answer is longer, whatever its header says. While there is FOLDER/slow, a tarball trickles; with
FOLDER/whole, every answer starts at the beginning.
FOLDER/log gets a line a request: the path, and where it starts.
"""
import http.server
import pathlib
import sys
import time

folder = pathlib.Path(sys.argv[1])


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        file = folder / self.path.lstrip("/")
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").split("-")[0])
        if (folder / "whole").exists():
            start = 0
        with open(folder / "log", "a") as log:
            print(self.path, start, file=log)
        if not file.is_file():
            return self.send_error(404)
        data = file.read_bytes()
        if start and start >= len(data):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        data = data[start:]
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if (folder / "cut").exists() and self.path.endswith(".gz"):
            data = data[: int((folder / "cut").read_text())]
        try:
            for at in range(0, len(data), 1000):
                self.wfile.write(data[at : at + 1000])
                if (folder / "slow").exists() and self.path.endswith(".gz"):
                    time.sleep(0.1)
        except OSError:
            pass
        self.close_connection = True

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
