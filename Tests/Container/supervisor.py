#!/usr/bin/env python3
"""supervisor.py PORT TOKEN USER PASSWORD BROKER_PORT: what Home Assistant's supervisor answers at /services/mqtt."""
import http.server
import json
import sys

port, token, user, password, broker = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        allowed = self.path == "/services/mqtt" and self.headers.get("Authorization") == f"Bearer {token}"
        body = json.dumps({"result": "ok", "data": {
            "host": "127.0.0.1", "port": int(broker), "ssl": False, "protocol": "3.1.1",
            "username": user, "password": password, "addon": "core_mosquitto",
        }} if allowed else {"result": "error", "message": "401: Unauthorized"}).encode()
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
