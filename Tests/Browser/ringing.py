"""A button is pressed: the page of the beacon lists it, at once and after it is opened anew."""

configuration = """gateway: {{ name: porch, state_directory: {folder}/state }}
broker: embedded
beacons: [{{ name: bell, address: "C1:00:00:00:00:01" }}]
zones: [{{ name: door, enter: {{ signal: -70 dBm }}, exit: {{ signal: -80 dBm }} }}]
http: {{ listen: "127.0.0.1:0" }}
"""


def check_ringing(gateway, opened, check, shot):
    gateway.configuration = configuration.format(folder=gateway.folder)
    base = gateway.start()
    press = lambda number, what: [gateway.hear("hci0", "C1:00:00:00:00:01", -60, f"0816d2fc4400{number:02x}3a{what:02x}") for _ in range(5)]
    shown = "[...document.querySelectorAll('.events li .what')].map((one) => one.textContent).join('; ')"
    press(1, 1)
    page = opened(base, "now")
    page.wait("document.querySelector('main')?.textContent.includes('bell')")
    page.run("location.hash = '#/beacon/bell'")
    page.wait(f"{shown} === 'button: press'")
    press(2, 4)
    page.wait(f"{shown} === 'button: long press; button: press'")
    check("a press of a button is listed at once", True)
    again = opened(base, "beacon/bell")
    again.wait(f"{shown} !== ''")
    check("and when the page is opened later", again.run(shown) == "button: long press; button: press", again.run(shown))
    shot(again, "events-1280-light")
    gateway.stop()
