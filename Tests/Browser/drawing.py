"""The plan is drawn in the browser: rooms by dragging and by clicks, a receiver dragged in, steps back, a draft that outlives the page, a
review of the file's change, and a beacon in the room that was drawn."""
import base64, json, threading, time, urllib.request

flat = """gateway: {{ name: flat, state_directory: {folder}/state }}
broker: embedded
receivers:
  - {{ name: west }}                             # by the window
  - {{ name: east, position: [700 cm, 2 m] }}    # on the shelf
beacons:
  - {{ name: key, address: "C1:00:00:00:00:01" }}     # on the ring
# One room so far.
rooms:
  - {{ name: hall, receivers: [east] }}          # no outline yet
zones: [{{ name: home }}, {{ name: out, room: hall }}]
http: {{ listen: "127.0.0.1:0", write_password_file: {password} }}
"""


class Key:
    """Lies in the west, and is heard there."""

    def __init__(self, gateway):
        self.gateway = gateway
        threading.Thread(target=self._lie, daemon=True).start()

    def _lie(self):
        try:
            while True:
                for receiver, level in (("west", -48), ("east", -78)):
                    self.gateway.hear(receiver, "C1:00:00:00:00:01", level)
                time.sleep(0.3)
        except (BrokenPipeError, ValueError):
            pass


