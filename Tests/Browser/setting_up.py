"""A stranger sets a gateway up in the browser: a broker that is tried before it is saved, boards that are heard there, a key that is held
against one of them, rooms, and what Home Assistant will show."""
import json, os, signal, socket, stat, subprocess, threading, time

bare = """gateway: {{ name: house, state_directory: {folder}/state }}
# Where messages go.
broker: embedded   # for now
radio: {{ duty: off }}   # a box without Bluetooth
http: {{ listen: "127.0.0.1:0", write_password_file: {password} }}
"""


class Boards:
    """A broker that wants a password, and three ESPresense boards that publish there what they hear."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        users, settings = f"{folder}/users", f"{folder}/mosquitto.conf"
        with open(users, "w") as file:
            file.write("gw:sesame street\n")
        os.chmod(users, 0o600)
        subprocess.run(["mosquitto_passwd", "-U", users], check=True)
        with open(settings, "w") as file:
            file.write(f"{'user root' if os.geteuid() == 0 else ''}\nlistener {self.port} 127.0.0.1\nallow_anonymous false\npassword_file {users}\n")
        self.processes = [subprocess.Popen(["mosquitto", "-c", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)]
        self.isOver = False
        threading.Thread(target=self._publish, daemon=True).start()

    def _publish(self):
        """A key in the kitchen, and something of the neighbours'."""
        heard = [(room, f"iBeacon:5af13a5c-0000-4000-8000-00000000000{n}-1-{n}", mac, level)
                 for n, mac, levels in ((7, "c10000000007", (-44, -76, -82)), (8, "c10000000008", (-83, -85, -88)))
                 for room, level in zip(("kitchen", "bedroom", "hall"), levels)]
        while not self.isOver:
            for room, device, mac, level in heard:
                subprocess.run(["mosquitto_pub", "-p", str(self.port), "-u", "gw", "-P", "sesame street", "-t", f"espresense/devices/{device}/{room}",
                                "-m", json.dumps({"mac": mac, "id": device, "rssi@1m": -59, "rssi": level})], stderr=subprocess.DEVNULL)
            time.sleep(0.3)

    def stop(self):
        self.isOver = True
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def check_setting_up(gateway, opened, check, check_speech, shot, inspect):
    gateway.configuration = bare.format(folder=gateway.folder, password=gateway.password)
    boards = Boards(gateway.folder)
    try:
        set_up(gateway, boards, opened, check, check_speech, shot, inspect)
    finally:
        boards.stop()


