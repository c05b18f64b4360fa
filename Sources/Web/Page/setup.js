// The setup: from nothing to the first room, in steps that can be left out. Each shows the change of the file before it is saved.
import { attribute, el, link, list, say, show, visible } from './dom.js';
import { words as page } from './words.js';
import { words } from './setup-words.js';
import { Problem, address, api, patiently } from './api.js';
import { changeLines } from './change-lines.js';
import { copyButton } from './copy.js';
import { addRoom, fromFile, request } from './draw-plan.js';
import { loginRoute } from './login.js';
import { blindStates } from './receivers.js';
import { stay } from './route.js';
import { check, nameOf, store } from './store.js';
import { stranger } from './strangers.js';

const sheets = ['draw.css', 'setup.css'].map((name) => document.head.appendChild(el('link', { rel: 'stylesheet', href: address(`./assets/${name}`) })));
const styled = Promise.all(sheets.map((one) => new Promise((done) => { one.onload = one.onerror = done; })));
const button = (text, onclick, more = {}) => el('button', { type: 'button', text, onclick, ...more });
const order = ['broker', 'receivers', 'beacon', 'rooms', 'home'];

export async function setupView(wanted) {
  await styled;
  /** What the gateway tells of its file and of what it found; null: not asked yet. */
  let picture = null, timer = null, isEnded = false, step = null;
  const problem = el('p.problem', { role: 'alert', hidden: true }), obstacle = el('p.problem', { role: 'alert', hidden: true }), refusal = el('section.sheet.setup-part', { hidden: true }), body = el('section.sheet.setup-step');
  const restarting = el('div.yaml.setup-restart', { hidden: true }, el('p', { role: 'status', text: words.restart }), ...command('sudo systemctl reload beaconkeeper'));
  const desk = { take, ask, mayAsk: () => picture && !picture.asking, get picture() { return picture; } };
  const steps = { broker: brokerStep(desk), receivers: receiversStep(desk), beacon: beaconStep(), rooms: roomsStep(desk), home: homeStep() };
  const tabs = Object.fromEntries(order.map((name, i) => [name, button(`${i + 1} ${words.steps[name]}`, () => open(name), { 'data-step': name })]));
  const next = button(words.next, () => open(order[order.indexOf(step) + 1]));

  function open(name) {
    if (name === step) return;
    steps[step]?.leave?.();
    step = name;
    for (const [key, node] of Object.entries(tabs)) attribute(node, 'aria-pressed', key === name);
    body.replaceChildren(el('h2', { text: words.steps[name] }), steps[name].node, el('div.row', {}, next));
    show(next, name !== order.at(-1));
    stay('setup', name);
    steps[name].enter?.();
    refresh();
  }

  function refresh() {
    if (!picture || !step || !store.overview) return;
    show(restarting, picture.restart);
    if (picture.obstacle) say(obstacle, words.obstacle(picture.obstacle));
    show(obstacle, picture.obstacle != null);
    steps[step].update(store.overview);
  }

  /** What the gateway has answered; it is asked again while it looks for something. */
  function take(now) {
    picture = now;
    clearTimeout(timer);
    if (!isEnded && now.asking) timer = setTimeout(load, 700);
    refresh();
  }

  async function ask(path, options) {
    show(problem, false);
    try { return await patiently(() => api(path, { patience: 30_000, ...options })); } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(problem, page.failed(error));
      show(problem, true);
      return null;
    }
  }

  async function load() {
    const now = await ask('setup');
    if (now && !isEnded) take(now);
  }

  let isBegun = false, revision = null;
  return {
    name: 'setup', title: page.setup.title,
    node: el('div.setup', {}, el('div.head', {}, el('h1', { text: page.setup.title })), el('p.lead', { text: words.lead }), refusal, obstacle, restarting,
      el('div.tabs', { role: 'group', 'aria-label': words.stepsLabel }, ...Object.values(tabs)), problem, body),
    go(name) { if (isBegun && order.includes(name)) open(name); else wanted = name; },
    update({ overview }) {
      const hasFile = overview.source !== 'recording' && overview.configuration_revision != null, may = hasFile && overview.rights.write;
      for (const node of [body, tabs.broker.parentElement]) show(node, may);
      show(refusal, !may);
      if (!may && !refusal.firstChild) refusal.append(...hasFile ? toMayWrite(overview) : [el('p', { text: words.noFile })]);
      if (!may) return;
      if (!isBegun) {
        isBegun = true;
        open(order.includes(wanted) ? wanted : firstStep(overview));
      }
      if (revision !== overview.configuration_revision) { revision = overview.configuration_revision; load(); }
      refresh();
    },
    end() { isEnded = true; clearTimeout(timer); steps[step]?.leave?.(); },
  };
}

