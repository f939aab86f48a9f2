// SPDX-License-Identifier: Apache-2.0

// The section about series: what they cost, what makes them, and what to paste.

import { ofMetric, write } from './address.js';
import { cost, costKey, fixed, open, same } from './cost.js';
import { h } from './dom.js';
import { filter } from './filter.js';
import { grouped, groups } from './grouped.js';
import { copier, empty, name, toService } from './parts.js';
import { saved } from './saved.js';
import { count, number, visible } from './text.js';
import { needed } from './usage.js';

const form = filter('series',
  { service: (m) => m.service, rule: (m) => Object.keys(m.folded ?? {}) },
  (m) => [m.name, m.service, ...m.attributes.map((a) => a.key)].join('\n'));
export const { choose, listen } = form;

// headings are what metrics can be grouped by.
const headings = {
  '': (m) => m.service,
  name: (m) => m.name,
  rule: (m) => (m.folded && Object.keys(m.folded).length ? Object.keys(m.folded) : ''),
  none: () => '',
};

let addressed; // the metric that the address names, and whether it was opened

// address puts a metric first and opens it, or none.
export function address(metric) {
  addressed = metric;
}

const isAddressed = (m) => addressed && m.service === addressed.service && m.name === addressed.name;

export function explorer(report, redraw) {
  const { metrics } = report.explorer;
  document.querySelector('#series form').hidden = !metrics.length;
  if (!metrics.length) return h('p', { class: 'note' }, missing(report.explorer));
  const rows = form.rows(metrics);
  if (addressed) {
    rows.sort((a, b) => Number(isAddressed(b)) - Number(isAddressed(a)));
    if (!addressed.opened) rows.filter(isAddressed).forEach((m) => { open(m); addressed.opened = true; });
  }
  return [
    saved(report.explorer.saved),
    answer(metrics),
    addressed && !rows.some(isAddressed) && h('p', { class: 'note', key: 'unknown' }, name(addressed.name), ' of ', name(addressed.service), ' is not in the report: no point of it came lately, or there was no room for it.'),
    rows.length ? costs('series', rows, scaleOf(metrics), headings[form.get('group')] ? form.get('group') : '', redraw, true) : empty('No metric matches the filter.'),
    report.explorer.not_shown > 0 && h('p', { class: 'more', key: 'not shown' }, `${count(report.explorer.not_shown, 'metric')} with fewer series: not shown.`),
  ];
}

// missing says why no series are shown.
const missing = ({ shared }) => (shared
  ? 'No metric came to the cardinality processor yet.'
  : 'To see series before and after, the attribute that makes them and what to paste, this collector needs a cardinality processor and the conventions extension.');

// scaleOf is the number of series that fills a bar.
const scaleOf = (metrics) => Math.max(1, ...metrics.flatMap((m) => [m.in.series, m.out.series]));

// dearest is the metric that sends the most series which a fix for its culprit would save, and the fix. Metrics
// whose culprit a reader needs are left out.
function dearest(metrics) {
  let most = null;
  for (const m of metrics) {
    const of = fixed(m).find((a) => same(a, m.culprit));
    if (!of || needed(m.name, of.key)) continue;
    const key = of.key, fix = of.fixes[0];
    const saves = m.out.series - fix.series;
    if (saves > (most?.saves ?? 0)) most = { metric: m, key, fix, saves };
  }
  return most;
}

// answer names the attribute that costs the most, and has its fix.
function answer(metrics) {
  const most = dearest(metrics);
  return most && h('div', { class: 'answer', key: 'answer' },
    h('p', null, 'Most would be saved at the attribute ', h('strong', null, name(most.key)), ' of ',
      h('a', { href: ofMetric(most.metric.service, most.metric.name) }, name(most.metric.name)), ' of ', toService(most.metric.service), ': ',
      h('strong', { class: 'prediction' }, `${number(most.metric.out.series)} → ${number(most.fix.series)} series`), '.'),
    copier(most.fix.yaml, `Copy YAML for ${visible(most.key)} of ${visible(most.metric.name)}`, 'Copy YAML'));
}

const sum = (rows, which) => rows.reduce((total, m) => total + m[which].series, 0);

// costs are metrics below headings. An opened metric gets into the address if they are those of all services.
function costs(list, rows, scale, by, redraw, ofAll) {
  const all = groups(rows, headings[by]);
  if (by !== 'rule' && !addressed) all.sort((a, b) => sum(b.rows, 'in') - sum(a.rows, 'in'));
  const toggled = (m, isOpen) => {
    if (isOpen && ofAll) write(ofMetric(m.service, m.name), false);
    redraw();
  };
  const title = (g) => [
    by === '' ? toService(g.heading) : by === 'none' ? 'Most series first' : g.heading ? name(g.heading) : 'Not merged',
    h('span', { class: 'muted' }, ` ${number(sum(g.rows, 'in'))} → ${number(sum(g.rows, 'out'))} series of ${count(g.rows.length, 'metric')}`)];
  return h('div', { class: 'costs', key: 'costs' }, grouped(`${list} ${by}`, all.map((g) => ({ ...g, few: by === 'none' ? 25 : undefined })), title,
    (m) => h('li', { key: costKey(m) }, cost(m, scale, ofAll && by !== '', toggled)), redraw));
}

// costsOf are the metrics of one service.
export const costsOf = (service, metrics, redraw) => costs(`series of ${service}`, metrics, scaleOf(metrics), 'none', redraw, false);
