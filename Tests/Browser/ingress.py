"""The page in Home Assistant's side bar: below a path, let in by the supervisor's address, closed to everybody else."""
import re, socket, threading, time, urllib.error, urllib.request


def check_ingress(browser, gateway, opened, check, check_speech):
    gateway.host = "0.0.0.0"
    gateway.configuration = f"""gateway: {{ name: home, state_directory: {gateway.folder}/state }}
broker: embedded
beacons: [{{ name: key, address: "C1:00:00:00:00:01" }}]
zones: [{{ name: house }}]
http: {{ listen: "0.0.0.0:0", password_file: {gateway.password}, proxies: [{Ingress.address}] }}
"""
    gateway.start()
    threading.Thread(target=transmit, args=(gateway,), daemon=True).start()
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{gateway.port}/api/v1/overview")
        status = 200
    except urllib.error.HTTPError as error:
        status = error.code
    check("who does not come through Home Assistant is asked for a password", status == 401, status)
    page = opened(Ingress(gateway.port, "/api/hassio_ingress/t0ken/").base, "now")
    page.wait("document.querySelector('[data-zone=house][data-state=occupied]') !== null")
    page.run("document.querySelector('.beacons a[href*=key], a[href=\"#/beacon/key\"]').click()")
    page.wait("Number(document.querySelector('canvas')?.dataset.frames) > 0")
    check("the page works in Home Assistant's side bar", True)
    check_speech(page, "in the side bar")
    gateway.stop()


def transmit(gateway):
    """The key lies beside the receiver."""
    try:
        while True:
            gateway.hear("hci0", "C1:00:00:00:00:01", -50)
            time.sleep(0.2)
    except (BrokenPipeError, ValueError):
        pass


class Ingress:
    """Home Assistant's way to an add-on: everything lies below a path, and whoever comes through has been asked who it is. What it
    adds is what Home Assistant's component hassio and the supervisor add (ingress.py of both)."""

    # Another address than that of whoever comes directly.
    address = "127.0.0.2"

    def __init__(self, port, path):
        self.port, self.path = port, path.encode()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.server.getsockname()[1]}{path}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.server.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(65536)
            if not piece:
                return client.close()
            head += piece
        line, rest = head.split(b"\r\n", 1)
        method, path, version = line.split(b" ")
        if not path.startswith(self.path):
            client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return client.close()
        try:
            server = socket.create_connection(("127.0.0.1", self.port), source_address=(self.address, 0))
        except ConnectionRefusedError:
            return client.close()
        # One request a connection, so that only the first lines are to be rewritten.
        added = (b"\r\nConnection: close\r\nX-Ingress-Path: " + self.path.rstrip(b"/") + b"\r\nX-Hass-Source: core.ingress"
                 b"\r\nX-Remote-User-Id: 0123456789abcdef\r\nX-Forwarded-Host: homeassistant.local:8123\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 192.168.1.20")
        rest = re.sub(rb"(?i)\r\n(connection|host):[^\r]*", b"", b"\r\n" + rest)
        server.sendall(b" ".join([method, b"/" + path[len(self.path):], version]) + added + b"\r\nHost: homeassistant.local:8123" + rest)
        threading.Thread(target=self._carry, args=(client, server), daemon=True).start()
        self._carry(server, client)

    @staticmethod
    def _carry(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
