// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';
import { nothing } from './empty.js';
import { empty, meter, table, toService } from './parts.js';
import { count, number, percent, time } from './text.js';

const signals = ['traces', 'metrics', 'logs', 'attributes'];

// sum adds up what scores count.
function sum(scores) {
  const total = { checked: 0, conformant: 0, arrived: 0 };
  for (const s of scores) {
    total.checked += judgeable(s);
    total.conformant += s.conformant;
    total.arrived += s.conformant - s.renamed;
  }
  return total;
}

// parts are the scores of the names that follow the convention, or those of names that pass.
const parts = (scores, which) => scores.map((s) => ({ ...s, ...s[which] })).filter((s) => s.checked);

// judgeable is how many items a score is of: records that cannot have a trace are in none.
const judgeable = (s) => s.checked - (s.outside ?? 0);

// weakest is the share of the worst signal, as it leaves and, for equals, as it arrived. A service without
// a score comes last.
function weakest(service) {
  const scores = parts(service.scores, service.unowned ? 'unowned' : 'owned').filter(judgeable);
  if (!service.headline?.signal) return [2, 2];
  return [service.headline.share, Math.min(1, ...scores.map((s) => (s.conformant - s.renamed) / judgeable(s)))];
}

// overview is the headline: how much of the worst signal conforms, and how much there is to do.
export function overview(report) {
  const whole = report.services.flatMap((s) => s.scores);
  const targets = report.targets ?? [];
  if (!sum(whole).checked && !targets.length) return nothing(report);
  const scores = parts(whole, 'owned');
  const all = sum(scores);
  const signal = report.headline?.signal;
  const worst = signal && sum(scores.filter((s) => s.signal === signal));
  const passing = sum(parts(whole, 'unowned'));
  const owned = report.services.filter((s) => !s.unowned).length;
  return [
    h('div', { class: 'headline', key: 'headline' },
      h('div', { class: 'tile main' },
        h('strong', { class: 'big' }, worst ? percent(worst.conformant, worst.checked) : '–'),
        h('p', null, worst ? `of ${report.headline.signal} conform: the worst signal of ${count(owned, 'service')}` : 'Nothing came that a pack owns.'),
        passing.checked > 0 && h('p', { class: 'muted' }, h('a', { href: '#adopt' }, count(passing.checked, all.checked ? 'more item' : 'item')),
          ` of no pack pass; ${percent(passing.conformant, passing.checked)} conform`),
        worst && worst.arrived < worst.conformant && h('p', { class: 'muted' }, `${percent(worst.arrived, worst.checked)} did when they arrived`)),
      signals.map((s) => tile(s, sum(worst ? scores.filter((x) => x.signal === s) : []), all.checked > 0))),
    h('ul', { class: 'todo', key: 'todo' }, todo(report), judged(report.traces)),
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
    ['#findings', (report.targets ?? []).filter((t) => !t.up).length, 'scrape target that fails', 'poor', 'scrape targets that fail'],
    ['#findings', report.services.filter((s) => s.silent).length, 'service that fell silent', 'fair', 'services that fell silent'],
    ['#series', report.services.reduce((n, s) => n + s.over_budget, 0), 'metric over its limit', 'poor', 'metrics over their limit'],
    ['#traces', edges.filter((e) => e.reached < e.traces).length, 'broken way', 'poor'],
    ['#expected', missing, 'expected thing missing', 'fair', 'expected things missing'],
  ].map(([to, n, one, bad, several]) =>
    h('li', { class: n ? bad : 'good' }, h('a', { href: to }, `${number(n)} ${n === 1 ? one : several ?? `${one}s`}`)));
}

// judged says how many traces the findings about traces are of.
function judged(traces) {
  if (!traces) return null;
  const rest = [[traces.waiting, 'waiting for more spans'], [traces.unjudged, 'not judged']].filter(([n]) => n).map(([n, what]) => `, ${number(n)} ${what}`);
  return h('li', { class: traces.judged ? 'good' : 'fair' }, h('a', { href: '#traces' }, count(traces.judged, 'trace'), ' judged', rest));
}

export function services(report) {
  if (!report.services.length) return empty();
  const down = new Map(); // targets that fail, by service
  for (const t of report.targets ?? []) if (!t.up) down.set(t.service, (down.get(t.service) ?? 0) + 1);
  const rows = report.services.map((s) => ({ ...s, order: down.has(s.name) ? [-1, -1] : weakest(s) }))
    .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1] || (a.name < b.name ? -1 : 1));
  const owned = rows.filter((s) => !s.unowned), unowned = rows.filter((s) => s.unowned);
  return [
    owned.length > 0 && list('Services', owned, 'owned', down),
    unowned.length > 0 && [h('h3', { key: 'unowned' }, 'Services that no pack owns'), list('Services that no pack owns', unowned, 'unowned', down)],
  ];
}

function list(label, rows, which, down) {
  return table(label, [
    { title: 'Service', cell: (s) => [toService(s.name), s.silent && h('span', { class: 'muted' }, ` silent since ${time(s.last)}`), failing(s, down)] },
    { title: 'worst signal', cell: (s) => headline(s, which === 'unowned') },
    ...signals.map((signal) => ({ title: signal, cell: (s) => score(shown(s, which, signal), which === 'unowned') })),
    { title: 'series', number: true, cell: (s) => h('span', { title: `${percent(s.budget_used, 1)} of the limit by its largest metric` }, number(s.series)) },
  ], rows, (s) => s.name);
}

// shown is a service's score of a signal. Attributes alone are those of resources: nothing of theirs came.
const shown = (s, which, signal) =>
  parts(s.scores, which).find((x) => x.signal === signal && (signal !== 'attributes' || s.headline?.signal));

// headline is the score of a service's worst signal.
function headline({ headline: worst }, plain) {
  if (!worst?.signal) return h('span', { class: 'none' }, 'nothing to judge came');
  return [meter(worst.share, 1, `the score of ${worst.signal}, the worst of its signals`, plain), h('span', { class: 'muted' }, worst.signal)];
}

function failing(s, down) {
  const n = down.get(s.name);
  return n && h('strong', { class: 'found' }, ` ${count(n, 'scrape target')} ${n === 1 ? 'fails' : 'fail'}`);
}

function score(s, plain) {
  if (!s?.checked) return h('span', { class: 'none', title: 'none came' }, '–');
  if (!judgeable(s)) return h('span', { class: 'none', title: `${count(s.checked, 'record')} came, before any trace of the service` }, 'no trace yet');
  const arrived = s.conformant - s.renamed;
  return [
    meter(s.conformant, judgeable(s), `${number(s.conformant)} of ${number(judgeable(s))} conform` + (s.share >= 0 ? `; lately ${percent(s.share, 1)}` : ''), plain),
    s.renamed > 0 && h('span', { class: 'muted', title: `${number(arrived)} of ${number(judgeable(s))} conformed when they arrived` },
      `arrived ${percent(arrived, judgeable(s))}`),
  ];
}
