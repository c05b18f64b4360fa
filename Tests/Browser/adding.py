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

    phone, sensor, own = told("Apple"), told("bthome"), told("yours: crate")
    check("a phone whose address changes is told to be enrolled", "Enrol a phone" in phone and "are hidden" not in phone, phone)
    check("a sensor that is known by its address is told to be hidden", "are hidden" in sensor and "Enrol" not in sensor, sensor)
    check("what was added needs neither", "are hidden" not in own and "Enrol" not in own, own)
    # The browser's machine has no adapter.
    page.run("[...document.querySelectorAll('.stranger .open:not([hidden]) .yaml:not([hidden]) button')].find((one) => one.textContent.startsWith('Enrol')).click()")
    page.wait("document.querySelector('.enrol .problem')?.hidden === false")
    why = page.run("[...document.querySelectorAll('.enrol .problem, .enrol > .yaml:not([hidden])')].map((one) => one.textContent).join(' ')")
    check("what stands against pairing is told before anybody pairs, with the command", "luetooth" in why and "sudo beaconkeeper enrol" in why
          and page.run("document.querySelector('.enrol form').hidden"), why)
    shot(page, "enrol-1280-light")
    # A gateway that has one is played.
    page.run("""(() => {
      const real = window.fetch, told = { state: 'none', session: null, numbers_left: 5, news: [] };
      window.enrolment = { told, asked: [] };
      window.fetch = (url, options) => {
        const step = /enrolment(.*)$/.exec(url)?.[1];
        if (step == null) return real(url, options);
        enrolment.asked.push(step + (options.body ?? ''));
        if (step === '/begin') Object.assign(told, { state: 'open', session: 'one', name: 'ben', seconds_left: 107 });
        return Promise.resolve(new Response(JSON.stringify(told), { headers: { 'content-type': 'application/json' } }));
      };
    })()""")
    enrol = "document.querySelector('.enrol')"
    named = lambda text: f"[...{enrol}.querySelectorAll('button')].find((one) => one.textContent === '{text}')"
    page.run(f"{named('Close')}.click()")
    page.run("[...document.querySelectorAll('.head button')].find((one) => one.textContent.startsWith('Enrol')).click()")
    page.wait(f"{enrol}.querySelector('form').hidden === false")
    page.run(f"(() => {{ {enrol}.querySelector('form input').value = ' ben '; {enrol}.querySelector('form').requestSubmit(); }})()")
    page.wait(f"{enrol}.querySelector('[role=timer]').textContent === 'Open for 1:47'")
    page.run("enrolment.told.news = [{ kind: 'open', device: 'hci0' }, { kind: 'wants_number', device: '5A:00:00:00:00:0B' }]")
    page.wait(f"{enrol}.querySelector('.news').textContent.includes('5A:00:00:00:00:0B asks to pair')")
    shot(page, "enrolling-1280-light")
    page.run(f"(() => {{ const field = {enrol}.querySelector('[inputmode=numeric]'); field.value = '123 456'; field.form.requestSubmit(); }})()")
    page.run("Object.assign(enrolment.told, { state: 'saved', keys_file: 'keys.yaml', yaml: '  - name: ben' })")
    page.wait(f"{enrol}.querySelector('[role=status]').textContent.startsWith('ben is known now')")
    asked = page.run("enrolment.asked")
    check("a phone is enrolled in the page, which asks until the end and not longer", '/begin{"name":"ben","without_number":false}' in asked
          and "?session=one" in asked and '/type{"session":"one","number":"123 456"}' in asked
          and page.run(f"!{named('Another one')}.hidden && {enrol}.querySelector('.news').closest('.open').hidden"), asked)
    page.run("Object.assign(enrolment.told, { state: 'none', yaml: null })")
    page.run(f"{named('Another one')}.click()")
    page.wait(f"{enrol}.querySelector('form').hidden === false")
    page.run(f"(() => {{ {enrol}.querySelector('form input').value = 'eve'; {enrol}.querySelector('form').requestSubmit(); }})()")
    page.wait(f"{enrol}.querySelector('.open').hidden === false")
    page.run("location.hash = '#/now'")
    page.wait("""enrolment.asked.at(-1) === '/stop{"session":"one"}'""")
    check("a view that is left stops it", True)