/** The first that is not done. */
function firstStep(overview) {
  if (!overview.broker?.connected || (overview.broker.address === 'embedded' && !hasBeacons(overview))) return 'broker';
  if (!overview.health.receivers.length) return 'receivers';
  return hasBeacons(overview) ? 'rooms' : 'beacon';
}
const hasBeacons = ({ beacons, beacons_unheard: unheard = [] }) => beacons.length + unheard.length > 0;

const command = (text) => { const pre = el('pre', { tabindex: 0, role: 'group', 'aria-label': text, text }); return [pre, el('div.row', {}, copyButton(() => pre.textContent))]; };
const installed = '/etc/beaconkeeper/beaconkeeper.yaml', secret = '/etc/beaconkeeper/http-write';
/** How the page gets the right to change something: for the package's file, a command or lines that do it all. */
const toMayWrite = (overview) => {
  const { configuration_file: file, passwords } = overview, told = (text, lines) => el('div.yaml', {}, el('p', { text }), ...command(lines));
  if (passwords) return [el('p', {}, words.mayNot, ' ', el('a', { href: loginRoute(), text: words.login }))];
  return [el('p', { text: words.mayNot }), ...file !== installed ? [told(words.elsewhere, '  write_password_file: http-write')] : [
    ...hasBeacons(overview) ? [] : [told(words.byInit, 'sudo beaconkeeper init')], told(words.byLines, [`openssl rand -base64 18 | sudo install -o beaconkeeper -m 600 /dev/stdin ${secret}`, 'sudo chown beaconkeeper /etc/beaconkeeper',
    `sudo sed -i '/^  listen:/a\\  write_password_file: ${secret}' ${installed}`, 'sudo systemctl restart beaconkeeper', `sudo cat ${secret}`].join('\n'))],
  el('p', { text: words.thenLogin })];
};

/** Shows what would be changed, then saves exactly that. `ask` gets whether it is a preview. */
function reviewer(desk, body, onSaved = () => {}) {
  const diff = changeLines(words.changes, words.says, words.nothing), status = el('p.status', { role: 'status' });
  const save = button(words.save, write, { class: 'main' }), sheet = el('div.yaml.review', { hidden: true }, diff.lines, el('div.row', {}, save, copyButton(() => diff.lines.textContent)), ...diff.notes);
  let reviewed = null;
  const send = (isPreview) => { const { path, method, body: what } = reviewed; return desk.ask(path, { method, body: { ...what, preview: isPreview } }); };
  const look = button(words.review, async () => {
    reviewed = body();
    const told = await send(true);
    if (!told) { show(sheet, false); return; }
    diff.tell(told);
    show(save, told.changes !== '' && !desk.picture?.obstacle);
    save.disabled = false;
    say(status, '');
    show(sheet, true);
  }, { 'data-do': 'review' });
  async function write() {
    save.disabled = true;
    say(status, words.saving);
    const told = await send(false);
    say(status, told ? words.saved : '');
    if (!told) { save.disabled = false; return; }
    show(sheet, false);
    onSaved();
    const now = await desk.ask('setup');
    if (now) desk.take(now);
    check();
  }
  attribute(save, 'data-do', 'save');
  return { node: el('div', {}, el('div.row', {}, look, status), sheet), allow(may) { look.disabled = !may; if (!may) show(sheet, false); } };
}

