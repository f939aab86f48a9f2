// SPDX-License-Identifier: Apache-2.0

// The section about readers: which dashboards, rules and autoscalers need which metric and attribute.

import { h } from './dom.js';
import { copier, empty, name, table } from './parts.js';
import { count, number, time, visible, visibleLines } from './text.js';

let answer; // null: no files of readers
let byName = new Map();

// use takes what the collector knows of readers.
export function use(next) {
  answer = next;
  byName = new Map(next?.metrics.map((m) => [m.metric, m]));
}

// says tells who reads something.
const says = (by) => (by ? `read by ${by}` : 'read by nobody');

// readersOf tells who reads a metric. It is empty without files of readers.
export const readersOf = (metric) => (byName.has(metric) ? says(byName.get(metric).read_by) : '');

const attributeOf = (metric, key) => byName.get(metric)?.attributes.find((a) => a.key === key);

// readersOfKey tells who reads an attribute of a metric.
export function readersOfKey(metric, key) {
  const attribute = attributeOf(metric, key);
  return attribute ? verdict(attribute) : '';
}

// needed reports whether an answer is lost without an attribute of a metric.
export const needed = (metric, key) => attributeOf(metric, key)?.free === false;

const verdict = (a) => (a.free ? 'read by nobody' : a.read_by ? says(a.read_by) : Object.keys(a.reasons ?? {}).map(visible).join('; '));

export function usage() {
  if (!answer) {
    return h('p', { class: 'note' }, 'The connector\'s setting ', h('code', null, 'usage'), ' (', h('code', null, 'OTELCOL_TC_USAGE'),
      ') names files of dashboards and rules. Then you see here which attributes nobody reads, and what to paste.');
  }
  return [
    answer.refused && h('p', { class: 'bad', role: 'alert', key: 'refused' },
      `${answer.since ? 'Refused' : 'Not read'} since ${time(answer.refused_at)}: `, h('code', { class: 'lines' }, visibleLines(answer.refused))),
    answer.since && h('p', { class: 'muted', key: 'files' }, `${count(answer.files, 'file')}, read ${time(answer.since)}. ${answer.absent ? `${count(answer.absent, 'metric')} of them did not come here.` : ''}`),
    answer.fault && h('p', { class: 'note', key: 'fault' }, visible(answer.fault)),
    answer.metrics.length > 0 && settings(),
    answer.metrics.length ? metrics() : answer.since ? empty() : empty('The files are not read yet.'),
    undecided(),
  ];
}

// settings is what to paste, as the command writes it.
const settings = () => h('details', { key: 'settings' },
  h('summary', null, 'What to paste'),
  h('div', { class: 'paste' }, copier(answer.yaml, 'Copy YAML that removes what nobody reads', 'Copy YAML'), ' ',
    h('a', { download: '', href: 'api/v1/usage.yaml' }, 'Download'),
    h('pre', { tabindex: 0 }, visibleLines(answer.yaml))));

const metrics = () => table('Metrics by what would be saved', [
  { title: 'Metric', cell: (m) => name(m.metric) },
  { title: 'Read by', cell: readers },
  { title: 'Series', number: true, cell: (m) => number(m.series.now) },
  { title: 'Left', number: true, cell: left },
  { title: 'Attributes', cell: (m) => h('ul', { class: 'keys' }, m.attributes.map((a) => h('li', { key: a.key }, name(a.key), ' ', h('span', { class: 'muted' }, verdict(a))))) },
], answer.metrics, (m) => m.metric);

// left is how many series are left without what nobody reads.
function left({ series, read_by: by }) {
  if (!by) return h('span', { class: 'muted' }, 'one a resource');
  return series.after < series.now ? h('strong', { class: 'prediction' }, `${series.at_most ? '≤ ' : ''}${number(series.after)}`) : number(series.after);
}

const readers = (m) => (m.read_by
  ? h('details', null, h('summary', null, m.read_by), h('ul', null,
    m.readers.map((r, i) => h('li', { key: i }, `${r.kind} `, h('span', { class: 'muted' }, name(r.place)))),
    m.not_shown > 0 && h('li', { key: 'not shown' }, `${number(m.not_shown)} more`)))
  : h('span', { class: 'none' }, 'nobody'));

const undecided = () => answer.undecided.length > 0 && h('details', { key: 'undecided' },
  h('summary', null, `${count(answer.undecided.length + (answer.not_shown ?? 0), 'reader')} not decided: what they may read is needed`),
  h('ul', null, answer.undecided.map((u, i) => h('li', { key: i }, name(`${u.file}:${u.line ?? ''}`), ' ', visible(u.title ?? ''), ' ',
    h('span', { class: 'muted' }, visible(u.reason))))));
