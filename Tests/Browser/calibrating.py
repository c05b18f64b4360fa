"""Calibrating in the page: a walk through two rooms, marks by taps and by names, what is learnt, saved and taken back."""
import os, threading, time

flat = """gateway: {{ name: flat, state_directory: {folder}/state }}
broker: embedded
receivers:
  - {{ name: west, position: [0.5 m, 2 m] }}
  - {{ name: middle, position: [4 m, 0.5 m] }}
  - {{ name: east, position: [7.5 m, 2 m] }}
beacons:
  - {{ name: key, address: "C1:00:00:00:00:01" }}     # on the ring
zones: [{{ name: home }}]
rooms:
  - {{ name: kitchen, receivers: [west, middle], outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m], [0 m, 4 m]] }}
  - {{ name: hall, receivers: [east], outline: [[4 m, 0 m], [8 m, 0 m], [8 m, 4 m], [4 m, 4 m]] }}
doors: [{{ from: [4 m, 1.5 m], to: [4 m, 2.5 m] }}]
http: {{ listen: "127.0.0.1:0", write_password_file: {password} }}
"""
# The receiver in the east hears 8 dB more than the others.
levels = {"kitchen": (-52, -66, -72), "hall": (-80, -66, -44)}


# A walk has to be longer than this before it says how good its calibration is, s.
enough = 66


class Walker:
    """Carries the key, in the room that `room` says; a beacon, a sensor and a phone of strangers stay where they are."""

    def __init__(self, gateway):
        self.gateway, self.room, self.isEnded = gateway, "kitchen", False
        threading.Thread(target=self._walk, daemon=True).start()

    def _walk(self):
        turn = 0
        try:
            while not self.isEnded:
                turn += 1
                for receiver, level in zip(("west", "middle", "east"), levels[self.room]):
                    self.gateway.hear(receiver, "C1:00:00:00:00:01", level + turn % 3 - 1)
                if turn % 3 == 0:
                    self.gateway.hear("west", "C4:00:00:00:00:09", -45, "0201061aff4c000215aa9dc74adbbd12de318ac8b046dd442500010009c5")
                    self.gateway.hear("west", "C4:00:00:00:00:0A", -70, "0201060716d2fc4002ca09")
                    self.gateway.hear("west", "5A:00:00:00:00:0B", -80, "0201060aff4c0010050118000000")
                time.sleep(0.1)
        except (BrokenPipeError, ValueError):
            pass


class FlatWalk:
    """Goes on while other things are tried: `go` to the other room, `finish` once it was long enough."""

    def __init__(self, gateway, opened, check, shot):
        self.gateway, self.opened, self.check, self.shot = gateway, opened, check, shot
        self.page, self.walker = begin(gateway, opened, check)
        self.began = time.monotonic()

    def go(self, name):
        self.walker.room = name
        self.page.run(f"{room(name)}.click()")
        self.page.wait(f"{room(name)}.getAttribute('aria-pressed') === 'true'")

    def finish(self):
        while time.monotonic() < self.began + enough:
            self.go("kitchen" if self.walker.room == "hall" else "hall")
            time.sleep(6)
        now = self.opened(self.page.base, "now")
        told = lambda name: f"document.querySelector('[data-receiver={name}] .note')?.textContent"
        now.wait(f"/hears [1-9] dB more than expected/.test({told('east')})")
        self.check("a receiver that hears more than the others is told", "more" not in now.run(told("middle")), now.run(told("east")))
        self.shot(now, "gains-1280-light")
        now.close()
        calibrate(self.page, self.gateway, self.check, self.shot)
        return self.page


def button(text):
    return f"[...document.querySelectorAll('.calibrate button')].find((one) => one.textContent.trim() === '{text}')"


def room(name):
    return f"[...document.querySelectorAll('button.room')].find((one) => one.textContent.startsWith('{name}'))"


