import { h } from './dom.js';
import { nothing } from './empty.js';
import { empty, meter, table, toService } from './parts.js';
import { count, number, percent } from './text.js';

const signals = ['traces', 'metrics', 'logs', 'attributes'];

// sum adds up what scores count.
function sum(scores) {
  const total = { checked: 0, conformant: 0, arrived: 0 };
  for (const s of scores) {
    total.checked += s.checked;
    total.conformant += s.conformant;
    total.arrived += s.conformant - s.renamed;
  }
  return total;
}

// parts are the scores of the names that follow the convention, or those of names that pass.
const parts = (scores, which) => scores.map((s) => ({ ...s, ...s[which] })).filter((s) => s.checked);

// weakest is the least share of any signal, as it leaves and, for equals, as it arrived.
function weakest(scores) {
  const least = (part) => Math.min(1, ...scores.map((s) => part(s) / s.checked));
  return [least((s) => s.conformant), least((s) => s.conformant - s.renamed)];
}

// overview is the headline: how much conforms, and how much there is to do.
export function overview(report) {
  const whole = report.services.flatMap((s) => s.scores);
  if (!sum(whole).checked) return nothing(report);
  const scores = parts(whole, 'owned');
  const all = sum(scores);
  const passing = sum(parts(whole, 'unowned'));
  const owned = report.services.filter((s) => !s.unowned).length;
  return [
    h('div', { class: 'headline', key: 'headline' },
      h('div', { class: 'tile main' },
        h('strong', { class: 'big' }, all.checked ? percent(all.conformant, all.checked) : '–'),
        h('p', null, all.checked ? `of ${count(all.checked, 'item')} from ${count(owned, 'service')} conform` : 'No pack owns what came.'),
        passing.checked > 0 && h('p', { class: 'muted' }, h('a', { href: '#adopt' }, count(passing.checked, all.checked ? 'more item' : 'item')),
          ` of no pack pass; ${percent(passing.conformant, passing.checked)} conform`),
        all.arrived < all.conformant && h('p', { class: 'muted' }, `${percent(all.arrived, all.checked)} did when they arrived`)),
      signals.map((signal) => tile(signal, sum(scores.filter((s) => s.signal === signal)), all.checked > 0))),
    h('ul', { class: 'todo', key: 'todo' }, todo(report)),
  ];
}

function tile(signal, total, any) {
  return h('div', { class: 'tile', key: signal },
    h('h2', null, signal),
    total.checked ? meter(total.conformant, total.checked) : h('p', { class: 'none' }, any ? 'none came' : 'none of a pack'),
    total.arrived < total.conformant && h('p', { class: 'muted' }, `arrived: ${percent(total.arrived, total.checked)}`));
}

// todo are the numbers that should be none, each with where to look.
function todo(report) {
  const found = (level) => report.findings.filter((f) => f.level === level).length;
  const edges = report.expectations.flatMap((e) => e.edges ?? []);
  const missing = report.findings.filter((f) => f.rule.startsWith('missing_') && f.rule !== 'missing_parent').length;
  return [
    ['#findings', found('violation'), 'violation', 'poor'],
    ['#findings', found('improvement'), 'improvement', 'fair'],
    ['#series', report.metrics.filter((m) => m.series > m.limit).length, 'metric over its limit', 'poor', 'metrics over their limit'],
    ['#traces', edges.filter((e) => e.reached < e.traces).length, 'broken way', 'poor'],
    ['#expected', missing, 'expected thing missing', 'fair', 'expected things missing'],
  ].map(([to, n, one, bad, several]) =>
    h('li', { class: n ? bad : 'good' }, h('a', { href: to }, `${number(n)} ${n === 1 ? one : several ?? `${one}s`}`)));
}

export function services(report) {
  if (!report.services.length) return empty();
  const rows = report.services.map((s) => ({ ...s, order: weakest(parts(s.scores, s.unowned ? 'unowned' : 'owned')) }))
    .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1] || (a.name < b.name ? -1 : 1));
  const owned = rows.filter((s) => !s.unowned), unowned = rows.filter((s) => s.unowned);
  return [
    owned.length > 0 && list('Services', owned, 'owned'),
    unowned.length > 0 && [h('h3', { key: 'unowned' }, 'Services that no pack owns'), list('Services that no pack owns', unowned, 'unowned')],
  ];
}

function list(label, rows, which) {
  return table(label, [
    { title: 'Service', cell: (s) => toService(s.name) },
    ...signals.map((signal) => ({ title: signal, cell: (s) => score(parts(s.scores, which).find((x) => x.signal === signal), which === 'unowned') })),
    { title: 'series', number: true, cell: (s) => h('span', { title: `${percent(s.budget_used, 1)} of the limit by its largest metric` }, number(s.series)) },
  ], rows, (s) => s.name);
}

function score(s, plain) {
  if (!s?.checked) return h('span', { class: 'none', title: 'none came' }, '–');
  const arrived = s.conformant - s.renamed;
  return [
    meter(s.conformant, s.checked, `${number(s.conformant)} of ${number(s.checked)} conform` + (s.share >= 0 ? `; lately ${percent(s.share, 1)}` : ''), plain),
    s.renamed > 0 && h('span', { class: 'muted', title: `${number(arrived)} of ${number(s.checked)} conformed when they arrived` },
      `arrived ${percent(arrived, s.checked)}`),
  ];
}