function brokerStep(desk) {
  const text = words.broker, now = el('p'), finding = el('p.status', { role: 'status' }), found = el('div.chips'), outcome = el('p', { role: 'status', hidden: true }), note = el('p.note');
  const url = el('input', { type: 'text', inputmode: 'url', placeholder: 'mqtt://broker.lan', autocomplete: 'off', spellcheck: 'false', 'data-field': 'url' }), user = el('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', 'data-field': 'username' }), password = el('input', { type: 'password', autocomplete: 'new-password', 'data-field': 'password' });
  const own = el('input', { type: 'checkbox', onchange: () => changed() });
  const label = (name, input) => el('label.field', {}, el('span', { text: name }), input);
  const address = () => { const text = url.value.trim(); return text && !text.includes('://') ? `mqtt://${text}` : text; };
  const values = () => own.checked ? {} : { url: address(), username: user.value.trim(), password: password.value };
  let tried = null, isFilled = false;
  const review = reviewer(desk, () => ({ path: 'setup/broker', method: 'POST', body: { ...values(), trial: tried?.id, revision: desk.picture.revision } }),
    // It is in its file now. Saved again, it would get another one.
    () => { password.value = ''; });
  const attempt = button(text.try, async () => { const what = values(); tried = { what: JSON.stringify(what) }; const now = await desk.ask('setup/try', { method: 'POST', body: what }); tried = now && { ...tried, id: now.trying }; if (now) desk.take(now); }, { 'data-do': 'try' });
  const find = button(text.find, async () => { const now = await desk.ask('setup/find-brokers', { method: 'POST', body: {} }); if (now) desk.take(now); }, { 'data-do': 'find' });
  const fields = el('div.fields', {}, label(text.url, url), label(text.user, user), label(text.password, password));
  for (const input of [url, user, password]) input.addEventListener('input', () => changed());
  function changed() {
    for (const input of [url, user, password]) input.disabled = own.checked;
    refresh();
  }
  function refresh() {
    const { picture } = desk;
    if (!picture) return;
    // Another page may try something else.
    const isTried = tried?.what === JSON.stringify(values()), trial = picture.trial?.id === tried?.id ? picture.trial : null, isAsking = picture.asking === 'trial';
    const works = isTried && !isAsking && trial && trial.state !== 'fault';
    show(outcome, isTried && (isAsking || trial != null));
    attribute(outcome, 'data-kind', isAsking ? null : trial?.state);
    say(outcome, isAsking ? text.trying : trial ? `${text.state[trial.state]}: ${[trial.finding, trial.remedy].filter(Boolean).join(' → ')}` : '');
    review.allow(works === true);
    attempt.disabled = !desk.mayAsk() || !(own.checked || url.value.trim());
  }
  const updateFound = list(found, (one) => ({ node: button(visible(one.url) + (one.wants_login ? ` (${text.wantsLogin})` : ''), () => { own.checked = false; url.value = one.url; changed(); (one.wants_login ? user : attempt).focus(); }, { class: 'chip' }), update() {} }));
  return {
    node: el('div.setup-part', {}, el('p', { text: text.lead }), now, el('div.row', {}, find, finding), found, el('label.check', {}, own, ' ', text.embedded), fields, note, el('div.row', {}, attempt, el('span.note', { text: text.tryFirst })), outcome, review.node),
    update({ broker }) {
      const { picture } = desk, { url: known, username, password: hasPassword, embedded } = picture.broker;
      say(now, text.now(embedded ? text.own : known, broker?.connected));
      if (!isFilled) { isFilled = true; url.value = known ?? ''; user.value = username ?? ''; own.checked = embedded === true; changed(); }
      say(note, hasPassword ? `${text.keeps} ${text.stored}` : text.stored);
      find.disabled = !desk.mayAsk();
      say(finding, picture.asking === 'brokers' ? text.finding : picture.brokers ? picture.brokers.length ? text.found : text.none : '');
      updateFound(picture.brokers ?? [], (one) => one.url);
      refresh();
    },
  };
}

