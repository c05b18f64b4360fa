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
