"""Names that people use, where the page has them from the diary."""


def check_naming(page, beacon, name, check):
    """`name` is that of the beacon."""
    page.run("location.hash = '#/diary'")
    page.wait("document.querySelector('.ribbon-row .name') !== null")
    rows, things = page.run("[[...document.querySelectorAll('.ribbon-row .name')].map((one) => one.textContent), [...document.querySelector('.diary-view select[aria-label=Thing]').options].map((one) => [one.text, one.value])]")
    check("the diary's ribbon and choices have people's names", name in rows and beacon not in rows and [name, beacon] in things, f"{rows} {things}")
