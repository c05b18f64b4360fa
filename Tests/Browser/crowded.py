"""A family with thirty beacons in five rooms: the page rests, asks little of the network, stays short, and hides nobody."""
import base64, random, re, signal, threading, time
from leaving import check_left

rooms = ["kitchen", "living room", "bedroom", "studio", "hall"]
long = "Donaudampfschifffahrtsgesellschaft"
beacons = [f"thing {number}" for number in range(1, 30)] + [long]


def configuration(gateway):
    text = f"gateway: {{ name: house, state_directory: {gateway.folder}/state }}\nbroker: embedded\nreceivers:\n"
    text += "".join(f"  - {{ name: r{i}, position: [{i % 3 * 6 + 3} m, {i // 3 * 5 + 2} m] }}\n" for i in range(5))
    text += "beacons:\n" + "".join(f"  - {{ name: {name}, address: \"C1:00:00:00:00:{i:02X}\" }}\n" for i, name in enumerate(beacons))
    text += "  - { name: lost, address: \"C1:00:00:00:01:00\" }\nzones:\n  - { name: home }\n"
    text += "  - { name: sofa, receivers: [r1], near: { distance: 1 m, rearm: 1.5 m }, enter: { distance: 2 m, dwell: 1 s }, exit: { distance: 3 m, dwell: 2 s } }\nrooms:\n"
    for i, name in enumerate(rooms):
        x, y = i % 3 * 6, i // 3 * 5
        text += f"  - {{ name: {name}, receivers: [r{i}], outline: [[{x} m, {y} m], [{x + 6} m, {y} m], [{x + 6} m, {y + 5} m], [{x} m, {y + 5} m]] }}\n"
    return text + f"http: {{ listen: \"127.0.0.1:0\", write_password_file: {gateway.password} }}\n"


class Household:
    """Half of the things lie in the studio; each is heard once a second by the receiver of its room and by another."""

    def __init__(self, gateway):
        self.gateway = gateway
        threading.Thread(target=self._live, daemon=True).start()

    def _live(self):
        dice, turn, start = random.Random(1), 0, time.monotonic()
        try:
            while True:
                beacon, turn = turn % len(beacons), turn + 1
                time.sleep(max(0, start + turn / len(beacons) - time.monotonic()))
                room = 3 if beacon % 2 else beacon // 2 % 5
                for receiver, level in ((room, -55), ((room + 1) % 5, -78)):
                    self.gateway.hear(f"r{receiver}", f"C1:00:00:00:00:{beacon:02X}", level + dice.choice((-2, -1, 0, 1, 2)))
        except (BrokenPipeError, ValueError):
            pass