function receiversStep(desk) {
  const text = words.receivers, here = el('p'), finding = el('p.status', { role: 'status' }), boxes = el('div.setup-part'), wanted = new Set();
  const review = reviewer(desk, () => ({ path: 'setup/receivers', method: 'POST', body: { kinds: [...wanted], revision: desk.picture.revision } }));
  const find = button(text.find, async () => { const now = await desk.ask('setup/find-receivers', { method: 'POST', body: {} }); if (now) desk.take(now); }, { 'data-do': 'find' });
  const allow = () => review.allow(wanted.size > 0);
  const update = list(boxes, ({ kind }) => {
    const use = el('input', { type: 'checkbox', 'data-kind': kind, onchange: () => { if (use.checked) wanted.add(kind); else wanted.delete(kind); allow(); } }), what = el('span'), used = el('span.badge', { 'data-kind': 'good', text: text.used }), label = el('label.check', {}, use, ' ', text.use);
    let isNew = true;
    return { node: el('div.row', {}, what, label, used), update(one) {
      say(what, text.heard(kind, one.count, one.names));
      show(label, !one.configured);
      show(used, one.configured);
      // Whoever has boards wants them.
      if (isNew && !one.configured) { use.checked = true; wanted.add(kind); }
      if (one.configured) wanted.delete(kind);
      isNew = false;
    } };
  });
  return {
    node: el('div.setup-part', {}, el('p', { text: text.lead }), here, el('div.row', {}, find, finding), boxes, review.node),
    update({ health }) {
      const { picture } = desk, known = health.receivers;
      say(here, known.length ? `${text.here} ${known.map((one) => `${visible(one.name)} (${blindStates.has(one.state) ? text.deaf : text.hears})`).join(', ')}` : text.noneHere);
      find.disabled = !desk.mayAsk();
      say(finding, picture.asking === 'receivers' ? text.finding : picture.receivers?.length === 0 ? text.none : '');
      update(picture.receivers ?? [], (one) => one.kind);
      allow();
    },
  };
}

/** How much stronger than the next one a device is that is held against a receiver, and how strong at least, dB and dBm. */
const clearly = 10, close = -60;

function beaconStep() {
  const text = words.beacon, have = el('p'), none = el('p.note', { text: text.none, hidden: true }), sure = el('p.status', { role: 'status' }), body = el('div.strangers');
  const reveal = el('input', { type: 'checkbox', onchange: () => ask() });
  // The same rows as on the page of strangers.
  const update = list(body, (one) => {
    const row = stranger(one, () => { location.hash = '#/strangers'; });
    return { node: row.node, update(now) { row.update(now); attribute(row.node, 'data-lit', now.isLit); } };
  });
  let timer = null, isHere = false;
  async function ask() {
    clearTimeout(timer);
    try {
      const { devices } = await api(`strangers?reveal=${reveal.checked ? 1 : 0}`);
      const nearest = devices.filter((one) => !one.beacon && one.rssi_dbm != null).sort((a, b) => b.rssi_dbm - a.rssi_dbm).slice(0, 5), [first, second] = nearest;
      const isSure = first != null && first.rssi_dbm >= close && first.rssi_dbm - (second?.rssi_dbm ?? -127) >= clearly;
      // A row in which somebody writes stays where it is.
      const busy = body.contains(document.activeElement) && document.activeElement.matches('input');
      const shown = busy ? [...body.children].map((node) => devices.find((one) => one.id === node.dataset.id)).filter(Boolean) : nearest;
      update(shown.map((one) => ({ ...one, isLit: isSure && one === first })), (one) => one.id);
      show(none, nearest.length === 0);
      say(sure, nearest.length ? isSure ? text.sure : text.unsure : '');
    } catch (error) { if (!(error instanceof Problem)) throw error; }
    if (isHere) timer = setTimeout(ask, document.hidden ? 5000 : 1000);
  }
  return {
    node: el('div.setup-part', {}, el('p', { text: text.lead }), have, el('label.check', {}, reveal, ' ', text.reveal), sure, none, body),
    enter() { isHere = true; ask(); },
    leave() { isHere = false; clearTimeout(timer); },
    update(overview) {
      const names = [...overview.beacons, ...(overview.beacons_unheard ?? []).map((beacon) => ({ beacon }))].map(nameOf);
      if (names.length) say(have, text.have(names.slice(0, 12).map(visible)));
      show(have, names.length > 0);
    },
  };
}