class Board:
    """What a hand does on the board."""

    def __init__(self, page):
        self.page = page

    def point(self, x, y):
        """Where a share of the board is, px."""
        box = self.page.run("(({ x, y, width, height }) => [x, y, width, height])(document.querySelector('.board').getBoundingClientRect())")
        return [box[0] + x * box[2], box[1] + y * box[3]]

    def drag(self, start, end):
        self.page.drag(start, end)

    def click(self, at):
        for kind in ("mousePressed", "mouseReleased"):
            self.page.mouse(kind, *at, button="left", clickCount=1)

    def middle(self, selector):
        return self.page.wait(f"(() => {{ const r = document.querySelector({json.dumps(selector)})?.getBoundingClientRect(); return r && [r.x + r.width / 2, r.y + r.height / 2]; }})()")

    def control(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.page.send("Input.dispatchKeyEvent", type=kind, key=key, code="KeyZ", modifiers=2 + 8 * shift, windowsVirtualKeyCode=90)

    def type(self, text):
        self.page.send("Input.insertText", text=text)

    def press(self, text):
        """The button that says so."""
        self.page.run(f"[...document.querySelectorAll('.draw button')].find((one) => one.textContent === {json.dumps(text)} && one.getClientRects().length).click()")

    def save(self, gateway, sign, least):
        """Reviews the file's change, which has more than so many lines with this sign, and saves it. Returns the new file."""
        before = gateway.read("run.yaml")
        self.press("Review")
        self.page.wait(f"document.querySelector('dialog').open && document.querySelectorAll('.review pre [data-kind=\"{sign}\"]').length > {least}")
        self.press("Save")
        # The page still says of the former drawing that it was saved.
        for _ in range(300):
            if (after := gateway.read("run.yaml")) != before:
                break
            time.sleep(0.1)
        return after

    def labels(self, kind):
        return self.page.run(f"[...document.querySelectorAll('.board [data-kind={kind}]')].map((one) => one.getAttribute('aria-label'))")


def check_floors(page, board, gateway, check, shot):
    """A second floor, and a receiver there before its room is drawn."""
    before = gateway.read("run.yaml")
    page.size(1280, 900)
    board.press("Add a floor")
    page.wait("document.activeElement.dataset.field === 'name'")
    board.type("Attic")
    page.key("Enter")
    tabs = "[...document.querySelectorAll('.draw .tabs button')].map((one) => [one.textContent, one.ariaPressed])"
    page.wait(f"JSON.stringify({tabs}) === JSON.stringify([['ground floor', 'false'], ['Attic', 'true']])")
    check("a floor is added and named, and the first one has a name, too", page.run("document.querySelectorAll('.board .room').length") == 0)
    shot(page, "draw-floor-1280-light")
    found = page.run("""(async () => {
        const { adopt, fromFile, place, addRoom, request } = await import(new URL('assets/draw-plan.js', location.href.split('#')[0]));
        const plan = { floors: [{ floor: 'ground', height: 0 }, { floor: 'attic', height: 3 }], rooms: [], doors: [], receivers: [{ receiver: 'loft', position: null }] }, { now, formers } = fromFile(plan), base = structuredClone(now);
        const isPossible = place(now, 'loft', [1, 1], 'attic', ['ground', 'attic']), waits = request(now, base, formers).receivers.length;
        const id = addRoom(now, 'store', 'attic', [[0, 0], [2, 0], [2, 2], [0, 2]]), room = now.rooms.find((one) => one.id === id);
        adopt(now, room);
        return [isPossible, waits, room.receivers, request(now, base, formers).receivers.length];
      })()""")
    check("a receiver upstairs is placed before its room is drawn, and is in it then", found == [True, 0, ["loft"], 1], found)
    after = board.save(gateway, "+", 2)
    comments = [line[line.index("#"):] for line in before.splitlines() if "#" in line]
    check("the file has both floors, each room says on which it is, and comments stayed", "name: Attic" in after and "height: 2.8 m" in after and after.count('floor: "ground floor"') == 2 and all(one in after for one in comments), after)
    page.wait("!document.querySelector('dialog').open && [...document.querySelectorAll('.draw .tabs button')].length === 2")
    shows = "[...document.querySelectorAll('.draw button')].some((one) => one.textContent === 'Delete the floor' && one.getClientRects().length)"
    board.press("ground floor")
    page.wait("document.querySelector('.draw [data-field=name]')?.value === 'ground floor'")
    check("the first floor of the file cannot be deleted", not page.run(shows))
    board.press("Attic")
    page.wait(shows)
    board.press("Delete the floor")
    after = board.save(gateway, "-", 0)
    check("then it is gone from the file, and comments stayed", "Attic" not in after and "name: ground floor" in after.replace('"', "") and all(one in after for one in comments), after)


def check_drawing(gateway, opened, check, check_speech, shot, inspect):
    gateway.configuration = flat.format(folder=gateway.folder, password=gateway.password)
    base = gateway.start()
    Key(gateway)
    before = gateway.read("run.yaml")
    page = opened(base, "plan", width=1280, height=900)
    board = Board(page)
    page.wait("document.querySelector('a.as-button')?.getClientRects().length > 0")
    check("what draws is not loaded before somebody draws", not any("draw.js" in url for url in page.requests))
    page.run("document.querySelector('a.as-button').click()")
    page.wait("document.querySelector('.draw a[href*=login]') !== null")
    check("who may only look is told before drawing", page.run("document.querySelector('.board').getClientRects().length") == 0)
    page.run("document.querySelector('.draw a[href*=login]').click()")
    page.wait("document.getElementById('password') !== null")
    page.run("(() => { const field = document.getElementById('password'); field.value = 'open sesame'; field.form.requestSubmit(); })()")
    page.wait("document.querySelector('.draw .chip[data-receiver=west]') !== null && document.querySelector('.board').dataset.tool === 'room'")

    # -- A rectangle, and its name.
    board.drag(board.point(0.15, 0.2), board.point(0.45, 0.7))
    page.wait("document.querySelector('.board .room') !== null")
    page.wait("document.activeElement.dataset.field === 'name'")
    board.type("kitchen")
    page.key("Enter")
    page.wait("document.querySelector('.board [data-kind=room]')?.getAttribute('aria-label').startsWith('kitchen, ')")
    check("a rectangle is a room with a name", board.labels("room")[0].startswith("kitchen, ") and board.labels("room")[0].endswith("4 corners"), board.labels("room"))
    # -- A room that the file has, corner by corner, beside it.
    page.run("[...document.querySelectorAll('.draw aside button')].find((one) => one.textContent === 'hall').click()")
    for x, y in ((0.451, 0.2), (0.75, 0.205), (0.752, 0.45), (0.85, 0.45), (0.85, 0.7), (0.451, 0.701), (0.451, 0.2)):
        board.click(board.point(x, y))
    page.wait("document.querySelectorAll('.board .room').length === 2")
    check("clicks make a room with right angles, which begins at the other's wall", any(one.startswith("hall, ") and one.endswith("6 corners") for one in board.labels("room")), board.labels("room"))

    # -- A receiver.
    board.drag(board.middle(".chip[data-receiver=west]"), board.point(0.2, 0.6))
    page.wait("document.querySelector('.board .receiver[data-id=west]') !== null")
    check("a receiver is dragged onto the plan", len(board.labels("receiver")) == 2, board.labels("receiver"))
    shot(page, "draw-1280-light")
    board.control("z")
    page.wait("document.querySelector('.board .receiver[data-id=west]') === null")
    board.control("Z", shift=True)
    page.wait("document.querySelector('.board .receiver[data-id=west]') !== null")
    check("undo takes it back, and redo puts it there again", True)

    # -- By keys.
    page.run("document.querySelector('.board .room[aria-label^=kitchen]').focus()")
    page.key("Enter")
    page.wait("document.querySelectorAll('.board .corner').length === 4")
    page.run("document.querySelector('.board .corner').focus()")
    was = board.labels("corner")[0]
    page.key("ArrowLeft", shift=True)
    page.wait(f"document.querySelector('.board .corner').getAttribute('aria-label') !== {json.dumps(was)}")
    now = board.labels("corner")[0]
    east = lambda label: float(label.split(": ")[1].split(" m")[0])
    check("a corner moves by a metre, and what is said is where it is", abs(east(was) - east(now) - 1) < 0.01 and page.run("document.querySelector('.draw > [role=status]').textContent") == now, f"{was}; {now}")
    page.key("ArrowRight")
    page.wait(f"document.querySelector('.board .corner').getAttribute('aria-label') !== {json.dumps(now)}")
    check("and by ten centimetres", abs(east(board.labels("corner")[0]) - east(now) - 0.1) < 0.01, board.labels("corner")[0])

    # -- The draft.
    drawn = board.labels("room")
    page.reload()
    page.wait("!window.isOld && document.querySelector('.draft')?.hidden === false")
    check("the draft outlives the page", "A draft of" in page.run("document.querySelector('.draft').textContent") and page.run("document.querySelector('.draw-body').inert"), page.run("document.querySelector('.draft').textContent"))
    board.press("Go on with it")
    page.wait("document.querySelectorAll('.board .room').length === 2")
    check("and is as it was", board.labels("room") == drawn, board.labels("room"))

    # -- Somebody else changes a name in the file meanwhile.
    def put(path, body):
        request = urllib.request.Request(f"{base}api/v1/{path}", json.dumps(body).encode(), method="PUT", headers={
            "Content-Type": "application/json", "Authorization": "Basic " + base64.b64encode(b":open sesame").decode()})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)
    revision = page.run("(async () => (await (await fetch('api/v1/overview')).json()).configuration_revision)()")
    put("zones/home", {"exit": {"dwell_s": 7}, "revision": revision})
    page.wait(f"(async () => (await (await fetch('api/v1/overview')).json()).configuration_revision !== '{revision}')()")
    theirs = gateway.read("run.yaml")
    time.sleep(1.5)
    board.press("Review")
    page.wait("document.querySelector('.draw > div > .status')?.textContent.includes('changed meanwhile')")
    # The browser itself tells of the answer.
    page.errors[:] = [one for one in page.errors if "409" not in one]
    board.press("Review")
    page.wait("document.querySelector('dialog').open && document.querySelectorAll('.review pre [data-kind=\"+\"]').length > 2")
    check("the review shows the change of the file, over what somebody else has saved", "+" in page.run("document.querySelector('.review pre').textContent") and gateway.read("run.yaml") == theirs, page.run("document.querySelector('.review pre').textContent"))
    shot(page, "draw-review-1280-light")
    board.press("Save")
    page.wait("document.querySelector('.draw > div > .status')?.textContent === 'Saved and loaded.'")
    after = gateway.read("run.yaml")
    comments = [line[line.index("#"):] for line in before.splitlines() if "#" in line]
    check("the file has the outlines, and its comments stayed", after.count("outline: [[") == 2 and "name: kitchen" in after and "dwell: 7 s" in after
          and "position: [700 cm, 2 m]" in after and all(one in after for one in comments), after)
    plan = opened(base, "plan", width=1280, height=900)
    plan.wait("document.querySelector('.plan-people a[data-in=kitchen]')?.textContent.includes('key')")
    check("the beacon is in the room that was drawn", True)
    shot(plan, "drawn-1280-light")
    check("nothing is left of the draft", page.run("Object.keys(localStorage).filter((one) => one.startsWith('draft')).length") == 0)

    # -- How it looks, and a finger.
    for width, dark in ((1280, True), (390, False), (390, True)):
        page.size(width, 844 if width < 500 else 900)
        page.prefer(dark)
        page.run("scrollTo(0, 0)")
        time.sleep(0.5)
        board.press("Show all")
        if width < 500 and not dark:
            page.send("Emulation.setTouchEmulationEnabled", enabled=True)
            # On a busy machine the drawing may still move to its new size.
            for _ in range(10):
                spot, end = board.middle(".board .room"), time.monotonic() + 5
                page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": spot[0], "y": spot[1]}])
                page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
                while not (isChosen := page.run("document.querySelectorAll('.board .corner').length >= 4")) and time.monotonic() < end:
                    time.sleep(0.1)
                if isChosen:
                    break
            check("a finger chooses a room", isChosen)
            least = page.run("Math.min(...[...document.querySelectorAll('.board :is(.corner, .wall) .hit')].flatMap((one) => { const box = one.getBoundingClientRect(); return [box.width, box.height]; }))")
            check("a finger selects a room, whose handles are large enough", least >= 24, f"{least:.0f} px")
        found = page.run(inspect)
        theme = "dark" if dark else "light"
        check(f"draw, {width} px, {theme}: names and contrast", not found["finds"], "; ".join(found["finds"][:4]))
        shot(page, f"draw-{width}-{theme}")
    check_floors(page, board, gateway, check, shot)
    check_speech(page, "drawing")
    check_speech(plan, "what was drawn")
    gateway.stop()
