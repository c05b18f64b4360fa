"""What is left behind: views that were closed, a beacon that was taken out of the file, a page that the browser keeps, a session."""
import signal, time


def check_left(gateway, opened, base, check):
    page = opened(base, "now", width=1280, height=900)

    def rounds(view, ready, count):
        for _ in range(count):
            page.run(f"location.hash = '#/{view}'")
            page.wait(ready)
            page.run("location.hash = '#/settings'")
            page.wait("document.querySelector('.explained section') !== null")

    def left():
        page.send("HeapProfiler.collectGarbage")
        told = page.send("Memory.getDOMCounters")
        return told["nodes"], told["jsEventListeners"]

    views = {
        "now": "document.querySelectorAll('table.beacons tr[data-beacon]').length > 5", "plan": "document.querySelectorAll('.plan-people a').length > 5",
        "zone/sofa": "document.querySelector('.try')?.dataset.state === 'decided'", "beacon/thing%207": "Number(document.querySelector('canvas')?.dataset.frames) > 2",
        "diary": "document.querySelector('.ribbon-row') !== null", "strangers": "document.querySelector('main h1')?.textContent === 'Strangers'",
    }
    for view, ready in views.items():
        # The first time fills what stays.
        rounds(view, ready, 2)
        before = left()
        rounds(view, ready, 6)
        after = left()
        check(f"{view}: nothing of it stays in memory once it is left", after[0] < before[0] + 1500 and after[1] < before[1] + 60, f"{before}, then {after}")

    page.run("location.hash = '#/zone/sofa'")
    page.wait("/there for .*near: within 1.m for/s.test(document.querySelector('.members')?.textContent)")
    check("why somebody is near is not told as why they are there", True, page.run("document.querySelector('.members li').textContent"))

    page.run("location.hash = '#/beacon/thing%209'")
    page.wait("document.querySelector('.facts-line')?.textContent.includes('dBm')")
    lines = gateway.read("run.yaml").splitlines(keepends=True)
    gateway.write("run.yaml", "".join(line for line in lines if "name: thing 9," not in line))
    gateway.process.send_signal(signal.SIGHUP)
    page.wait("document.querySelector('main .waiting:not([hidden])')?.textContent.includes('No beacon called thing 9 is configured')")
    check("the page of a beacon that was taken out of the file says so", page.run("document.querySelector('.chart-sheet').getClientRects().length === 0"))
    gateway.write("run.yaml", "".join(lines))
    gateway.process.send_signal(signal.SIGHUP)
    page.wait("document.querySelector('.chart-sheet').getClientRects().length > 0 && document.querySelector('.facts-line').textContent.includes('dBm')")
    check("and goes on when it is back", True)

    silent = lambda: page.run("(async () => { const { store } = await import(new URL('assets/store.js', location.href.split('#')[0])); return Date.now() - store.heardAt; })()")
    page.run("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })); 0")
    time.sleep(4)
    away = silent()
    page.run("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })); 0")
    time.sleep(4)
    back = silent()
    check("a page that was left listens no more, and does again when the browser brings it back", away > 3500 and back < 3500, f"{away} ms, then {back} ms")
    page.close()


def check_session(page, check):
    """`page` is logged in, and shows a zone."""
    save = "[...document.querySelectorAll('.try button')].find((one) => one.textContent === 'Save')"
    field = "document.querySelector('[data-field=\"enter.threshold\"]')"
    page.wait(f"document.querySelector('.try')?.dataset.state === 'decided' && !{save}.hidden")
    page.run(f"{field}.value = '6.5'; {field}.dispatchEvent(new Event('input'))")
    page.wait(f"document.querySelector('.try').dataset.state === 'decided' && !{save}.disabled")
    page.send("Network.clearBrowserCookies")
    page.run(f"{save}.click()")
    page.wait("!document.querySelector('.login-link').hidden")
    check("a session that has ended is told, with the way to log in, and what was typed stays", page.run(f"{field}.value") == "6.5" and page.run(f"{save}.hidden"))