def check_dots(plan, opened, base, check, shot):
    """Everybody is a dot with a name, or counted; nothing hides anything; a name tells since when and why."""
    plan.wait("document.querySelector('.plan-people [data-chosen]') !== null")
    named, counted, real = plan.run("""(async () => {
        const { store } = await import(new URL('assets/store.js', location.href.split('#')[0]));
        // Who has just gone elsewhere moves within a second.
        await new Promise((done) => setTimeout(done, 1200));
        return [document.querySelectorAll('.plan-people a').length, [...document.querySelectorAll('.plan-titles .more:not([hidden])')].reduce((sum, one) => sum + Number(one.textContent), 0), store.overview.rooms.reduce((sum, room) => sum + room.count, 0)];
      })()""")
    check("everybody in a room is a named dot on the plan, or is counted", named > 10 and named + counted == real, f"{named} named, {counted} counted, {real} there")
    clashes = """(() => {
        const canvas = document.querySelector('.drawing canvas').getBoundingClientRect();
        const boxes = [...document.querySelectorAll('.plan-people a span, .plan-titles .room-name, .plan-titles .more')].filter((one) => one.getClientRects().length).map((one) => [one.textContent, one.getBoundingClientRect()]);
        for (const [name, x, y, width, height] of JSON.parse(document.querySelector('.drawing canvas').dataset.receivers)) boxes.push([name, new DOMRect(canvas.x + x, canvas.y + y, width, height)]);
        return boxes.flatMap(([a, one], i) => boxes.slice(i + 1).filter(([, other]) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1).map(([b]) => `${a} / ${b}`));
      })()"""
    found = plan.run(clashes)
    check("no name, number or receiver's name lies over another", not found, found[:4])
    check("a dot moves without layout", plan.run("getComputedStyle(document.querySelector('.plan-people a')).transitionProperty") == "transform")
    moves = plan.run("""new Promise((done) => {
        const counts = new Map(), look = new MutationObserver((all) => { for (const node of new Set(all.map((one) => one.target))) counts.set(node, (counts.get(node) ?? 0) + 1); });
        look.observe(document.querySelector('.plan-people'), { subtree: true, attributeFilter: ['style'] });
        setTimeout(() => { look.disconnect(); done(Math.max(0, ...counts.values())); }, 5000);
      })""")
    check("and once a second at most", moves <= 6, f"{moves} in 5 s")
    spot = "(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector('.plan-people a:not([data-chosen]) span').getBoundingClientRect())"
    plan.mouse("mouseMoved", *plan.run(spot))
    plan.wait("/there for .*entered: ./s.test(document.querySelector('.who-card:not([hidden])')?.textContent)")
    check("a name under the pointer tells since when and why", True, plan.run("document.querySelector('.who-card').textContent"))
    shot(plan, "crowded-card-1280-light")
    plan.mouse("mouseMoved", 5, 5)
    plan.wait("document.querySelector('.who-card').hidden")
    phone = opened(base, "plan", width=390, height=844)
    phone.send("Emulation.setTouchEmulationEnabled", enabled=True)
    phone.wait("document.querySelector('.plan-people a:not([data-chosen])') !== null")
    found = phone.run(clashes)
    check("nor on a phone", not found, found[:4])
    x, y = phone.run(spot)
    phone.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    phone.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    phone.wait("document.querySelector('.who-card[data-tapped] a') !== null")
    check("a tap tells it, and leads on", phone.run("location.hash") == "#/plan" and phone.run("document.querySelector('.who-card a').hash").startswith("#/beacon/"))
    shot(phone, "crowded-card-390-light")
    phone.close()


def check_rows(opened, base, check):
    """Only rows near those that are seen are there; the keyboard and a screen reader know nothing of that."""
    page = opened(base, "now", width=1280, height=400)
    page.wait("document.querySelector('table.beacons')?.ariaRowCount === '32'")
    rows = "[...document.querySelectorAll('table.beacons tr[data-beacon]')]"
    shown = page.run(f"{rows}.length")
    check("only rows near the seen ones are elements", shown < 30, f"{shown} of 31")
    high = page.run(f"[document.querySelector('.rows-box').scrollHeight, new Set({rows}.map((one) => one.getBoundingClientRect().height)).size]")
    check("and all are as high as each other", high[1] == 1, high)
    page.run(f"{rows}[0].querySelector('a').focus()")
    visited = []
    for _ in range(31):
        visited.append(page.run("Number(document.activeElement.closest('tr')?.ariaRowIndex ?? 0)"))
        page.key("Tab")
        time.sleep(0.1)
    check("the keyboard comes through all, in their order", visited == list(range(2, 33)), visited)
    check("the last one is there then, and the height is as it was", page.run(f"[{rows}.at(-1).ariaRowIndex, {rows}.length < 31, Math.abs(document.querySelector('.rows-box').scrollHeight - {high[0]}) < 2]") == ["32", True, True])
    page.run("(() => { const box = document.querySelector('.rows-box'); [...box.querySelectorAll('tr[data-beacon] a')].at(-1).focus(); box.scrollTop = 0; })()")
    page.wait(f"{rows}[0].ariaRowIndex === '2'")
    check("who has the focus stays, wherever one looks", page.run("document.activeElement.closest('tr')?.ariaRowIndex") == "32")
    page.close()


