// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';
import { bar, empty, name, table } from './parts.js';
import { ago, number, time } from './text.js';

export function links({ links }) {
  if (!links.length) return empty('No link was derived yet.');
  const all = [...links].sort((a, b) => b.total - a.total);
  return table('Links by rule', [
    { title: 'Rule', cell: (l) => name(l.rule) },
    { title: 'Links', number: true, cell: (l) => number(l.total) },
    { title: 'Compared', cell: (l) => h('span', { class: 'meter plain' }, bar(l.total / (all[0].total || 1))) },
    { title: 'Waited in vain', number: true, cell: (l) => number(l.unmet ?? 0) },
  ], all, (l) => l.rule);
}

// expected shows the files that packs and settings come from, and what packs expect.
export function expected(report) {
  return [files(report.reloads), expectations(report)];
}

function files(reloads) {
  if (!reloads?.files?.length) return null;
  return h('div', { key: 'files' },
    reloads.refused && h('p', { class: 'bad', role: 'alert' }, `Changed files are refused since ${time(reloads.refused_at)}: `, h('code', null, reloads.refused)),
    (reloads.restart ?? []).map((what) => h('p', { class: 'bad', key: what }, `Needs a restart: ${what}`)),
    h('p', { class: 'muted' }, `Version ${number(reloads.generation)} of packs and settings, since ${time(reloads.since)}: `,
      reloads.files.map((file) => h('span', { key: file.path }, h('code', null, `${file.path} ${file.version}`), ' '))));
}

function expectations({ at, expectations }) {
  if (!expectations.length) return empty('No pack expects anything.');
  const order = (e) => (e.seen_since ? 0 : 1);
  return h('div', { class: 'cards' }, [...expectations].sort((a, b) => order(a) - order(b)).map((e) =>
    h('article', { key: e.system, class: e.seen_since ? '' : 'quiet' },
      h('h3', null, e.system),
      e.seen_since
        ? [['Metrics', e.metrics], ['Components', e.components], ['Ways', e.edges]].map(([title, all]) => list(title, all ?? [], new Date(at)))
        : h('p', { class: 'muted' }, 'Sends nothing at present.'))));
}

function list(title, all, at) {
  if (!all.length) return null;
  const missing = all.filter((e) => !e.last).length;
  return h('div', { key: title },
    h('h4', null, title, h('span', { class: 'muted' }, missing ? ` ${number(missing)} of ${number(all.length)} missing` : ` all ${number(all.length)} seen`)),
    h('ul', { class: 'checks' }, all.map((e) => h('li', { key: e.name, class: e.last ? 'good' : 'poor' },
      h('span', { class: 'mark', 'aria-hidden': 'true' }, e.last ? '✓' : '✗'), ' ', name(e.name),
      h('span', { class: 'muted' }, e.last ? ` ${ago(new Date(e.last), at)}` : ' missing')))));
}

export function limits({ limits }) {
  const met = limits.filter((l) => l.total);
  if (!met.length) return empty('None was met.');
  return table('Limits', [
    { title: 'Limit', cell: (l) => h('code', null, l.name) },
    { title: 'Items', number: true, cell: (l) => number(l.total) },
  ], met, (l) => l.name);
}
