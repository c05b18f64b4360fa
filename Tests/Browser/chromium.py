"""Drives Debian's chromium over the pipe of its DevTools protocol. No port, no other library."""
import base64, json, os, queue, shutil, subprocess, tempfile, threading, time


class Failure(Exception):
    pass


class Chromium:
    """One browser; `page()` opens a tab."""

    def __init__(self, *flags):
        self.profile = tempfile.mkdtemp(prefix="beaconkeeper-chromium-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # Descriptors 3 and 4 are the protocol's; the shell puts them there whatever ours are.
        command = ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", "chromium", "--headless=new",
                   "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio",
                   "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                   "--disable-dev-shm-usage", "--accept-lang=en-GB", f"--user-data-dir={self.profile}", *flags, "about:blank"]
        if os.geteuid() == 0:
            command.insert(5, "--no-sandbox")
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.replies, self.listeners, self.last, self.lock = {}, [], 0, threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        rest = b""
        while True:
            piece = os.read(self.read_end, 1 << 20)
            if not piece:
                for waiting in list(self.replies.values()):
                    waiting.put({"error": {"message": "the browser has ended"}})
                return
            *messages, rest = (rest + piece).split(b"\0")
            for message in map(json.loads, messages):
                waiting = self.replies.pop(message.get("id"), None)
                if waiting:
                    waiting.put(message)
                for listener in list(self.listeners):
                    listener(message)

    def send(self, method, session=None, patience=120, **parameters):
        with self.lock:
            self.last += 1
            message = {"id": self.last, "method": method, "params": parameters}
            if session:
                message["sessionId"] = session
            waiting = self.replies[self.last] = queue.Queue()
            bytes_left = json.dumps(message).encode() + b"\0"
            while bytes_left:
                bytes_left = bytes_left[os.write(self.write_end, bytes_left):]
        try:
            reply = waiting.get(timeout=patience)
        except queue.Empty:
            raise Failure(f"{method} was not answered within {patience} s") from None
        if "error" in reply:
            raise Failure(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def page(self, width=1280, height=900, scale=1, dark=False, calm=False):
        return Page(self, width, height, scale, dark, calm)

    def close(self):
        try:
            self.send("Browser.close", patience=5)
        except (Failure, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    def __init__(self, browser, width, height, scale, dark, calm):
        self.browser = browser
        # What the page said to its console, what it asked for, and what broke.
        self.errors, self.requests = [], []
        context = browser.send("Target.createBrowserContext", disposeOnDetach=True)["browserContextId"]
        self.target = browser.send("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.listeners.append(self._hear)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")
        self.size(width, height, scale)
        self.prefer(dark, calm)

    def send(self, method, **parameters):
        return self.browser.send(method, session=self.session, **parameters)

    def _hear(self, message):
        if message.get("sessionId") != self.session:
            return
        method, about = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            detail = about["exceptionDetails"]
            self.errors.append(detail.get("exception", {}).get("description") or detail["text"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])

    def size(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 500)

    def prefer(self, dark=False, calm=False):
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}])

    def open(self, url):
        self.send("Page.navigate", url=url)

    def reload(self):
        """Asked of the browser: a script that reloads its own page may be gone before it is answered."""
        self.run("window.isOld = true")
        self.send("Page.reload")

    def run(self, script):
        reply = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in reply:
            detail = reply["exceptionDetails"]
            raise Failure(detail.get("exception", {}).get("description") or detail["text"])
        return reply["result"].get("value")

    def wait(self, script, patience=120):
        """Waits until the script says something true, and returns that. A busy machine needs patience."""
        end = time.monotonic() + patience
        while True:
            try:
                value = self.run(script)
            except Failure as failure:
                # Between two documents there is nothing to ask.
                if not any(word in str(failure) for word in ("context", "navigated")):
                    raise
                value = None
            if value:
                return value
            if time.monotonic() > end:
                raise Failure(f"not within {patience} s: {script}")
            time.sleep(0.05)

    def key(self, key, code=None, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, modifiers=8 if shift else 0,
                      windowsVirtualKeyCode={"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, "Enter": 13}.get(key, 0))

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, start, end, steps=8):
        (x0, y0), (x1, y1) = start, end
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def shot(self, path, whole=False):
        picture = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def close(self):
        self.browser.listeners.remove(self._hear)
        self.browser.send("Target.closeTarget", targetId=self.target)