def check_paper(opened, base, check):
    """The first view is a page of black on white, with all names."""
    page = opened(base, "plan", width=1280, height=900)
    page.prefer(dark=True)
    page.wait("document.querySelector('.plan-people a') !== null")
    page.run("addEventListener('beforeprint', () => { window.told = [document.querySelector('.paper')?.textContent, document.documentElement.dataset.theme]; })")
    pdf = base64.b64decode(page.send("Page.printToPDF", printBackground=False)["data"])
    told, theme = page.run("window.told")
    check("the first view of a family is one page", len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1 and theme == "light")
    check("with all names", all(one in told for one in beacons), told)
    check("and nothing of it stays on the screen", page.run("document.querySelector('.paper') === null && document.documentElement.dataset.theme === 'dark'"))
    page.close()


def check_unknown(opened, base, check, shot):
    """A stay of which nobody knows since when is not told as one since midnight; nor are the newest rows told as all."""
    page = opened(base, "settings", width=1280, height=900)
    page.send("Page.addScriptToEvaluateOnNewDocument", source="""{ const real = fetch; window.fetch = async (...asked) => {
        const reply = await real(...asked);
        if (!String(asked[0]?.url ?? asked[0]).includes('/visits?')) return reply;
        const visits = new Array(501).fill({ beacon: 'thing 1', room: 'hall', from: null, near_at: null, to: new Date().toISOString(), seconds: null, open: false, last_known: null, unwatched_s: 0 });
        return new Response(JSON.stringify({ visits, more: false }), { headers: { 'Content-Type': 'application/json' } });
      }; }""")
    page.reload()
    page.wait("!window.isOld && document.querySelector('main h1') !== null")
    page.run("location.hash = '#/diary'")
    page.wait("document.querySelector('.stay') !== null")
    told = page.run("[document.querySelector('.stay').dataset.since, document.querySelector('.stay').title, document.querySelector('.visits tbody').textContent.slice(0, 60)]")
    check("an unknown beginning is told and drawn as that", told[0] == "unknown" and "unknown since when" in told[1] and told[2].startswith("unknown since when"), told)
    told = page.run("[document.querySelectorAll('.visits tbody tr').length, document.querySelector('.diary-view').textContent.includes('The table has the newest 500; the CSV has all.'), [...document.querySelectorAll('.diary-view a[href*=csv]')].some((one) => one.href.includes('limit'))]")
    check("a table that is cut says so, and CSV is not cut", told == [500, True, False], told)
    shot(page, "unknown-1280-light")
    page.close()


def check_followed(gateway, opened, base, check, check_speech):
    """A plan that could not be had comes later; it stays with the thing that was asked for, and follows the file."""
    page = opened(base, "settings", width=1280, height=900)
    page.send("Page.addScriptToEvaluateOnNewDocument", source="""{ const real = fetch; window.asked = 0; window.fetch = async (...all) =>
        String(all[0]?.url ?? all[0]).endsWith('/api/v1/plan') && !window.asked++ ? new Response('{}', { status: 503 }) : real(...all); }""")
    page.reload()
    page.wait("!window.isOld && document.querySelector('main h1') !== null")
    page.run("location.hash = '#/plan/lost'")
    page.wait("document.querySelector('.plan > .problem')?.hidden === false")
    rooms = "[...document.querySelectorAll('.plan-titles .room-name')].map((one) => one.textContent)"
    page.wait(f"{rooms}.includes('hall') && document.querySelector('.plan > .problem').hidden")
    check("a plan that the gateway did not answer at first is asked for again", page.run("window.asked") == 2)
    page.wait("document.querySelector('.plan aside .status').textContent.startsWith('No beacon called lost')")
    check("a link to a thing that was not heard shows no other one", page.run("[document.getElementById('plan-beacon').value, document.querySelectorAll('.plan-people [data-chosen], .shares li').length]") == ["lost", 0])
    gateway.write("run.yaml", gateway.read("run.yaml").replace("name: hall,", "name: corridor,"))
    gateway.process.send_signal(signal.SIGHUP)
    page.wait(f"{rooms}.includes('corridor') && !{rooms}.includes('hall') && document.querySelector('.plan-people a[data-in=corridor]') !== null")
    check("an open plan has a room's new name once the file has it", True)
    check_speech(page, "a plan that follows")
    page.close()


