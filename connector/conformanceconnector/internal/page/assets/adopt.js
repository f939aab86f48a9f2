// SPDX-License-Identifier: Apache-2.0

// By service, the names as they come and as they would be, or as they were and are, and what adopts
// the rest.

import { h } from './dom.js';
import { beginning, copier, empty, name, rest, table } from './parts.js';
import { bytes, count, number, visibleLines } from './text.js';

// few is how many names of a service are shown at first.
const few = 25;

// opened are the services whose names a person looks at. Others are not drawn.
const opened = new Set();

export function adopt(report, redraw) {
  const all = report.services.map((s) => of(report, s)).filter((s) => s.names.length || s.protected.length || s.ids.length || s.adopt);
  if (!all.length) return empty('No name had to change.');
  all.sort((a, b) => waiting(b) - waiting(a) || b.names.length - a.names.length || (a.name < b.name ? -1 : 1));
  return h('ul', { class: 'services' }, all.map((s) => h('li', { key: s.name }, service(s, redraw))));
}

// of is what the report has of the names of one service.
function of(report, s) {
  const metrics = new Map(report.metrics.filter((m) => m.service === s.name).map((m) => [m.name, m]));
  const names = report.findings.filter((f) => f.name && f.suggestion && f.service === s.name).map((f) => ({
    ...f,
    done: f.rule === 'renamed',
    metric: f.signal === 'metrics' ? metrics.get(f.rule === 'renamed' ? f.suggestion : f.original) : undefined,
  }));
  names.sort((a, b) => a.done - b.done || b.total - a.total);
  const ids = [...metrics.values()].flatMap((m) => (m.attributes ?? []).filter((a) => a.id).map((a) => ({ ...a, metric: m })));
  return { ...s, names, ids, protected: report.protected.filter((p) => p.service === s.name) };
}

const waiting = (s) => s.names.filter((f) => !f.done).length;

function service(s, redraw) {
  const left = waiting(s);
  return h('details', { ontoggle: (event) => toggle(s.name, event.currentTarget.open, redraw) },
    h('summary', null,
      h('span', { class: 'what' }, name(s.name)),
      h('span', { class: 'who' }, says(s)),
      h('span', { class: 'number' }, !s.names.length ? '' : left ? `${count(left, 'name')} would change` : `${count(s.names.length, 'name')} changed`)),
    opened.has(s.name) && h('div', { class: 'more' }, body(s, redraw)));
}

const says = (s) => (s.unowned ? 'no pack owns it' : s.audit ? 'audited' : '');

function toggle(of, open, redraw) {
  if (open === opened.has(of)) return;
  if (open) opened.add(of);
  else opened.delete(of);
  redraw();
}

// namesOf are the names of one service.
export const namesOf = (report, s, redraw) => body(of(report, s), redraw);

function body(s, redraw) {
  const key = `adopt ${s.name}`;
  return [
    s.adopt && h('div', { key: 'adopt' },
      h('p', { class: 'actions' },
        copier(s.adopt, `Copy YAML that adopts ${s.name}`, 'Copy YAML'), ' ',
        copier(s.adopt_values, `Copy Helm values that adopt ${s.name}`, 'Copy Helm values'), ' ',
        copier(s.adopt_variable, `Copy the variable that adopts ${s.name}`, 'Copy variable')),
      h('pre', { tabindex: 0 }, visibleLines(s.adopt))),
    s.names.length > 0 && h('p', { class: 'actions', key: 'draft' },
      copier(() => draft(s.name), `Copy draft pack for ${s.name}`, 'Copy draft pack'), ' ',
      h('a', { href: draftOf(s.name), target: '_blank', rel: 'noreferrer', 'aria-label': `Open it, the draft of a pack for ${s.name}` }, 'Open it')),
    s.names.length > 0 && h('div', { key: 'names' }, names(s, beginning(key, s.names, few))),
    rest(key, s.names, few, redraw),
    s.ids.length > 0 && h('div', { key: 'ids' }, ids(s)),
    s.protected.length > 0 && h('div', { key: 'protected' }, protection(s)),
  ];
}

const draftOf = (service) => `api/v1/draft?service=${encodeURIComponent(service)}`;

async function draft(service) {
  const response = await fetch(draftOf(service), { cache: 'no-store' });
  if (!response.ok) throw new Error(`the collector answers ${response.status}`);
  return response.text();
}

const kinds = { metrics: 'metric', traces: 'span', attributes: 'attribute' };

const names = (s, rows) => table(`Names of ${s.name}`, [
  { title: 'As it comes', cell: (f) => name(f.original) },
  { title: 'Conformant', cell: (f) => [h('span', { class: 'arrow', 'aria-hidden': 'true' }, '→\u00a0'), name(f.suggestion)] },
  { title: 'State', cell: (f) => (f.done ? 'changed' : f.unowned ? 'passes' : 'would change') },
  { title: 'Kind', cell: (f) => kinds[f.signal] ?? f.signal },
  { title: 'Why', cell: (f) => [h('code', { class: 'rule' }, f.naming ?? f.rule), ' ', h('span', { class: 'muted' }, f.reason)] },
  { title: 'Pack', cell: (f) => (f.system === 'none' ? h('span', { class: 'none' }, 'none') : name(f.system)) },
  { title: 'Series', number: true, cell: (f) => series(f.metric) },
  { title: 'Count', number: true, cell: (f) => number(f.total) },
], rows, (f) => JSON.stringify([f.rule, f.naming, f.signal, f.system, f.original, f.suggestion]));

// series are those that the metric has, and those that are left without its ids.
const series = (m) => (m ? [number(m.series), m.merged > 0 && m.merged < m.series && [' ', h('span', { class: 'muted' }, `→ ${number(m.merged)} at most`)]]
  : h('span', { class: 'none' }, '–'));

const ids = (s) => [
  h('h3', null, 'Attributes that hold ids'),
  table(`Ids of ${s.name}`, [
    { title: 'Attribute', cell: (a) => name(a.key) },
    { title: 'Metric', cell: (a) => name(a.metric.name) },
    { title: 'Says', cell: (a) => (a.id === 'pack' ? 'a pack' : 'suspected') },
    { title: 'Values', number: true, cell: (a) => `${a.exact ? '' : '≈ '}${number(a.values)}` },
    { title: 'Series', number: true, cell: (a) => number(a.metric.series) },
  ], s.ids, (a) => JSON.stringify([a.metric.name, a.key])),
];

const protection = (s) => [
  h('h3', null, 'Protected content'),
  table(`Protected content of ${s.name}`, [
    { title: 'Key', cell: (p) => name(p.key) },
    { title: 'Action', cell: (p) => p.action },
    { title: 'Values', number: true, cell: (p) => number(p.total) },
    { title: 'Length', number: true, cell: (p) => (p.bytes ? bytes(p.bytes) : h('span', { class: 'none' }, '–')) },
    { title: 'To keep it', cell: (p) => (p.allow ? h('code', { class: 'name' }, `content: {allow: [${JSON.stringify(p.allow)}]}`) : h('span', { class: 'none' }, '–')) },
  ], s.protected, (p) => JSON.stringify([p.key, p.action])),
  h('p', { class: 'muted' }, `To keep all content of the service: services: {${JSON.stringify(s.name)}: {content: keep}}`),
];
