// SPDX-License-Identifier: Apache-2.0

import { backend } from './backend.js';
import { h } from './dom.js';
import { filter } from './filter.js';
import { grouped, groups } from './grouped.js';
import { copier, empty, name } from './parts.js';
import { count, number, time, visibleLines } from './text.js';

const levels = {
  violation: 'Violations',
  improvement: 'Improvements',
  information: 'Information',
};

// few is how many of a level are shown at first.
const few = 15;

const form = filter('findings',
  { service: (f) => f.service ?? '', signal: (f) => f.signal, level: (f) => f.level, rule: (f) => f.rule },
  (f) => Object.values(f).join('\n'));
export const { choose, listen } = form;

// headings are what findings can be grouped by.
const headings = { '': (f) => f.level, rule: (f) => f.rule, service: (f) => f.service || f.system || '', name: (f) => f.original };

// worthFixing leaves out names that were repaired on the way, or that pass because no pack owns them. They
// are shown by service.
const worthFixing = (report) => report.findings.filter((f) => f.rule !== 'renamed' && !f.unowned);

export function findings(report, redraw) {
  const all = worthFixing(report), rows = form.rows(all);
  if (!all.length) return empty('Nothing to fix was found.');
  if (!rows.length) return empty('No finding matches the filter.');
  return list('findings', rows, headings[form.get('group')] ? form.get('group') : '', redraw);
}

// findingsOf are those of one service.
export const findingsOf = (service, report, redraw) => list(`findings of ${service}`, worthFixing(report), '', redraw);

function list(of, rows, by, redraw) {
  const all = groups(rows, headings[by]).map((g) => (by ? g : { ...g, class: g.heading, few }));
  const title = (g) => [by ? name(g.heading) : levels[g.heading] ?? g.heading, h('span', { class: 'muted' }, ` ${number(g.rows.length)}`)];
  return grouped(`${of} ${by}`, all, title, (f) => h('li', { key: key(f), class: f.level }, finding(f, by !== '')), redraw);
}

const key = (f) => JSON.stringify([f.rule, f.signal, f.service, f.system, f.original, f.suggestion]);

// words are a text of the collector, with what is between backticks as code.
const words = (text) => text.split('`').map((part, i) => (i % 2 ? h('code', null, part) : part));

const block = (text, label) => h('div', { class: 'paste' }, copier(text, label), h('pre', { tabindex: 0 }, visibleLines(text)));

// finding says its level where the heading does not.
function finding(f, withLevel) {
  return h('details', null,
    h('summary', null,
      h('code', { class: 'rule' }, f.rule),
      h('span', { class: 'what' }, name(f.original)),
      h('span', { class: 'who' }, withLevel && `${f.level} · `, name(f.service || f.system)),
      h('span', { class: 'number' }, `${number(f.total)} ×`)),
    h('div', { class: 'more' },
      h('p', null, `${f.reason.charAt(0).toUpperCase()}${f.reason.slice(1)}.`),
      h('dl', null,
        h('dt', null, 'What to do'), h('dd', null, words(f.action), ' ', h('a', { href: f.docs, target: '_blank', rel: 'noopener noreferrer' }, 'Documentation')),
        h('dt', null, 'Example'), h('dd', null, name(f.original)),
        f.suggestion && [h('dt', null, 'Should be'), h('dd', null, name(f.suggestion))],
        h('dt', null, 'Found'), h('dd', null, `${count(f.total, 'time')}, in ${f.signal}, since ${time(f.since)}`),
        f.trace_id && [h('dt', null, 'In trace'), h('dd', null, h('code', null, f.trace_id), ' ', copier(f.trace_id, 'Copy the trace id'), ' ', traceOf(f))]),
      f.paste && [h('h4', null, 'For the configuration or the pack'), block(f.paste, 'Copy the YAML')],
      f.code && [h('h4', null, f.paste ? 'Or in the code' : 'In the code'), block(f.code, 'Copy the code')]));
}

const traceOf = (f) => {
  const values = { trace_id: f.trace_id, service: f.service };
  return [backend('trace', values, f.trace_id), ' ', backend('logs', values, f.trace_id)];
};