def check_crowded(gateway, browser, opened, check, check_speech, shot):
    gateway.configuration = configuration(gateway)
    base = gateway.start()
    Household(gateway)
    now, taken = opened(base, "now", width=1280, height=900), [0]

    def count(message):
        if message.get("sessionId") == now.session and message.get("method") == "Network.dataReceived":
            taken[0] += message["params"]["dataLength"]
    now.wait("document.querySelector('.line[data-room=studio] .more')?.textContent.startsWith('+')")
    now.wait("document.querySelector('table.beacons')?.ariaRowCount === '32'")
    settled = time.monotonic()
    browser.listeners.append(count)
    now.send("Performance.enable")
    time.sleep(6)
    metrics = lambda: {one["name"]: one["value"] for one in now.send("Performance.getMetrics")["metrics"]}
    before, bytes_before, start = metrics(), taken[0], time.monotonic()
    animated = set()
    while time.monotonic() - start < 6:
        animated |= set(now.run("document.getAnimations().map((one) => one.transitionProperty ?? one.animationName)"))
        time.sleep(0.2)
    passed, after = time.monotonic() - start, metrics()
    browser.listeners.remove(count)
    layouts = (after["LayoutCount"] - before["LayoutCount"]) / passed
    check("the page rests: a few layouts a second, and nothing that needs one is animated", layouts < 10 and not animated & {"left", "width"}, f"{layouts:.1f} a second, {animated}")
    rate = (taken[0] - bytes_before) / passed / 1000
    check("thirty beacons take less than 10 kB a second", 0 < rate < 10, f"{rate:.1f} kB/s")

    told, real = now.run("""(async () => {
        const { store } = await import(new URL('assets/store.js', location.href.split('#')[0]));
        const whole = await (await fetch('api/v1/overview')).json(), members = (places, key) => places.map((one) => [one[key], one.beacons.map((each) => each.beacon).sort()]);
        return [store.overview, whole].map((one) => JSON.stringify([members(one.rooms, 'room'), members(one.zones, 'zone'), one.beacons.map((each) => each.beacon).sort()]));
      })()""")
    check("what was put together from changes is what the gateway says", told == real, f"{told[:200]} {real[:200]}" if told != real else "")
    height = now.run("document.documentElement.scrollHeight")
    check("thirty beacons are two or three screens", height < 2700, f"{height} px")
    headline = now.run("document.querySelector('.headline').textContent")
    check("rooms are not counted twice", headline == "30 beacons in 5 rooms.", headline)
    broken = """[...document.querySelectorAll('main a')].filter((node) => {
        const text = node.firstChild;
        if (text?.nodeType !== 3 || !node.getClientRects().length) return false;
        return [...text.data.matchAll(/\\p{L}{2,}/gu)].some((word) => {
            const range = document.createRange(); range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);
            return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
        });
      }).map((node) => node.textContent)"""
    for width, most in ((1280, 2700), (390, 4000)):
        page = opened(base, "now", width=width, height=844)
        page.wait("document.querySelector('table.beacons tr[data-beacon]') !== null")
        found, height = page.run(broken), page.run("document.documentElement.scrollHeight")
        check(f"no name is broken at {width} px, and the page is short", not found and height < most, f"{found[:3]}, {height} px")
        page.close()

    # -- Who is in a line, who is found, and what is kept through a reload.
    now.run("document.querySelector('.line[data-room=studio] .more').click()")
    now.wait("document.querySelectorAll('.line[data-room=studio] .members li').length > 12")
    check("a click on the number lists them all, and the keyboard stays there", now.run("document.activeElement.matches('.line[data-room=studio] .fold')"))
    now.run("(() => { const field = document.querySelector('.table-bar input'); field.value = 'donau'; field.dispatchEvent(new Event('input')); })()")
    now.wait("document.querySelectorAll('table.beacons tr[data-beacon]').length === 1")
    now.reload()
    now.wait("!window.isOld && document.querySelectorAll('table.beacons tr[data-beacon]').length === 1 && document.querySelector('.line[data-room=studio] .members li') !== null")
    check("a reload keeps the search and what is unfolded", now.run("document.querySelector('.table-bar input').value") == "donau")
    now.run("""(() => { const [field, filter] = document.querySelectorAll('.table-bar :is(input, select)'); field.value = ''; field.dispatchEvent(new Event('input'));
        filter.value = 'unheard'; filter.dispatchEvent(new Event('change')); })()""")
    now.wait("document.querySelectorAll('table.beacons tr[data-beacon]').length === 1")
    check("who was never heard is found", now.run("document.querySelector('table.beacons tr[data-beacon]').dataset.beacon") == "lost")
    shot(now, "crowded-1280-light")

    # -- The plan.
    plan = opened(base, "", width=1280, height=900)
    plan.wait("document.querySelector('.plan-rooms [data-room=studio] .more')?.getClientRects().length > 0")
    check("who has rooms sees the plan first", plan.run("document.querySelector('main h1').textContent") == "Plan")
    check_dots(plan, opened, base, check, shot)
    plan.run("document.querySelector('.plan-rooms [data-room=studio] .more').click()")
    plan.wait("document.querySelectorAll('.everybody .members li').length > 12")
    plan.wait("[...document.querySelectorAll('.everybody .members li')].every((one) => /there for .*entered: ./s.test(one.textContent))")
    check("the plan hides nobody: the number lists them all, with since when and why", True, plan.run("document.querySelector('.everybody h2').textContent"))
    shot(plan, "crowded-plan-1280-light")
    wide = lambda: plan.run("document.querySelector('.plan-rooms [data-room=studio]').getBoundingClientRect().width")
    plan.run("scrollTo(0, 0)")
    x, y, was = *plan.run("(({ x, y, width, height }) => [x + width / 6, y + height / 4])(document.querySelector('.canvas-box canvas').getBoundingClientRect())"), wide()
    plan.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
    plan.wait(f"document.querySelector('.plan-rooms [data-room=studio]').getBoundingClientRect().width > {was} + 20")
    plan.drag([x, y], [x - 60, y])
    shot(plan, "crowded-zoom-1280-light")
    plan.run("[...document.querySelectorAll('.zooms button')].find((one) => one.textContent === 'Show all').click()")
    plan.wait(f"document.querySelector('.plan-rooms [data-room=studio]').getBoundingClientRect().width === {was}")
    check("the wheel zooms into the plan, and all of it comes back", True)
    plan.send("Runtime.evaluate", expression="[...document.querySelectorAll('.zooms button')].find((one) => one.textContent === 'Full screen').click()", userGesture=True)
    plan.wait("document.fullscreenElement?.matches('.plan') && document.querySelector('.plan aside').getClientRects().length === 0")
    plan.run("document.exitFullscreen()")
    plan.wait("document.fullscreenElement === null")
    check("the plan fills the screen", True)
    plan.run("(() => { const choice = document.getElementById('plan-beacon'); choice.value = 'thing 7'; choice.dispatchEvent(new Event('input')); })()")
    plan.wait("document.querySelector('.plan-people [data-chosen]')?.dataset.beacon === 'thing 7'")
    plan.reload()
    plan.wait("!window.isOld && document.getElementById('plan-beacon')?.value === 'thing 7'")
    check("a reload keeps the plan's beacon", True)

    check_rows(opened, base, check)
    check_paper(opened, base, check)
    check_unknown(opened, base, check, shot)

    # -- Addresses of nothing.
    for route, words in (("beacon/nobody", "No beacon called nobody is configured"), ("zone", "no such view"), ("phone/anna", "no such view")):
        page = opened(base, route)
        page.wait(f"document.querySelector('main')?.innerText.includes('{words}')")
        asked = len(page.requests)
        time.sleep(4)
        check(f"{route} says what it is not, under a heading, and does not ask again", page.run("document.querySelector('main h1').textContent") != "" and len(page.requests) == asked)
        page.close()

    # -- The plan at another time.
    time.sleep(max(0, settled + 65 - time.monotonic()))
    slide = lambda minutes: plan.run(f"(() => {{ const slider = document.querySelector('.plan-time input[type=range]'); slider.value = {minutes}; slider.dispatchEvent(new Event('input')); }})()")
    many = "document.querySelector('.plan-rooms [data-room=studio] .more')?.getClientRects().length > 0"
    slide(-1)
    plan.wait(f"document.querySelector('.plan-time output').textContent.startsWith('As it was at') && {many} && document.querySelector('.plan aside').hidden")
    shot(plan, "crowded-then-1280-light")
    plan.run("document.querySelector('.plan-rooms [data-room=studio] .more').click()")
    plan.wait("document.querySelectorAll('.everybody .members li').length > 5")
    told, due = plan.run("""(async () => {
        const { duration } = await import(new URL('assets/figures.js', location.href.split('#')[0])), told = document.querySelector('.everybody .members li');
        const at = Date.parse(`${new Date().toDateString()} ${document.querySelector('.plan-time output').textContent.match(/[\\d:]+$/)[0]}`);
        const asked = new URLSearchParams({ beacon: told.dataset.beacon, place: 'studio', since: new Date(at).toISOString(), until: new Date(at + 1000).toISOString() });
        const [visit] = (await (await fetch(`api/v1/visits?${asked}`)).json()).visits;
        return [told.textContent, [0, 1000, 2000].map((more) => `there for ${duration(at + more - Date.parse(visit.from))}`)];
      })()""")
    check("how long somebody was there counts until the chosen time", any(one in told for one in due), f"{told}, {due}")
    slide(-600)
    plan.wait("document.querySelectorAll('.plan-people a').length === 0")
    plan.run("document.querySelector('.plan-time button').click()")
    plan.wait(f"document.querySelector('.plan-time output').textContent === '' && {many}")
    check("the plan shows who was where at another time, and goes back to now", True)
    # -- A zone's distances on the plan.
    plan.run("location.hash = '#/zone/sofa'")
    plan.wait("document.querySelectorAll('.rings .ring').length === 4 && document.querySelector('.try').dataset.state === 'decided'")
    field, ring = "Number(document.querySelector('[data-field=\"enter.threshold\"]').value)", "document.querySelector('.ring[data-line=enter]')"
    plan.run(f"{ring}.scrollIntoView({{ block: 'center' }})")
    right = plan.run(f"(() => {{ const box = {ring}.getBoundingClientRect(); return [box.right, box.y + box.height / 2, box.width / 2]; }})()")
    plan.drag(right[:2], [right[0] + right[2] / 4, right[1]])
    plan.wait(f"{field} > 2.2 && document.querySelector('.try').dataset.state === 'decided'")
    check("a ring that is dragged tries its distance", plan.run(f"{field} === 2.5 && document.querySelector('.yaml pre').textContent.includes('2.5 m')"), plan.run("document.querySelector('.yaml pre').textContent"))
    plan.run("document.querySelector('.rings').scrollIntoView({ block: 'end' })")
    shot(plan, "crowded-rings-1280-light")
    small = opened(base, "zone/sofa", width=390, height=844)
    small.wait("document.querySelectorAll('.rings .ring').length === 4")
    check("rings fit on a phone", small.run("[...document.querySelectorAll('.rings :is(text, .ring)')].every((one) => { const box = one.getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth; })"))
    small.run("document.querySelector('.rings').scrollIntoView({ block: 'end' })")
    shot(small, "crowded-rings-390-light")
    small.close()

    check_followed(gateway, opened, base, check, check_speech)
    check_left(gateway, opened, base, check)
    for page in (now, plan):
        check_speech(page, "a family")
    gateway.stop()
