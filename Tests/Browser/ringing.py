"""A button is pressed: the page of the beacon lists it, at once and after it is opened anew, and the diary after a restart."""
import time

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
    told = "[...document.querySelectorAll('.diary li')].map((one) => one.querySelector('.what').textContent).join('; ')"
    page.run("location.hash = '#/diary'")
    page.wait(f"{told} !== ''")
    check("the diary has it before it is on disk", page.run(told) in ("enter; long press; press; started", "long press; enter; press; started"), page.run(told))
    check("and the visit that goes on", page.run("document.querySelector('.visits tbody')?.textContent")[:3] in [time.strftime(hour, time.localtime(time.time() - ago)) for ago in (0, 300) for hour in ("%H:", "%I:")] and page.run("document.querySelectorAll('.stay').length") == 1,
          page.run("document.querySelector('.visits tbody')?.textContent"))
    gateway.stop()
    gateway.output.clear()
    base = gateway.start()
    page = opened(base, "diary")
    page.wait(f"{told} !== ''")
    check("after a restart the diary goes on", "; started; stopped; " in f"; {page.run(told)}" and page.run(told).endswith("press; started"), page.run(told))
    page.run("(() => { const kind = document.querySelectorAll('select')[2]; kind.focus(); kind.value = 'event'; kind.dispatchEvent(new Event('change')); })()")
    page.wait(f"{told} === 'long press; press'")
    check("a filter is in the address, and the focus stays", page.run("location.hash.endsWith('/event') && document.activeElement.tagName === 'SELECT'"), page.run("location.hash"))
    shot(page, "diary-1280-light")
    page.run("location.hash = '#/now'")
    page.wait("document.querySelector('.now .feed li') !== null")
    check("and the latest transition is that of the run before", "enter" in page.run("document.querySelector('.now .feed').textContent"))
    gateway.stop()
