import { h } from './dom.js';
import { beginning, empty, name, rest, table } from './parts.js';
import { number, visible } from './text.js';

// The filter and the order are in the address, so that they can be shared.
const fields = { q: 'filter', service: 'filter-service', signal: 'filter-signal' };
const state = Object.fromEntries(new URLSearchParams(location.search));
// few is how many names are shown at first.
const few = 25;

const control = (field) => document.getElementById(fields[field]);

const orders = {
  count: (a, b) => b.total - a.total,
  name: (a, b) => (a.original < b.original ? -1 : a.original > b.original ? 1 : 0),
};

// listen redraws when a person changes the filter.
export function listen(redraw) {
  for (const field of Object.keys(fields)) {
    control(field).value = state[field] ?? '';
    control(field).addEventListener('input', () => set(field, control(field).value, redraw));
  }
  control('q').form.addEventListener('submit', (event) => event.preventDefault());
}

function set(field, value, redraw) {
  if (value) state[field] = value;
  else delete state[field];
  const query = new URLSearchParams(state).toString();
  history.replaceState(null, '', `${location.pathname}${query && `?${query}`}${location.hash}`);
  redraw();
}

export function explain(report, redraw) {
  const all = report.findings.filter((f) => f.name && f.suggestion);
  choices('service', all.map((f) => f.service ?? ''));
  choices('signal', all.map((f) => f.signal));
  const words = (state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const rows = all.filter((f) =>
    (!state.service || f.service === state.service) && (!state.signal || f.signal === state.signal)
    && words.every((word) => text(f).includes(word)));
  const order = Object.hasOwn(orders, state.sort ?? '') ? state.sort : 'count';
  rows.sort(orders[order]);
  document.getElementById('filtered').value = `${number(rows.length)} of ${number(all.length)}`;
  if (!all.length) return empty('No name had to change.');
  if (!rows.length) return empty('No name matches the filter.');

  const sortable = (by, title, direction) => ({
    title,
    sorted: order === by ? direction : 'none',
    head: h('button', { type: 'button', class: 'sort', onclick: () => set('sort', by === 'count' ? '' : by, redraw) }, title),
  });
  return [table('Names and what they became', [
    { ...sortable('name', 'Original', 'ascending'), cell: (f) => name(f.original) },
    { title: 'New', cell: (f) => [h('span', { class: 'arrow', 'aria-hidden': 'true' }, '→\u00a0'), name(f.suggestion)] },
    { title: 'Why', cell: (f) => [h('code', { class: 'rule' }, f.naming ?? f.rule), ' ', h('span', { class: 'muted' }, f.reason)] },
    { title: 'Service', cell: (f) => name(f.service) },
    { title: 'Signal', cell: (f) => f.signal },
    { ...sortable('count', 'Count', 'descending'), number: true, cell: (f) => number(f.total) },
  ], beginning('explain', rows, few), (f) => JSON.stringify([f.rule, f.naming, f.signal, f.service, f.system, f.original, f.suggestion])),
  rest('explain', rows, few, redraw)];
}

const text = (f) =>
  [f.original, f.suggestion, f.naming ?? f.rule, f.reason, f.service ?? '', f.system ?? '', f.signal, String(f.total)].join('\n').toLowerCase();

// choices fills a selection. What was chosen stays, whether it still comes or not.
function choices(field, values) {
  const chosen = state[field] ?? '';
  const select = control(field);
  const wanted = ['', ...[...new Set([...values, chosen])].filter(Boolean).sort()];
  if (wanted.length !== select.options.length || wanted.some((value, i) => select.options[i].value !== value)) {
    select.replaceChildren(...wanted.map((value) => new Option(visible(value) || 'all', value)));
  }
  if (select.value !== chosen) select.value = chosen;
}
