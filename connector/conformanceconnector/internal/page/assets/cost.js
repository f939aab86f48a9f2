// SPDX-License-Identifier: Apache-2.0

// One metric of the explorer: its series as they came and as they were sent, and what makes them.

import { ofMetric } from './address.js';
import { backend } from './backend.js';
import { h } from './dom.js';
import { bar, copier, name, table, toService } from './parts.js';
import { bytes, count, number, short, visible, visibleLines } from './text.js';
import { trend } from './trend.js';
import { readersOf, readersOfKey } from './usage.js';

// opened are the metrics whose attributes a person looks at. Others are not drawn.
const opened = new Set();

export const costKey = (m) => JSON.stringify([m.service, m.name, m.processor]);

// open opens a metric.
export const open = (m) => opened.add(costKey(m));

// cost draws a metric. Its bars are shares of scale series. toggled is called when a person opens or closes
// it.
export function cost(m, scale, withService, toggled) {
  const key = costKey(m);
  return h('details', { class: 'cost', open: opened.has(key), 'data-metric': key, ontoggle: (event) => toggle(m, event.currentTarget.open, toggled) },
    h('summary', null,
      h('span', { class: 'what' }, name(m.name), withService && [' ', h('span', { class: 'who' }, name(m.service))],
        h('span', { class: 'why' }, says(m), readersOf(m.name) && ` · ${readersOf(m.name)}`)),
      trend(m),
      h('span', { class: 'flow' }, flow('came', m.in.series, scale), flow('sent', m.out.series, scale)),
      h('span', { class: 'rates' }, `${change(short, m.in.points, m.out.points)} points/s · ${change(bytes, m.in.bytes, m.out.bytes)}/s`,
        rules(m).map(([rule, n]) => [' · ', `${number(n)} merged by `, h('code', { class: 'rule' }, visible(rule))]))),
    opened.has(key) && h('div', { class: 'more' }, body(m)));
}

function toggle(m, open, toggled) {
  const key = costKey(m);
  if (open === opened.has(key)) return;
  if (open) opened.add(key);
  else opened.delete(key);
  toggled(m, open);
}

const rules = (m) => Object.entries(m.folded ?? {}).sort((a, b) => b[1] - a[1]);

const change = (format, before, after) => `${format(before)} → ${format(after)}`;

const flow = (what, n, scale) => h('span', { class: what }, h('span', { class: 'muted' }, `${what} `), h('strong', null, number(n)), ' ', bar(n / scale));

// removers are what removes attributes.
const removers = { pack: 'a pack', setting: 'a setting' };
const remover = (by) => removers[by] ?? by;

function says({ culprit: of, not_followed: why }) {
  if (!of) return why ? `not followed: ${visible(why)}` : 'no single attribute makes most of the series';
  const keys = of.keys.slice(0, 3).map((key, i) => [i > 0 && ', ', h('strong', null, name(key))]);
  return of.removed
    ? [keys, ` made most of the series; removed by ${remover(of.removed)}, ${number(of.left)} left`]
    : [keys, ` makes most of the series; ${number(of.left)} without it`];
}

// fixed are the attributes of a metric that have fixes.
export const fixed = (m) => m.attributes.filter((a) => a.fixes?.length);

// same reports whether an attribute is what makes the series, and stays.
export const same = (a, of) => of && !of.removed && of.keys[0] === a.key;

// ruleWords say what merged series.
const ruleWords = {
  attribute: 'an attribute was removed',
  attribute_limit: 'an attribute had more values than its limit',
  limit: 'the metric had more series than its limit',
  service_limit: 'the service had more series than its limit',
  memory: 'the memory for series was full',
  overflow: 'they came as an overflow series',
};

function body(m) {
  const all = fixed(m).sort((a, b) => a.fixes[0].series - b.fixes[0].series);
  return [
    m.not_followed && h('p', { key: 'not_followed' }, `Not followed: ${visible(m.not_followed)}.`),
    all.length > 0
      ? h('div', { class: 'fixes', key: 'fixes' }, h('h4', null, 'What to paste'), all.map((a, i) => fixes(m, a, i === 0)))
      : h('p', { key: 'fixes' }, m.culprit?.removed ? 'Nothing to paste: what made the series is removed.' : 'Nothing to paste for this metric.'),
    h('div', { key: 'attributes' }, h('h4', null, 'Attributes of its points, as they came'), attributes(m)),
    h('dl', { key: 'facts' },
      h('dt', null, 'Service'), h('dd', null, toService(m.service), ' ', backend('logs', { service: m.service }, m.service)),
      h('dt', null, 'Series'), h('dd', null, `${change(number, m.in.series, m.out.series)}, at most ${number(m.limit)} of one resource`),
      h('dt', null, 'Data points'), h('dd', null, `${change(short, m.in.points, m.out.points)} a second`),
      h('dt', null, 'Bytes'), h('dd', null, `${change(bytes, m.in.bytes, m.out.bytes)} a second, in OTLP without compression`),
      rules(m).map(([rule, n]) => [
        h('dt', { key: `${rule} dt` }, 'Merged'),
        h('dd', { key: `${rule} dd` }, `${number(n)} series by `, h('code', { class: 'rule' }, visible(rule)), ruleWords[rule] && `: ${ruleWords[rule]}`)]),
      h('dt', null, 'Processor'), h('dd', null, h('code', null, visible(m.processor))),
      h('dt', null, 'Link'), h('dd', null, h('a', { href: ofMetric(m.service, m.name) }, 'To this metric'), ' ',
        backend('metric', { metric: m.name, service: m.service }, m.name))),
  ];
}

// kinds say what a fix does.
const kinds = {
  owners: 'Keep it on a metric of the owners',
  drop_attributes: 'Remove it from this metric',
  attribute_limits: 'Limit its values in all metrics; further ones become other',
  pack: 'Say in a pack that it holds ids',
};

// fixes are what to paste against one attribute. Those of the first one are shown at once.
const fixes = (m, a, first) => h('details', { key: a.key, class: 'fix', open: first },
  h('summary', null, name(a.key), ' ', h('span', { class: 'prediction' }, prediction(m, a.fixes[0]))),
  a.fixes.map((f) => h('div', { class: 'paste', key: f.kind },
    h('p', null, `${kinds[f.kind] ?? f.kind}: `, h('strong', { class: 'prediction' }, prediction(m, f))),
    copier(f.yaml, `Copy YAML of ${f.kind} for ${visible(a.key)} of ${visible(m.name)}`, 'Copy YAML'),
    h('pre', { tabindex: 0 }, visibleLines(f.yaml)))));

const prediction = (m, fix) => `${change(number, m.out.series, fix.series)} series`;

// longest is how much is shown of a sample.
const longest = 60;
const sample = (text) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

const attributes = (m) => table(`Attributes of ${m.name}`, [
  { title: 'Attribute', cell: (a) => name(a.key) },
  { title: 'Values', number: true, cell: (a) => `${a.exact ? '' : '≈ '}${number(a.values)}` },
  { title: 'Such as', cell: (a) => h('span', { class: 'samples' }, (a.samples ?? []).slice(0, 5).map((text) => [h('code', null, name(sample(text))), ' '])) },
  { title: 'Series without it', number: true, cell: (a) => (a.removed ? h('span', { class: 'none' }, '–') : [number(a.without), ' ', bar(a.without / Math.max(1, m.in.series))]) },
  { title: 'State', cell: (a) => (a.removed ? `removed by ${remover(a.removed)}` : ['kept', readersOfKey(m.name, a.key) && `, ${readersOfKey(m.name, a.key)}`]) },
], m.attributes, (a) => a.key);
