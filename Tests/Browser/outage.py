"""What is not known is not shown as there: before any receiver has reported, and while none hears."""
import threading, time

configuration = """gateway: {{ name: attic, state_directory: {folder}/state }}
broker: embedded
beacons: [{{ name: key, address: "C1:00:00:00:00:01" }}]
zones: [{{ name: home, receivers: [porch, stairs] }}]
rooms: [{{ name: hall, receivers: [porch] }}, {{ name: loft, receivers: [stairs] }}]
http: {{ listen: "127.0.0.1:0" }}
"""


def check_outage(gateway, opened, check, check_speech):
    gateway.configuration = configuration.format(folder=gateway.folder)
    base = gateway.start()
    now = opened(base, "now")
    text = lambda page, what: page.run(f"document.querySelector('{what}')?.textContent")
    # The page may come before the gateway's first word.
    now.wait("document.querySelector('.trouble')?.textContent")
    check("before anybody has reported, nobody knows who is there", text(now, ".headline") == "Nobody knows who is there.", text(now, ".headline"))
    check("receivers that have not reported are named", "porch and stairs have not reported yet." in text(now, ".trouble"), text(now, ".trouble"))
    air = opened(base, "strangers")
    air.wait("document.querySelector('.empty:not([hidden]) strong') !== null")
    check("the air is not called empty while nothing can hear", text(air, ".empty strong") == "Nothing can be heard.", text(air, ".empty strong"))
    for view, what in (("strangers", "the air"), ("plan", "the plan")):
        air.run("location.hash = '#/settings'")
        air.wait("document.querySelector('.empty') === null")
        early = air.run(f"""new Promise((done) => {{
            addEventListener('hashchange', () => done(document.querySelector('.empty:not([hidden]) strong')?.textContent ?? null), {{ once: true }});
            location.hash = '#/{view}';
        }})""")
        check(f"{what} is not called empty before the gateway answered", early is None, early)
    air.run("location.hash = '#/strangers'")

    sees = threading.Event()
    sees.set()
    def carry():
        while gateway.process.poll() is None:
            try:
                if sees.is_set():
                    for receiver, rssi in (("porch", -50), ("stairs", -75)):
                        gateway.hear(receiver, "C1:00:00:00:00:01", rssi)
            except (BrokenPipeError, ValueError):
                return
            time.sleep(0.2)
    threading.Thread(target=carry, daemon=True).start()
    now.wait("document.querySelector('.headline').textContent.startsWith('1 beacon in ')")
    now.wait("document.querySelector('.trouble').textContent === 'Every receiver hears.'")
    check("then it is told", True, text(now, ".headline"))
    beacon, plan = opened(base, "beacon/key"), opened(base, "plan")
    beacon.wait("Number(document.querySelector('canvas')?.dataset.frames) > 2 && document.querySelector('.standing').textContent.startsWith('in home for')")
    plan.wait("[...document.querySelectorAll('#plan-beacons option')].some((one) => one.value === 'key')")
    plan.run("(() => { const choice = document.getElementById('plan-beacon'); choice.value = 'key'; choice.dispatchEvent(new Event('change')); })()")
    plan.wait("document.querySelector('.shares li') !== null")

    sees.clear()
    for receiver in ("porch", "stairs"):
        gateway.tell(receiver, "gone")
    now.wait("document.querySelector('[data-zone=home][data-state=unknown]') !== null")
    check("through an outage, who was there last is told as that", "was in" in text(now, ".headline") and "when last heard" in text(now, ".headline"), text(now, ".headline"))
    now.wait("document.querySelector('.beacons .place')?.textContent.includes('home (unknown)')")
    check("in the table, too", True, text(now, ".beacons .place"))
    beacon.wait("document.querySelector('.standing').textContent.includes('was in home; nobody hears there now')")
    check("a beacon is not said to be in a place that nobody hears", "in home for" not in text(beacon, ".standing"), text(beacon, ".standing"))
    spans = "JSON.parse(document.querySelector('canvas').dataset.unknown)"
    beacon.wait(f"{spans}.at(-1)?.[1] === null")
    beacon.wait(f"Number(document.querySelector('canvas').dataset.to) > {spans}.at(-1)[0] + 1000")
    check("its ribbon is hatched from then on, and goes on", True, beacon.run(f"JSON.stringify({spans}.map(([from, to]) => [from, to].map((at) => at && at - document.querySelector('canvas').dataset.to)))"))
    late = opened(base, "beacon/key")
    late.wait(f"document.querySelector('canvas')?.dataset.unknown !== undefined && {spans}.at(-1)?.[1] === null")
    check("also for who opens the page in the middle of it", True)
    air.wait("document.querySelectorAll('.stranger').length > 0 || document.querySelector('.empty:not([hidden]) strong') !== null")
    plan.wait("document.querySelector('.plan-body .status') !== null")
    check("the plan does not say that it is in no room", text(plan, ".plan-body .status") != "in no room", text(plan, ".plan-body .status"))

    for receiver in ("porch", "stairs"):
        gateway.tell(receiver, "ok")
    sees.set()
    beacon.wait("document.querySelector('.standing').textContent.startsWith('in home for')")
    for page in (beacon, late):
        page.wait(f"{spans}.length > 0 && {spans}.at(-1)[1] !== null")
    check("once somebody hears again, the gap stays in the ribbon", True)
    for page in (now, beacon, plan, air):
        check_speech(page, "an outage")
    gateway.stop()