def set_up(gateway, boards, opened, check, check_speech, shot, inspect):
    base = gateway.start()
    page = opened(base, "now", width=1280, height=900)
    offer = "document.querySelector('.hero a[href=\"#/setup\"]')"
    page.wait(f"{offer}?.getClientRects().length > 0")
    check("who has nothing yet is offered the setup, which is not loaded before", not any("setup.js" in url for url in page.requests))
    page.run(f"{offer}.click()")
    page.wait("document.querySelector('.setup a[href*=login]') !== null")
    told = page.run("document.querySelector('.setup').innerText")
    check("who may only look is told to log in, because there is a password for changes",
          "Log in" in told and "write_password_file" not in told and "Review" not in told, told[:200])

    def log_in():
        page.wait("document.querySelector('.setup a[href*=login]') !== null")
        page.run("document.querySelector('.setup a[href*=login]').click()")
        page.wait("document.getElementById('password') !== null")
        page.run("(() => { const field = document.getElementById('password'); field.value = 'open sesame'; field.form.requestSubmit(); })()")

    def fill(selector, text):
        page.run(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.value = {json.dumps(text)}; field.dispatchEvent(new Event('input')); }})()")

    def press(what):
        ready = f"document.querySelector('.setup-step [data-do={what}]:enabled')"
        page.wait(f"{ready}?.getClientRects().length > 0")
        page.run(f"{ready}.click()")

    def open_step(name):
        page.run(f"document.querySelector('.setup [data-step={name}]').click()")
        page.wait(f"location.hash === '#/setup/{name}'")

    def reviewed():
        press("review")
        page.wait("document.querySelector('.setup-step .review [data-kind=\"+\"]')?.getClientRects().length > 0")
        return page.run("document.querySelector('.setup-step .review pre').innerText")

    def saved():
        press("save")
        page.wait("document.querySelector('.setup-step .review').hidden")

    log_in()
    page.wait("document.querySelector('.setup [data-step=broker]')?.getClientRects().length > 0")
    open_step("broker")
    page.wait("document.querySelector('.setup-step [data-field=url]') !== null")
    page.run("document.querySelector('.setup-step input[type=checkbox]').checked && document.querySelector('.setup-step input[type=checkbox]').click()")

    # -- A broker, with a wrong password and with the right one.
    outcome = "document.querySelector('.setup-part > [data-kind={}]')?.innerText"
    fill("[data-field=url]", f"mqtt://127.0.0.1:{boards.port}")
    fill("[data-field=username]", "gw")
    fill("[data-field=password]", "sesame")
    press("try")
    page.wait(outcome.format("fault"))
    check("a wrong password is told, and nothing can be saved", page.run("document.querySelector('.setup-step [data-do=review]').disabled"), page.run(outcome.format("fault")))
    fill("[data-field=password]", "sesame street")
    press("try")
    page.wait(outcome.format("ok"))
    found = page.run(inspect)
    check("setup: names and contrast", not found["finds"], "; ".join(found["finds"][:4]))
    told = reviewed()
    shot(page, "setup-broker-1280-light")
    check("the change is told without the password", "password_file: run.password" in told and "sesame" not in told and "# for now" in told, told)
    saved()
    text, secret = gateway.read("run.yaml"), f"{gateway.folder}/run.password"
    check("the password is in a file of its own", "sesame" not in text and gateway.read("run.password") == "sesame street\n" and stat.S_IMODE(os.stat(secret).st_mode) == 0o600, text)
    page.wait("document.querySelector('.setup-restart').getClientRects().length > 0")

    # -- The gateway is started again with it.
    page.open("about:blank")
    gateway.stop()
    gateway.configuration = text
    base = gateway.start(has_own_broker=False)
    check_speech(page, "setup, before the restart")
    page.base = base
    page.requests.clear()
    page.open(f"{base}#/setup/receivers")
    log_in()

    # -- Boards.
    press("find")
    page.wait("document.querySelector('.setup-step [data-kind=espresense]') !== null")
    told = page.run("document.querySelector('.setup-step').innerText")
    check("boards that are heard are told by name", "3 receivers of ESPresense" in told and "bedroom, hall and kitchen" in told, told)
    check("and how they are written", "kind: espresense" in reviewed())
    saved()

    # -- A key that is held against one of them.
    open_step("beacon")
    lit = "document.querySelector('.setup-step .stranger[data-lit]')"
    page.wait(f"{lit} !== null && {lit}.querySelector('.id').textContent.includes('minor: 7')")
    check("the nearest row lights up", True)
    page.run(f"{lit}.querySelector('.line button').click()")
    page.run(f"(() => {{ const field = {lit}.querySelector('input'); field.value = 'key'; field.dispatchEvent(new Event('input')); field.form.requestSubmit(); }})()")
    page.wait("document.querySelector('.setup-step').innerText.includes('Configured so far: key')")

    # -- Rooms.
    open_step("rooms")
    for board, room in (("kitchen", "Kitchen"), ("bedroom", "Bedroom"), ("hall", "Hall")):
        page.wait(f"document.querySelector('.setup-step input[data-receiver={board}]')?.getClientRects().length > 0")
        fill(f".setup-step input[data-receiver={board}]", room)
    told = reviewed()
    check("rooms are told before they are written", all(one in told for one in ("name: Kitchen", "receivers: [bedroom]")), told)
    saved()
    shot(page, "setup-rooms-1280-light")

    # -- Home Assistant.
    open_step("home")
    page.wait("document.querySelector('.setup-devices')?.innerText.includes('Kitchen')")
    told = page.run("document.querySelector('.setup-devices').innerText")
    check("what Home Assistant will show", "key" in told and "Bedroom" in told, told[:300])
    shot(page, "setup-home-1280-light")

    # -- All of it on a phone, in the dark.
    page.size(390, 844)
    page.prefer(True)
    for name in ("broker", "receivers", "beacon", "rooms", "home"):
        open_step(name)
        page.wait("document.getAnimations().every((one) => one.playState !== 'running' || one.effect.getComputedTiming().iterations === Infinity)")
        found, wide = page.run(inspect), page.run("document.documentElement.scrollWidth")
        check(f"setup, {name}, 390 px, dark: names and contrast", not found["finds"] and wide <= 390, "; ".join(found["finds"][:4]) or f"{wide} px")
        shot(page, f"setup-{name}-390-dark")
    page.run("location.hash = '#/now'")
    page.wait("[...document.querySelectorAll('[data-room]')].some((one) => one.dataset.room === 'Kitchen' && one.dataset.state === 'occupied')")
    check("from nothing to the first room in the browser", "# Where messages go." in gateway.read("run.yaml"), gateway.read("run.yaml"))
    check_speech(page, "setup")
