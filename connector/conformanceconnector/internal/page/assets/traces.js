// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';
import { graphs, model, says, wayName } from './graph.js';
import { empty, name, table, toService } from './parts.js';
import { count, duration, number } from './text.js';

// rules are those of findings about spans' parents and times.
const rules = { missing_parent: 'missing parents', implausible_time: 'before 2001', ends_before_start: 'end before start', starts_before_parent: 'start before parent', ends_after_parent: 'end after parent' };

export function traces(report) {
  const graph = model(report);
  return [
    report.one_in > 1 && h('p', { class: 'note', key: 'sample' }, `More traces come than there is room for: one in ${number(report.one_in)} is judged.`),
    graph.nodes.length ? [graphs(graph), details(graph)] : empty(report.traces?.waiting
      ? `No trace was judged yet: ${count(report.traces.waiting, 'trace')} wait for spans that may still come.` : 'No trace was judged yet.'),
    bySpans(report),
    clocks(report.skews),
  ];
}

const expected = { kept: 'expected, kept', broken: 'expected, broken', unseen: 'expected' };

function details({ nodes, edges }) {
  return h('details', { key: 'tables' }, h('summary', null, 'The same as tables'),
    table('Ways between components', [
      { title: 'From', cell: (e) => wayName(nodes, e.from) },
      { title: 'To', cell: (e) => wayName(nodes, e.to) },
      { title: 'Spans', number: true, cell: (e) => number(e.spans) },
      { title: 'State', cell: (e) => (e.expected ? `${expected[e.expected]}${e.expected === 'kept' ? '' : `: ${says(e).join(' ').replace('expected, ', '')}`}` : '–') },
    ], edges, (e) => `${e.from} ${e.to}`),
    table('Components', [
      { title: 'Component', cell: (n) => name(n.name) },
      { title: 'System', cell: (n) => n.system || '–' },
      { title: 'Spans', number: true, cell: (n) => number(n.spans) },
      { title: 'Roots', number: true, cell: (n) => number(n.roots) },
      { title: 'Missing parents', number: true, cell: (n) => number(n.missing_parents) },
    ], nodes, (n) => JSON.stringify([n.system, n.name])));
}

export function bySpans(report) {
  const counts = new Map();
  for (const c of report.counts) if (rules[c.rule]) {
    const key = `${c.service} ${c.rule}`; // of several systems
    counts.set(key, (counts.get(key) ?? 0) + c.total);
  }
  const rows = report.services.filter((s) => s.spans || s.late_spans || s.unjudged_spans);
  if (!rows.length) return null;
  return [h('h3', { key: 'by service' }, 'Spans by service'), table('Spans by service', [
    { title: 'Service', cell: (s) => toService(s.name) },
    { title: 'judged', number: true, cell: (s) => number(s.spans) },
    { title: 'roots', number: true, cell: (s) => number(s.roots) },
    ...Object.entries(rules).map(([rule, title]) => ({ title, number: true, cell: (s) => found(counts.get(`${s.name} ${rule}`) ?? 0) })),
    { title: 'late', number: true, cell: (s) => found(s.late_spans) },
    { title: 'not judged', number: true, cell: (s) => found(s.unjudged_spans) },
  ], rows, (s) => s.name)];
}

// found is a number that should be none.
const found = (n) => (n ? h('strong', { class: 'found' }, number(n)) : '0');

export function clocks(skews) {
  if (!skews.length) return null;
  return [h('h3', { key: 'clocks' }, 'Clocks'), table('Clocks', [
    { title: 'Client', cell: (s) => name(s.client) },
    { title: 'Server', cell: (s) => name(s.server) },
    { title: 'Server is ahead by', number: true, cell: (s) => `${duration(s.offset_ns)}${s.bounded ? ` ± ${duration(s.uncertain_ns)}` : ' (calls contradict each other)'}` },
    { title: 'Calls', number: true, cell: (s) => number(s.calls) },
  ], skews, (s) => JSON.stringify([s.client, s.server]))];
}
