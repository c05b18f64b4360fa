"""Names that people use: in the diary's choices and its API, and changed in the table of beacons."""
import json, urllib.parse, urllib.request


def check_naming(page, base, gateway, beacon, name, check, shot):
    """`page` may change the configuration; `name` is that of the beacon."""
    page.run("location.hash = '#/diary'")
    page.wait("document.querySelector('.ribbon-row .name') !== null")
    rows, things = page.run("[[...document.querySelectorAll('.ribbon-row .name')].map((one) => one.textContent), [...document.querySelector('.diary-view select[aria-label=Thing]').options].map((one) => [one.text, one.value])]")
    check("the diary's ribbon and choices have people's names", name in rows and beacon not in rows and [name, beacon] in things, f"{rows} {things}")
    with urllib.request.urlopen(f"{base}api/v1/diary?limit=5&beacon={urllib.parse.quote(name)}") as reply:
        found = {one["thing"] for one in json.load(reply)["entries"]}
    check("the diary is asked by such a name, too", found == {beacon}, found)

    before = gateway.read("run.yaml")
    button = lambda text: f"[...document.querySelectorAll('dialog button')].find((one) => one.textContent === '{text}')"
    row = f"document.querySelector('table.beacons tr[data-beacon=\"{beacon}\"]')"
    page.run("location.hash = '#/now'")
    page.wait(f"{row}?.querySelector('.rename')?.hidden === false")
    page.run(f"{row}.querySelector('.rename').click()")
    page.wait("document.querySelector('dialog')?.open")
    check("the present name is there to be changed", page.run("document.getElementById('new-name').value") == name)
    page.run("document.getElementById('new-name').select()")
    page.send("Input.insertText", text="Anna's \"van\": #1")
    # What was saved elsewhere a moment ago may not be in use yet, and then the page says that the file was changed.
    page.wait(f"""document.querySelector('dialog pre [data-kind="+"]') !== null
        || performance.now() > (window.asked ?? 0) + 3000 && (window.asked = performance.now(), {button('Review')}.click(), false)""")
    check("the change of the file is shown before it is written", "Anna's" in page.run("document.querySelector('dialog pre').textContent") and gateway.read("run.yaml") == before)
    shot(page, "rename-1280-light")
    page.run(f"{button('Save')}.click()")
    page.wait(f"{row}?.querySelector('a').textContent === 'Anna\\'s \"van\": #1'")
    check("the new name is in the table", "# a region: every van" in gateway.read("run.yaml"), page.run(f"{row}.textContent"))
    page.wait(f"{button('Undo')}?.hidden === false")
    page.run(f"{button('Undo')}.click()")
    page.wait(f"{row}?.querySelector('a').textContent !== 'Anna\\'s \"van\": #1'")
    check("Undo brings the former one back", gateway.read("run.yaml") == before and page.run(f"{row}.querySelector('a').textContent") == name)
    page.run(f"{button('Close')}.click()")
