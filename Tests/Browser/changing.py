"""Changing a zone in the page: only for who has the password, only what was asked for, only over what the form was filled with; and back
again."""
import base64, json, urllib.request


def change_a_zone(page, other, gateway, check):
    """`other` is a page that shows all zones."""
    page.wait("document.querySelector('.try')?.dataset.state === 'decided'")
    save = "[...document.querySelectorAll('.try button')].find((one) => one.textContent === 'Save')"
    undo = "[...document.querySelectorAll('.try button')].find((one) => one.textContent === 'Undo')"
    check("who may only look is offered no Save", page.run(f"{save}.hidden"))
    page.wait("!document.querySelector('.login-link').hidden")
    page.run("document.querySelector('.login-link').click()")
    for password in ("sesame", "open sesame"):
        page.wait("document.getElementById('password') !== null")
        page.run(f"(() => {{ const field = document.getElementById('password'); field.value = '{password}'; field.form.requestSubmit(); }})()")
        if password == "sesame":
            page.wait("document.querySelector('.login .problem') !== null && !document.querySelector('.login .problem').hidden")
            check("a wrong password is told", "password" in page.run("document.querySelector('.login .problem').textContent"),
                  page.run("document.querySelector('.login .problem').textContent"))
    page.wait("document.querySelector('.try')?.dataset.state === 'decided'")
    page.wait(f"!{save}.hidden")
    check("the login leads back to where it was asked for", page.run("location.hash") == "#/zone/pump-3", page.run("location.hash"))

    said = "document.querySelector('.yaml [role=status]').textContent"
    lines = "document.querySelector('.file-lines').textContent"
    wrong = "document.querySelector('.try .problem')"
    field = lambda name: f"document.querySelector('[data-field=\"{name}\"]')"
    put = lambda name, value: page.run(f"(() => {{ const field = {field(name)}; field.value = '{value}'; field.dispatchEvent(new Event('input')); }})()")

    def typed(name, text):
        """As a person types it: the browser decides what of it is a number."""
        page.run(f"{field(name)}.focus(); {field(name)}.select()")
        page.send("Input.insertText", text=text)

    def saved(what):
        """Saves, and waits until what was saved is in use."""
        page.wait(f"!{save}.disabled && document.querySelector('.try').dataset.state === 'decided'")
        page.run(f"{save}.click()")
        page.wait(f"/^Saved and loaded|changed meanwhile/.test({said})")
        if "changed meanwhile" in page.run(said):
            # It had not heard of somebody else's change. Now it has, and it is of something else.
            page.wait(f"!{save}.disabled")
            page.run(f"{save}.click()")
            page.wait(f"{said}.startsWith('Saved and loaded.')")
        check(f"{what}: it says what the file says", page.run(lines).strip() and all(line in gateway.read("run.yaml") for line in page.run(lines).splitlines()), page.run(lines))

    def undone():
        page.run(f"{undo}.click()")
        page.wait(f"{said} === 'The former numbers are back.'")

    before = gateway.read("run.yaml")
    for text, reason in (("1e", "no number"), ("-", "no number"), ("", "missing")):
        name = "enter.threshold" if text else "enter.dwell_s"
        typed(name, text) if text else put(name, "")
        page.wait(f"!{wrong}.hidden")
        put("exit.dwell_s", "7")
        check(f"what is no number is told and cannot be saved: {text or 'nothing'}", page.run(f"{save}.disabled") and reason in page.run(f"{wrong}.textContent")
              and page.run(f"{field(name)}.getAttribute('aria-invalid')") == "true", page.run(f"{wrong}.textContent"))
        page.run("[...document.querySelectorAll('.try button')].find((one) => one.textContent === 'As configured').click()")
        page.wait(f"{wrong}.hidden && document.querySelector('.try').dataset.state === 'decided'")
        check("and as configured takes its place", page.run(f"[{field('enter.threshold')}, {field('enter.dwell_s')}].map((one) => one.value + one.validity.badInput)") == ["6false", "2false"])
    put("enter.threshold", "")
    page.wait(f"{wrong}.hidden && document.querySelector('.try').dataset.state === 'decided' && document.querySelector('.try .yaml pre').textContent !== ''")
    check("an empty field means heard at all, as it says", "signal: -127 dBm" in page.run("document.querySelector('.try .yaml pre').textContent"), page.run("document.querySelector('.try .yaml pre').textContent"))
    check("nothing of all that is in the file", gateway.read("run.yaml") == before)

    put("enter.threshold", "5.5")
    saved("a threshold")
    after = gateway.read("run.yaml")
    check("Save changes one line of the file, and keeps its comments", "5.5 m" in after and "# a region: every van" in after
          and sum(a != b for a, b in zip(before.splitlines(), after.splitlines())) == 1, page.run(said))
    other.wait("[...document.querySelectorAll('[data-zone=\"pump-3\"] .tick[data-line=enter]')].some((tick) => tick.textContent === '5.5')")
    check("the other page shows it at once", True)
    undone()
    check("Undo brings the former file back", gateway.read("run.yaml") == before)

    page.wait(f"{field('hci0.exponent')} !== null")
    put("hci0.exponent", "2.6")
    page.wait("document.querySelector('.try').dataset.state === 'decided'")
    check("the lines to copy have a receiver's exponent, too", "exponent: 2.6" in page.run("document.querySelector('.try .yaml pre').textContent"), page.run("document.querySelector('.try .yaml pre').textContent"))
    saved("a receiver's exponent")
    check("a receiver's exponent is saved", "{ name: hci0, exponent: 2.6 }" in gateway.read("run.yaml"), gateway.read("run.yaml"))
    undone()

    # Somebody else saves, first something that this form does not show, then one of its numbers.
    def elsewhere(zone, body):
        request = urllib.request.Request(f"http://127.0.0.1:{gateway.port}/api/v1/zones/{zone}", json.dumps(body).encode(), method="PUT", headers={
            "Content-Type": "application/json", "Authorization": "Basic " + base64.b64encode(b":open sesame").decode()})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)["revision"]

    put("exit.dwell_s", "7")
    elsewhere("shop", {"exit": {"dwell_s": 11}})
    other.wait("[...document.querySelectorAll('[data-zone=shop]')].length > 0")
    saved("after somebody changed another zone")
    now = gateway.read("run.yaml")
    check("both changes are in the file", "dwell: 11 s" in now and "dwell: 7 s" in now, now)
    put("exit.dwell_s", "8")
    elsewhere("pump-3", {"enter": {"threshold": 5.8, "unit": "m"}})
    page.wait(f"{said}.startsWith('Somebody else')")
    theirs = gateway.read("run.yaml")
    for minutes in ("10", "60"):
        # Trying goes on, and is no leave to save.
        page.run(f"(() => {{ const choice = document.querySelector('.try select'); choice.value = '{minutes}'; choice.dispatchEvent(new Event('change')); }})()")
        page.wait("document.querySelector('.try').dataset.state === 'decided'")
    page.run(f"{save}.click()")
    check("who has not seen somebody else's number does not save over it", page.run(f"{save}.disabled") and gateway.read("run.yaml") == theirs and "5.8 m" in theirs, page.run(said))
    rows = "[...document.querySelectorAll('.conflict tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
    check("what it was, what somebody else made of it and what is changed here stand side by side",
          [row[1:] for row in page.run(rows)] == [["6 m", "5.8 m", "6 m"], ["7 s", "7 s", "8 s"]], page.run(rows))
    page.run("[...document.querySelectorAll('.try button')].find((one) => one.textContent === 'Keep yours').click()")
    page.wait(f"!{save}.disabled")
    check("both can be kept", page.run(f"[{field('enter.threshold')}, {field('exit.dwell_s')}].map((one) => one.value)") == ["5.8", "8"])
    page.run("[...document.querySelectorAll('.try button')].find((one) => one.textContent === 'As configured').click()")
    check("as configured shows it", page.run(f"{field('enter.threshold')}.value") == "5.8")
    put("exit.dwell_s", "8")
    saved("having seen it")
    check("and then both are in the file", all(text in gateway.read("run.yaml") for text in ("5.8 m", "dwell: 8 s")), gateway.read("run.yaml"))
    check("Undo of what somebody has saved since is refused", refused_undo(page, gateway, elsewhere, undo, said), page.run(said))


def refused_undo(page, gateway, elsewhere, undo, said):
    """Undo is asked for with the revision that the form shows; somebody else's comes in between."""
    page.run("window.held = window.fetch; window.fetch = (...all) => String(all[0]).endsWith('undo') ? new Promise((go) => { window.go = () => go(window.held(...all)); }) : window.held(...all); 0")
    page.run(f"{undo}.click()")
    page.wait("window.go !== undefined")
    elsewhere("pump-3", {"enter": {"threshold": 5.9, "unit": "m"}})
    page.run("window.fetch = window.held; window.go(); 0")
    page.wait(f"{said}.includes('changed meanwhile')")
    return "5.9 m" in gateway.read("run.yaml")
