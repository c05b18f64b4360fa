"""Changing a zone in the page: only for who has the password, one line of the file, and back again."""


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
    page.run("(() => { const field = document.querySelector('[data-field=\"enter.threshold\"]'); field.value = '5.5'; field.dispatchEvent(new Event('input')); })()")
    page.wait(f"!{save}.disabled && document.querySelector('.try').dataset.state === 'decided'")
    before = gateway.read("run.yaml")
    page.run(f"{save}.click()")
    page.wait(f"!{undo}.hidden")
    after = gateway.read("run.yaml")
    check("Save changes one line of the file, and keeps its comments", "5.5 m" in after and "# a region: every van" in after
          and sum(a != b for a, b in zip(before.splitlines(), after.splitlines())) == 1, page.run("document.querySelector('.yaml [role=status]').textContent"))
    other.wait("[...document.querySelectorAll('[data-zone=\"pump-3\"] .tick[data-line=enter]')].some((tick) => tick.textContent === '5.5')")
    check("the other page shows it at once", True)
    page.run(f"{undo}.click()")
    page.wait(f"{undo}.hidden")
    check("Undo brings the former file back", gateway.read("run.yaml") == before)