function roomsStep(desk) {
  const text = words.rooms, body = el('div.setup-part'), none = el('p.note', { text: text.none, hidden: true }), inputs = new Map();
  let plan = null, revision = null;
  const filled = () => [...inputs].filter(([, input]) => input.value.trim());
  const review = reviewer(desk, () => {
    const { now: base, formers } = fromFile(plan), now = structuredClone(base), floor = plan.floors[0]?.floor ?? null;
    for (const [receiver, input] of filled()) {
      const name = input.value.trim(), known = now.rooms.find((one) => one.name === name), id = known ? null : addRoom(now, name, floor, []);
      (known ?? now.rooms.find((one) => one.id === id)).receivers.push(receiver);
    }
    return { path: 'plan', method: 'PUT', body: { ...request(now, base, formers), revision } };
  });
  const allow = () => review.allow(plan !== null && filled().length > 0);
  const update = list(body, ({ receiver }) => {
    const input = el('input', { type: 'text', maxlength: 64, autocomplete: 'off', placeholder: text.hint, 'aria-label': text.room(receiver), 'data-receiver': receiver, oninput: allow }), place = el('span.note');
    return { node: el('div.row', {}, el('strong', { text: visible(receiver) }), input, place), update({ room }) {
      if (room) inputs.delete(receiver); else inputs.set(receiver, input);
      show(input, !room);
      say(place, room ? text.is(room) : '');
    } };
  });
  async function load() {
    revision = store.overview?.configuration_revision ?? null;
    plan = await desk.ask('plan');
    if (plan) refresh(store.overview);
  }
  function refresh({ health, receivers_awaited: awaited = [] }) {
    const names = [...new Set([...health.receivers.map((one) => one.name), ...awaited, ...plan.receivers.map((one) => one.receiver), ...plan.rooms.flatMap((one) => one.receivers), ...(desk.picture.receivers ?? []).filter((one) => one.configured).flatMap((one) => one.names)])].sort();
    inputs.forEach((_, name) => { if (!names.includes(name)) inputs.delete(name); });
    update(names.map((receiver) => ({ receiver, room: plan.rooms.find((one) => one.receivers.includes(receiver))?.room })), (one) => one.receiver);
    show(none, names.length === 0);
    allow();
  }
  return {
    node: el('div.setup-part', {}, el('p', { text: text.lead }), none, body, review.node, el('p.row', {}, link(['draw'], text.draw), link(['plan'], text.calibrate))),
    enter: load,
    update(overview) {
      if (!plan) return;
      if (revision !== overview.configuration_revision) { load(); return; }
      refresh(overview);
    },
  };
}

function homeStep() {
  const text = words.home, body = el('div.setup-devices'), off = el('p.note', { text: text.off, hidden: true });
  let asked = null;
  return {
    node: el('div.setup-part', {}, el('p', { text: text.lead }), off, body),
    enter() { asked = null; },
    async update({ configuration_revision: revision }) {
      if (asked === revision) return;
      asked = revision;
      const told = await api('setup/entities').catch((error) => { if (!(error instanceof Problem)) throw error; });
      if (!told) return;
      show(off, !told.on);
      body.replaceChildren(...told.devices.map(({ device, area, entities }) => el('section', {}, el('h3', { text: visible(device) }), area ? el('p.note', { text: visible(text.area(area)) }) : null,
        el('ul', {}, ...entities.map((one) => el('li', {}, visible(one.name ?? text.itself), ' ', el('span.note', { text: text.platforms[one.platform] ?? one.platform })))))));
    },
  };
}