def begin(gateway, opened, check):
    gateway.configuration = flat.format(folder=gateway.folder, password=gateway.password)
    base = gateway.start()
    walker = gateway.walker = Walker(gateway)
    page = opened(base, "plan", width=1280, height=900)
    page.wait("document.querySelector('.calibrate a')?.hidden === false")
    check("who may only look is asked to log in before calibrating", page.run("document.querySelector('.calibrate .main').hidden"))
    page.run("document.querySelector('.calibrate a').click()")
    page.wait("document.getElementById('password') !== null")
    page.run("(() => { const field = document.getElementById('password'); field.value = 'open sesame'; field.form.requestSubmit(); })()")
    page.wait(f"{button('Begin with key')}?.hidden === false && !{button('Begin with key')}.disabled")
    page.run(f"{button('Begin with key')}.click()")
    page.wait(f"{room('kitchen')} != null")
    check("a room that was not walked through is missing", "missing" in page.run(f"{room('kitchen')}.textContent"))
    page.wait("document.querySelector('.walking .status').textContent.includes('is heard')")

    def tap(x, y):
        """At a place of the plan, metres; the drawing's scale is found by the outer walls."""
        spot = page.run(f"""(() => {{ const box = document.querySelector('.drawing canvas').getBoundingClientRect(), rem = parseFloat(getComputedStyle(document.documentElement).fontSize), margin = rem * 1.8;
          const scale = Math.min((box.width - 2 * margin) / 8, (box.height - 2 * margin - rem) / 4), left = (box.width - 8 * scale) / 2, low = box.height - rem - (box.height - rem - 4 * scale) / 2;
          return [box.x + left + {x} * scale, box.y + low - {y} * scale]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            page.mouse(kind, *spot, button="left", clickCount=1)

    tap(1, 2)
    page.wait(f"{room('kitchen')}.getAttribute('aria-pressed') === 'true'")
    dot = page.wait("""(() => { const dot = document.querySelector('.plan-people [data-chosen]'), box = dot?.getBoundingClientRect(), all = document.querySelector('.drawing canvas').getBoundingClientRect();
      // At first, and with the plan itself, it moves at once.
      return box?.width > 0 && getComputedStyle(dot).transitionProperty === 'transform' && { share: (box.x + 6 - all.x) / all.width }; })()""")
    check("the key's dot is in the kitchen, and moves without layout", 0 < dot["share"] < 0.5, dot)
    check("a tap on the plan marks the room there", True)
    page.wait(f"/^kitchen[1-9]/.test({room('kitchen')}.textContent)")
    tap(2.5, 3)
    return page, walker


def calibrate(page, gateway, check, shot):
    # A page behind others asks less often.
    page.wait("![...document.querySelectorAll('button.room')].some((one) => one.textContent.includes('missing'))")
    shot(page, "calibrating-1280-light")
    page.run(f"{button('Calibrate')}.click()")
    page.wait("document.querySelector('.result')?.hidden === false")
    page.wait("document.querySelector('.result .status').textContent !== ''")
    told = page.run("document.querySelector('.result .status').textContent")
    check("it tells how often rooms are right with the walk and without", "Rooms are right" in told, told)
    rows = page.run("[...document.querySelectorAll('.result tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))")
    check("each part has its figures, on stretches that were left out", len(rows) == 3 and all("%" in row[0] and "real" in row[1] for row in rows)
          and page.run("document.querySelector('.result table').hidden === false"), rows)
    page.run("document.querySelector('.result').scrollIntoView()")
    shot(page, "calibration-figures-1280-light")
    before = gateway.read("run.yaml")
    page.run(f"{button('Save')}.click()")
    page.wait(f"{button('Undo')}.hidden === false")
    calibration = f"{gateway.folder}/rooms.json"
    check("Save writes the calibration beside the configuration, and names it there",
          os.path.exists(calibration) and gateway.read("run.yaml") == before + "calibration: rooms.json\n" and "# on the ring" in before)
    page.wait("document.querySelector('.calibrate').textContent.includes('Saved as')")
    shot(page, "calibrated-1280-light")
    page.run(f"{button('Undo')}.click()")
    page.wait(f"{button('Undo')}.hidden")
    check("Undo takes both back", not os.path.exists(calibration) and gateway.read("run.yaml") == before)
    page.run(f"{button('End')}.click()")
    page.wait(f"{button('Begin with key')}.hidden === false")
