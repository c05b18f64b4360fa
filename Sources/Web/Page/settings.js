// The configuration as `check` explains it, and links to the API.
import { el, link, panel, say, show } from './dom.js';
import { words } from './words.js';
import { address, api } from './api.js';
import { dateOf, duration } from './figures.js';
import { lengthUnit } from './language.js';
import { gatewayTime, store } from './store.js';
import { copyButton } from './copy.js';

/** The explanation of `check`: a section for receivers, for zones, … */
function section({ section: kind, items }) {
  const rows = items.map(({ name, sentences }) => {
    const title = el('dt'), text = el('dd');
    say(title, name);
    say(text, sentences.join('\n'));
    return el('div', {}, title, text);
  });
  return el('section', {}, el('h3', { text: words.now[kind] ?? words.settings.sections[kind] ?? kind }), el('dl', {}, ...rows));
}

export function settingsView() {
  const text = words.settings;
  const explained = el('div.explained'), yaml = el('pre', { tabindex: 0, role: 'group', 'aria-label': text.file, hidden: true }), file = el('p.note'), noYaml = el('p.note', { text: text.noYaml, hidden: true }), problem = el('p.problem', { role: 'alert', hidden: true });
  const copy = el('div.row', {}, copyButton(() => yaml.textContent));
  const version = el('dd'), started = el('dd'), rights = el('dd');
  const lengths = el('select', { 'aria-label': text.lengths, onchange: () => { try { localStorage.setItem('lengths', lengths.value); } catch { /* the browser keeps nothing */ } location.reload(); } }, ...['m', 'ft'].map((one) => el('option', { value: one, text: text.lengthUnits[one], selected: one === lengthUnit })));
  const fact = (name, node) => el('div', {}, el('dt', { text: name }), node);
  const door = (path, name) => el('li', {}, el('a', { href: address(path), text: name }));

  let revision = '', again = null, isEnded = false;
  /** Asked for again when it changes, and until the gateway answers. */
  async function load() {
    clearTimeout(again);
    const mine = revision = store.overview.configuration_revision;
    try {
      const configuration = await api('configuration');
      if (isEnded || mine !== revision) return;
      show(problem, false);
      say(file, configuration.file ?? text.noFile);
      explained.replaceChildren(...configuration.explained.filter((one) => one.items.length).map(section));
      say(yaml, configuration.yaml ?? '');
      show(yaml, configuration.yaml != null);
      show(copy, configuration.yaml != null);
      show(noYaml, configuration.yaml == null && configuration.file != null);
    } catch (error) {
      if (isEnded || mine !== revision) return;
      say(problem, words.failed(error));
      show(problem, true);
      again = setTimeout(load, 3000);
    }
  }

  return {
    title: text.title,
    node: el('div.settings', {}, el('div.head', {}, el('h1', { text: text.title }), link(['setup'], words.setup.title)), problem,
      el('div.columns', {},
        panel(text.explained, explained),
        el('div', {}, panel(text.about, el('dl.facts', {}, fact(text.version, version), fact(text.started, started), fact(text.rights, rights), fact(text.lengths, el('dd', {}, lengths)))),
          panel(text.also, el('ul.doors', {}, door('./metrics', text.metrics), door('./healthz', text.health), door('./api/v1/openapi.json', text.api), door('./api/v1/marks', text.marks))))),
      panel(text.file, file, noYaml, el('div.yaml', {}, copy, yaml))),
    update({ overview }) {
      if (revision !== overview.configuration_revision) load();
      say(version, overview.version);
      say(started, `${dateOf(Date.parse(overview.started))} (${duration(gatewayTime() - Date.parse(overview.started))})`);
      say(rights, overview.rights.write ? text.write : text.read);
    },
    end() { isEnded = true; clearTimeout(again); },
  };
}
