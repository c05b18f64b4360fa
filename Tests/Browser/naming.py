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
    check_owner(page, gateway, beacon, row, button, before, check, shot)


def check_owner(page, gateway, beacon, row, button, before, check, shot):
    """Whose a thing is, and its icon: said in the same dialog, shown, found, sorted."""
    page.run(f"{row}.querySelector('.rename').click()")
    page.wait("document.querySelector('dialog')?.open")
    page.run("(() => { for (const [name, text] of [['owner', 'Ward 3'], ['icon', 'mdi:truck-outline']]) { const field = document.getElementById(`new-${name}`); field.value = text; field.dispatchEvent(new Event('input')); } })()")
    page.wait(f"""document.querySelector('dialog pre [data-kind="+"]') !== null
        || performance.now() > (window.asked ?? 0) + 3000 && (window.asked = performance.now(), {button('Review')}.click(), false)""")
    told = page.run("document.querySelector('dialog pre').textContent")
    check("owner and icon are told as the file's change", all(one in told for one in ("owners:", "Ward 3", "icons:", "mdi:truck-outline")) and gateway.read("run.yaml") == before, told)
    shot(page, "owner-1280-light")
    page.run(f"{button('Save')}.click()")
    page.wait(f"{row}?.querySelector('.owner').textContent === 'Ward 3' && {row}.querySelector('.thing-icon').getClientRects().length > 0")
    comments = [line[line.index("#"):] for line in before.splitlines() if "#" in line]
    check("they are in the table, and the file's comments stayed", all(one in gateway.read("run.yaml") for one in comments))
    page.run("(() => { const filter = document.querySelector('.table-bar select'); filter.value = 'of Ward 3'; filter.dispatchEvent(new Event('change')); })()")
    page.wait("document.querySelectorAll('tr[data-beacon]').length === 1")
    page.run("(() => { const [field, filter] = document.querySelectorAll('.table-bar :is(input, select)'); filter.value = ''; filter.dispatchEvent(new Event('change')); field.value = 'ward'; field.dispatchEvent(new Event('input')); })()")
    page.wait("document.querySelectorAll('tr[data-beacon]').length === 1")
    page.run("(() => { const field = document.querySelector('.table-bar input'); field.value = ''; field.dispatchEvent(new Event('input')); })()")
    check("a thing is found by its owner", True)
    page.wait(f"{button('Undo')}?.hidden === false")
    page.run(f"{button('Undo')}.click()")
    page.wait(f"{row}?.querySelector('.owner').textContent === ''")
    check("Undo takes them away", gateway.read("run.yaml") == before)
    page.run(f"{button('Close')}.click()")
