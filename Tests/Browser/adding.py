"""A stranger becomes a beacon of the configuration, in the page."""


def add_a_stranger(page, gateway, check, shot):
    page.run("location.hash = '#/strangers'")
    row = "[...document.querySelectorAll('.stranger')].find((one) => !one.querySelector('.badge').textContent.startsWith('yours'))"
    page.wait(f"{row} != null")
    page.run(f"{row}.querySelector('.line button').click()")
    check("this one tells the lines for the configuration", "ibeacon" in page.run(f"{row}.querySelector('pre').textContent"), page.run(f"{row}.querySelector('pre').textContent"))
    page.run(f"(() => {{ const field = {row}.querySelector('input'); field.value = 'crate'; field.dispatchEvent(new Event('input')); }})()")
    check("under the name that is typed", "name: crate" in page.run(f"{row}.querySelector('pre').textContent"))
    shot(page, "stranger-1280-light")
    page.run(f"{row}.querySelector('form').requestSubmit()")
    page.wait(f"{row}?.querySelector('.status')?.textContent || [...document.querySelectorAll('.badge')].some((one) => one.textContent === 'yours: crate')")
    page.wait("[...document.querySelectorAll('.badge')].some((one) => one.textContent === 'yours: crate')")
    text = gateway.read("run.yaml")
    check("it is added to the file, whose comments stay, and is a stranger no more", "name: crate" in text and "# on the ring" in text)

    def told(badge):
        """What the page says about the stranger with this badge, whose row is opened."""
        one = f"[...document.querySelectorAll('.stranger')].find((one) => one.querySelector('.badge').textContent.includes('{badge}'))"
        page.wait(f"{one} != null")
        page.run(f"{one}.querySelector('.open').hidden && {one}.querySelector('.line button').click()")
        return page.run(f"[...{one}.querySelector('.open').children].filter((part) => !part.hidden).map((part) => part.textContent).join(' ')")

    command = "sudo beaconkeeper enrol NAME"
    phone, sensor, own = told("Apple"), told("bthome"), told("yours: crate")
    check("a phone whose address changes is told how to be enrolled", command in phone and "are hidden" not in phone, phone)
    shot(page, "stranger-enrol-1280-light")
    check("a sensor that is known by its address is told to be hidden", "are hidden" in sensor and command not in sensor, sensor)
    check("what was added needs neither", "are hidden" not in own and command not in own, own)
