"""The page in German: chosen by the browser, whole, with numbers and times as its readers write them."""

# What one language says and the other does not, as paths; and sentences that take another number of things.
differences = """(async () => {
    const whole = async (name) => (await import(new URL(`assets/${name}.js`, location.href.split('#')[0]))).words;
    const found = [], optional = new Set(['quantities']);
    function compare(one, other, path) {
        if (optional.has(path)) return;
        if (typeof one !== typeof other || Array.isArray(one) !== Array.isArray(other)) found.push(path);
        else if (typeof one === 'function') { if (one.length !== other.length) found.push(`${path}()`); }
        else if (one && typeof one === 'object') {
            for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) compare(one[key], other[key], path ? `${path}.${key}` : key);
        }
    }
    compare(await whole('words-en'), await whole('words-de'), '');
    for (const part of ['draw', 'enrol', 'setup']) compare(await whole(`${part}-words-en`), await whole(`${part}-words-de`), part);
    return found;
  })()"""


def check_languages(browser, base, check, check_speech):
    page = browser.page(390, 844)
    page.base = base
    agent = browser.send("Browser.getVersion")["userAgent"]
    page.send("Network.setUserAgentOverride", userAgent=agent, acceptLanguage="de-DE,de")
    page.open(f"{base}#/now")
    page.wait("document.querySelector('main h1') !== null")
    check("a German browser shows German", page.run("[document.documentElement.lang, document.querySelector('main h1').textContent].join(' ')") == "de Jetzt")
    page.wait("document.querySelector('.feed [data-kind=transition]') !== null")
    told = page.run("document.querySelector('.feed').textContent")
    check("a decision is told in German", ("innerhalb von" in told or "% sicher" in told) and not any(word in told for word in ("within", "% sure")), told[:200])
    strangers = page.run("document.querySelector('main').textContent.match(/\\d+\\.\\d\\s?m/g)")
    check("with a decimal comma", not strangers, strangers)
    for route, title in (("plan", "Plan"), ("diary", "Tagebuch"), ("strangers", "Fremde"), ("settings", "System"), ("draw", "Den Plan zeichnen"), ("setup", "Einrichten"), ("zone/pump-3", "pump-3")):
        page.open(f"{base}#/{route}")
        page.wait(f"document.querySelector('main h1')?.textContent.includes({title!r})")
    wide = page.run("document.documentElement.scrollWidth")
    check("longer words stay on the screen", wide <= 390, f"{wide} px")
    found = page.run(differences)
    check("both languages have the same sentences", not found, found)
    check_speech(page, "in German")
    page.close()
    check_feet(browser, base, agent, check)
    # What browsers without a proper setting ask for.
    for wish, told in (("en-US@posix", "en 1.5"), ("de-DE@euro", "de 1,5"), ("de_DE", "de 1,5"), ("en-u-nu-arab", "en 1.5"), ("fr", "en 1.5"), ("", "en 1.5")):
        page = browser.page(390, 844)
        page.send("Page.addScriptToEvaluateOnNewDocument", source=f"Object.defineProperty(navigator, 'languages', {{ get: () => [{wish!r}] }})")
        page.open(f"{base}#/now")
        page.wait("document.querySelector('main h1') !== null")
        found = page.run("""(async () => {
            const { number } = await import(new URL('assets/figures.js', location.href.split('#')[0]));
            return `${document.documentElement.lang} ${number(1.5)}`;
          })()""")
        check(f"a browser that asks for {wish or 'nothing'} is answered", found == told, found)
        page.close()


def check_feet(browser, base, agent, check):
    """An American browser shows and takes feet; the configuration stays in metres. Whoever prefers metres switches."""
    page = browser.page(1280, 900)
    page.base = base
    page.send("Network.setUserAgentOverride", userAgent=agent, acceptLanguage="en-US,en")
    page.open(f"{base}#/now")
    shown = "[...document.querySelectorAll('main :not(pre, select, option)')].flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).concat(one.getAttribute('aria-label') ?? [])).join(' | ')"
    page.wait(f"/within \\d/.test({shown})")
    wrong = f"({shown}).match(/\\d\\s?m\\b/g)"
    for route, sign in (("now", "19.69"), ("beacon/fleet%3A1.2", "ft"), ("zone/pump-3", "ft")):
        page.open(f"{base}#/{route}")
        page.wait("document.querySelector('main h1') !== null")
        page.wait(f"({shown}).includes({sign!r})")
        found = page.run(wrong)
        check(f"{route} shows feet, and no metres", not found, found)
    field = "document.querySelector('[data-field=\"enter.threshold\"]')"
    page.wait(f"{field}?.value === '19.69'")
    page.run(f"(() => {{ {field}.value = '10'; {field}.dispatchEvent(new Event('input')); }})()")
    page.wait("document.querySelector('.try .yaml pre')?.textContent.includes('distance: 3.05 m') || document.querySelector('.try .yaml pre')?.textContent.includes('distance: 3.048 m')")
    check("feet that are typed are metres in the file", page.run(f"{field}.value") == "10")
    page.open(f"{base}#/settings")
    choice = "document.querySelector('main select')"
    page.wait(f"{choice}?.value === 'ft'")
    # The choice loads the page again. What is opened before that has begun is lost to it.
    page.run(f"(() => {{ window.isOld = true; {choice}.value = 'm'; {choice}.dispatchEvent(new Event('change')); }})()")
    page.wait(f"!window.isOld && {choice}?.value === 'm' && document.querySelector('.explained section') !== null")
    page.open(f"{base}#/now")
    page.wait(f"/within 6\\s?m/.test({shown})")
    check("whoever prefers metres switches", True)
    page.close()
