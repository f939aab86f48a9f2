// SPDX-License-Identifier: Apache-2.0

import { backend } from './backend.js';
import { h } from './dom.js';
import { filter } from './filter.js';
import { beginning, copier, empty, name, rest, table, toService } from './parts.js';
import { number, visible } from './text.js';

// few is how many names are shown at first.
const few = 25;

const form = filter('explain',
  { service: (f) => f.service ?? '', signal: (f) => f.signal },
  (f) => [f.original, f.suggestion, f.naming ?? f.rule, f.reason, f.service ?? '', f.system ?? '', f.signal, String(f.total)].join('\n'));
export const { choose, listen } = form;

const orders = {
  count: (a, b) => b.total - a.total,
  name: (a, b) => (a.original < b.original ? -1 : a.original > b.original ? 1 : 0),
};

export function explain(report, redraw) {
  const all = report.findings.filter((f) => f.name && f.suggestion), rows = form.rows(all);
  const order = Object.hasOwn(orders, form.get('sort')) ? form.get('sort') : 'count';
  rows.sort(orders[order]);
  if (!all.length) return empty('No name had to change.');
  if (!rows.length) return empty('No name matches the filter.');

  const sortable = (by, title, direction) => ({
    title,
    sorted: order === by ? direction : 'none',
    head: h('button', { type: 'button', class: 'sort', onclick: () => form.set('sort', by === 'count' ? '' : by, true) }, title),
  });
  return [table('Names and what they became', [
    { ...sortable('name', 'Original', 'ascending'), cell: (f) => name(f.original) },
    { title: 'New', cell: (f) => [h('span', { class: 'arrow', 'aria-hidden': 'true' }, '→\u00a0'), name(f.suggestion)] },
    { title: 'Why', cell: (f) => [h('code', { class: 'rule' }, f.naming ?? f.rule), ' ', h('span', { class: 'muted' }, `${f.reason}; ${pack(f)}`), ' ',
      f.paste && copier(f.paste, `Copy YAML for a pack, for ${visible(f.original)}`, 'Copy YAML'), ' ',
      f.trace_id && backend('trace', { trace_id: f.trace_id, service: f.service }, f.trace_id)] },
    { title: 'Service', cell: (f) => toService(f.service) },
    { title: 'Signal', cell: (f) => f.signal },
    { ...sortable('count', 'Count', 'descending'), number: true, cell: (f) => number(f.total) },
  ], beginning('explain', rows, few), (f) => JSON.stringify([f.rule, f.naming, f.signal, f.service, f.system, f.original, f.suggestion])),
  rest('explain', rows, few, redraw)];
}

const pack = (f) => (!f.system || f.system === 'none' ? 'no pack owns it' : `pack ${visible(f.system)}`);
