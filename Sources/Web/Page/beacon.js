// One beacon: its chart, its readings, its decisions, and trying other thresholds on the last hour.
import { attribute, el, empty, link, list, panel, say, show, visible } from './dom.js';
import { words } from './words.js';
import { deviation, distance, level, duration, interval, reading, timeOf } from './figures.js';
import { address, api, part } from './api.js';
import { gatewayTime, nameOf, onTransition, store, whenSeen } from './store.js';
import { Trace, columnsOf, timed } from './trace-data.js';
import { traceCanvas } from './trace-canvas.js';
import { traceHand } from './trace-hand.js';
import { lineHandles } from './line-handles.js';
import { chartBar } from './chart-bar.js';
import { dwellBar } from './dwell-bar.js';
import { decisionList } from './decision-list.js';
import { tryPanel } from './try.js';
import { renameButton } from './members.js';
import { stay } from './route.js';

export function beaconView(beacon, chosen = null) {
  const trace = new Trace(), text = words.beacon;
  const name = nameOf({ beacon }), title = el('h1'), rename = renameButton(beacon), id = el('span.id'), standing = el('p.standing'), facts = el('p.facts-line');
  const canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-roledescription': text.chartRole, 'aria-label': visible(text.chart(name)), 'aria-describedby': 'chart-help' });
  const box = el('div.chart', {}, canvas), spoken = el('div.unseen', { 'aria-live': 'polite' });
  const notHeard = empty(text.notHeard), noZone = empty(text.noZone), note = el('p.note'), problem = el('p.problem', { role: 'alert', hidden: true });
  const readings = el('dl.readings-list'), updateReadings = list(readings, measurement), readingPanel = panel(text.readings, readings);
  const events = el('ol.events'), updateEvents = list(events, happened), eventPanel = panel(text.events, events);
  const tabs = el('div.tabs', { role: 'group', 'aria-label': text.tabs }), updateTabs = list(tabs, tab);
  const decisions = decisionList((at) => { chart.isPaused = false; chart.view.end = Math.min(at + chart.view.span / 2, trace.to - 1); hand.read(at); fetchMore(); });
  const dwell = dwellBar();

  const chart = traceCanvas(canvas, trace);
  // The handles come first: dragging a line must not move the chart.
  const handles = lineHandles(chart, box, (line, value) => trying.move(line, value));
  const hand = traceHand(chart, box, (words) => say(spoken, words));
  chart.onframe = (frame) => { handles.place(frame); hand.refresh(); };
  const bar = chartBar(chart, hand, { onTry: toggleTry });
  chart.onmove = () => { bar.update(); fetchMore(); };
  const trying = tryPanel({
    beacon, onNumbers(numbers) { chart.tried = numbers; chart.redraw(); },
    onReply(reply) {
      chart.wouldBe = reply && { transitions: reply.transitions.map(timed), from: reply.from, to: reply.to };
      const own = reply?.estimates?.find((one) => one.zone === chart.zoneName);
      chart.triedEstimates = own && reply.changesReceivers ? columnsOf(own) : null;
      chart.redraw();
    },
  });
  show(trying.node, false);

  function toggleTry() {
    chart.isTrying = !chart.isTrying;
    show(trying.node, chart.isTrying);
    if (chart.isTrying) trying.start(); else trying.stop();
    chart.redraw();
    bar.update();
  }

  function tab({ zone }) {
    const node = el('button', { type: 'button', onclick: () => choose(zone) });
    say(node, zone);
    return { node, update: () => attribute(node, 'aria-pressed', zone === chart.zoneName) };
  }

  function choose(zone) {
    if (chart.zoneName === zone) return;
    stay('beacon', beacon, zone);
    chart.zoneName = zone;
    chart.tried = chart.wouldBe = chart.triedEstimates = null;
    chart.rescale();
    if (chart.isTrying) toggleTry();
    update(store);
  }

  let source = null, isFetching = false, isMissing = false, isListed = false;
  /** Nothing is asked about a beacon that nobody has heard, until the overview has it. */
  function miss(isGone) {
    isMissing = isGone;
    show(sheet, !isGone);
    show(rest, !isGone);
    show(missing, isGone);
  }
  function listen() {
    source = new EventSource(address(`./api/v1/beacons/${part(beacon)}/live`));
    source.addEventListener('history', (event) => {
      const history = JSON.parse(event.data);
      // A recording that was moved starts with new data; after a lost connection the older data stays.
      const isLater = trace.isKnown && trace.from < history.from && trace.to >= history.from && history.to >= trace.to - 1000;
      if (isLater) catchUp(history); else trace.replace(history);
      arrived();
    });
    source.addEventListener('trace', (event) => { trace.append(JSON.parse(event.data)); arrived(); });
    source.addEventListener('open', () => show(problem, false));
    source.addEventListener('error', async () => {
      if (source?.readyState !== EventSource.CLOSED || retry) return;
      try { await api(`beacons/${part(beacon)}/history?minutes=1`); } catch (error) {
        if (error.status === 404) { source = null; miss(true); return; }
        say(problem, words.failed(error));
        show(problem, store.connection === 'live');
      }
      retry = setTimeout(() => { retry = null; if (source) listen(); }, 3000);
    });
  }
  let retry = null;

  /** After a reconnection, data that is older than the new history stays. */
  function catchUp(history) {
    const from = trace.to + 1, pick = (columns, names) => {
      const keep = columns.t.map((t, i) => t >= from ? i : -1).filter((i) => i >= 0);
      return { ...columns, ...Object.fromEntries(names.map((name) => [name, keep.map((i) => columns[name][i])])) };
    };
    trace.append({
      ...history, time: history.to, zones: trace.zones, sightings: pick(history.sightings, ['t', 'receiver', 'rssi']),
      estimates: history.estimates.map((one) => pick(one, ['t', 'distance_m', 'sd_m', 'rssi_dbm'])),
    });
    history.transitions.forEach((one) => trace.decide(one));
  }

  function arrived() {
    chart.arrived();
    dwell.update(trace.pending(chart.zoneName), trace.to);
    if (!chart.zoneName && trace.zones.length) update(store);
  }

  /** If the user looks further back than the page's data, requests older data from the gateway. */
  async function fetchMore() {
    const wanted = chart.end() - chart.view.span;
    if (isFetching || !trace.isKnown || wanted > trace.from - 500 || !trace.isComplete) return;
    isFetching = true;
    const minutes = Math.min(60, Math.ceil((trace.to - wanted) / 60_000) + 5);
    if ((trace.to - trace.from) / 60_000 > 59) { isFetching = false; return; }
    try { trace.prepend(await api(`beacons/${part(beacon)}/history?minutes=${minutes}`)); } catch { /* the picture stays as it is */ }
    isFetching = false;
    chart.redraw();
  }

  function zoneNames() {
    const known = new Set(trace.zones.map((one) => one.zone));
    for (const zone of trace.estimates.keys()) known.add(zone);
    return [...known];
  }

  function update({ overview }) {
    const now = overview.beacons.find((one) => one.beacon === beacon);
    if (isMissing) { if (!now) return; miss(false); listen(); }
    // It was taken out of the configuration, or the gateway has started again.
    if (!now && isListed && !overview.beacons_omitted) { source?.close(); source = null; isListed = false; miss(true); return; }
    isListed = now != null;
    say(title, now ? nameOf(now) : beacon);
    rename.update(title.textContent);
    say(id, now?.name ? beacon : '');
    const zones = zoneNames();
    if (!chart.zoneName && zones.length) chart.zoneName = zones.find((zone) => zone === chosen) ?? zones.find((zone) => now?.zones.includes(zone)) ?? zones[0];
    updateTabs(zones.map((zone) => ({ zone })), (one) => one.zone);
    show(tabs, zones.length > 1);
    const zone = overview.zones.find((one) => one.zone === chart.zoneName);
    chart.numbers = zone && !zone.rooms ? { near: zone.near, enter: zone.enter, exit: zone.exit } : null;
    // A zone of rooms has no distance, so that of another zone is shown.
    chart.estimating = zone?.rooms ? zones.find((name) => trace.estimates.has(name) && !overview.zones.find((one) => one.zone === name)?.rooms) ?? chart.zoneName : chart.zoneName;
    chart.unit = [zone?.exit, zone?.enter, zone?.near].find((one) => one?.threshold != null)?.unit ?? 'm';
    chart.quietAfter = Math.max(5000, (now?.interval_s ?? 0) * 6000);
    trying.update(overview, zone ?? null);
    for (const one of overview.zones) trace.see(one.zone, one.state !== 'unknown', gatewayTime());
    if (overview.zones.some((one) => one.zone === chart.zoneName && one.state === 'unknown')) chart.redraw();
    say(standing, position(overview, now));
    say(facts, now ? [`${distance(now.distance_m)} ${deviation(now.distance_sd_m)}`, level(now.rssi_dbm), words.now.ago(duration(gatewayTime() - Date.parse(now.last_seen))), text.lastBy(now.receiver), now.interval_s == null ? '' : text.interval(interval(now.interval_s))].filter(Boolean).join(' · ') : '');
    const measured = Object.entries({ ...now?.readings, ...trace.readings });
    updateReadings(measured.map(([key, value]) => ({ key, value })), (one) => one.key);
    show(readingPanel, measured.length > 0);
    updateEvents(trace.events, (one) => one.id);
    show(eventPanel, trace.events.length > 0);
    show(notHeard, trace.isKnown && trace.sightings.t.length === 0);
    show(noZone, trace.isKnown && trace.sightings.t.length > 0 && zones.length === 0);
    say(note, trace.isKnown && !trace.isComplete ? text.incomplete(timeOf(trace.from)) : '');
    show(bar.tryButton, zone != null);
    decisions.update(trace.transitions);
    bar.update(trace);
  }

  function position(overview, now) {
    const parts = [];
    for (const zone of overview.zones) {
      const inside = zone.beacons.find((one) => one.beacon === beacon);
      if (zone.state === 'unknown') { if (inside || zone.zone === chart.zoneName) parts.push(inside ? text.unsure(zone.zone) : text.unknown(zone.zone)); }
      else if (inside) parts.push(inside.near ? text.isNear(zone.zone) : text.isIn(zone.zone, duration(gatewayTime() - Date.parse(inside.since))));
      else if (zone.zone === chart.zoneName) parts.push(text.outside(zone.zone));
    }
    const room = overview.rooms?.find((one) => one.room === now?.room);
    if (now?.room) parts.push(room?.state === 'unknown' ? text.unsure(now.room) : text.inRoom(now.room));
    return parts.join(' · ');
  }

  const stopDecisions = onTransition((one) => {
    if (one.beacon !== beacon) return;
    trace.decide(one);
    chart.redraw();
    decisions.update(trace.transitions);
    if (chart.isTrying) trying.again();
  });
  const sheet = el('section.sheet.chart-sheet', { 'aria-label': visible(text.chart(name)) },
    el('div.head', {}, tabs, facts, dwell.node, bar.node), notHeard, noZone, problem, box, bar.legend,
    el('p.unseen.help', { id: 'chart-help', text: text.help }), spoken, note);
  const rest = el('div.columns', {}, panel(text.decisions, decisions.node), eventPanel, readingPanel), missing = el('p.waiting', { hidden: true });
  say(title, name);
  say(missing, text.missing(beacon));
  listen();
  // A browser opens at most six connections to one gateway, so hidden pages close theirs.
  const stopWatching = whenSeen(() => { if (!source && !isMissing) listen(); }, () => { source?.close(); source = null; });
  const leave = () => { source?.close(); source = null; }, comeBack = (event) => { if (event.persisted && !source && !isMissing) listen(); };
  addEventListener('pagehide', leave);
  addEventListener('pageshow', comeBack);
  return {
    title: name,
    node: el('div.beacon', {},
      el('div.head', {}, link(['now'], '← ', words.back), el('div.title', {}, el('span.named', {}, title, rename.node), id), standing),
      missing, sheet, trying.node, rest),
    update,
    end() { removeEventListener('pagehide', leave); removeEventListener('pageshow', comeBack); stopWatching(); source?.close(); clearTimeout(retry); stopDecisions(); chart.stop(); bar.stop(); trying.stop(); },
  };
}

function happened(one) {
  const what = el('span.what');
  say(what, words.beacon.event(one));
  return { node: el('li', {}, el('time', { datetime: one.time, text: timeOf(Date.parse(one.time)) }), ' ', what), update() {} };
}

function measurement({ key }) {
  const name = el('dt'), amount = el('dd'), node = el('div', {}, name, amount);
  return { node, update({ value }) { const { label, text } = reading(key, value, words); say(name, label); say(amount, text); } };
}
