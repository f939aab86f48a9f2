// SPDX-License-Identifier: Apache-2.0

// The live tail of a service: its items as they come in and as they go out.
//
// tail(service, redraw) describes it as h() does. Put what it returns anywhere in a drawing, once for each service,
// and have redraw draw the same place again: tail calls redraw when something is new. The collector is asked each
// second from "Watch" until "Pause" or "Stop". It is also asked no more when a drawing leaves the tail out, and
// while the page is hidden. Stylesheet: tail.css.

import { h } from './dom.js';
import { name, table } from './parts.js';
import { count, visible } from './text.js';

const interval = 1000; // between two requests, in milliseconds
const timeout = 10_000;
const most = 50; // pairs that are drawn

// watches are what a person watches, by service: {pairs, last, paused, failure, drawn, redraw, timer}.
const watches = new Map();

export function tail(service, redraw) {
  const w = watches.get(service);
  if (w) Object.assign(w, { drawn: true, redraw });
  return h('div', { class: 'tail', key: `tail ${service}` },
    h('p', { class: 'actions', key: 'actions' }, buttons(service, w, redraw), ' ', h('span', { class: 'muted' }, says(w))),
    w?.failure && h('p', { class: 'found', role: 'status', key: 'failure' }, visible(w.failure)),
    w?.pairs.length > 0 && h('ul', { class: 'pairs', 'aria-live': 'off', 'aria-label': `Items of ${visible(service)}, the newest first`, key: 'pairs' },
      w.pairs.map((p) => h('li', { key: p.seq }, pair(p)))));
}

function buttons(service, w, redraw) {
  const button = (title, press, more) => h('button', { type: 'button', key: title, 'aria-label': `${title} ${visible(service)}`, onclick: press, ...more }, title);
  if (!w) return button('Watch', () => start(service, redraw));
  return [
    button('Pause', () => pause(service, w), { 'aria-pressed': String(w.paused) }), ' ',
    button('Stop', () => { stop(service, w); redraw(); }),
  ];
}

function says(w) {
  if (!w) return 'Shows some of its items, as they come in and as they go out. Content and secrets stay hidden.';
  if (w.paused) return 'Paused.';
  if (!w.pairs.length) return 'Waiting for an item …';
  return 'The newest first, at most 20 a second from each component.';
}

function start(service, redraw) {
  const w = { pairs: [], last: 0, paused: false, failure: '', drawn: true, redraw };
  watches.set(service, w);
  poll(service, w);
  redraw();
}

function stop(service, w) {
  clearTimeout(w.timer);
  watches.delete(service);
}

function pause(service, w) {
  w.paused = !w.paused;
  clearTimeout(w.timer);
  if (!w.paused) poll(service, w);
  w.redraw();
}

async function poll(service, w) {
  if (!document.hidden) {
    const failed = await ask(service, w);
    if (watches.get(service) !== w || w.paused) return;
    if (failed) w.paused = true; // asking again does not help
    w.drawn = false;
    w.redraw();
    if (!w.drawn) return stop(service, w);
    if (failed) return;
  }
  w.timer = setTimeout(() => poll(service, w), interval);
}

// ask gets the pairs since the last ones, and reports whether the collector refuses to have any.
async function ask(service, w) {
  try {
    const response = await fetch(`api/v1/tail?service=${encodeURIComponent(service)}&after=${w.last}`, { cache: 'no-store', signal: AbortSignal.timeout(timeout) });
    w.failure = response.ok ? '' : (await response.text()) || `The collector answers ${response.status}.`;
    if (!response.ok) return true;
    const answer = await response.json();
    w.last = answer.last;
    w.pairs = [...answer.pairs.reverse(), ...w.pairs].slice(0, most);
  } catch (error) {
    w.failure = error.name === 'TimeoutError' ? 'The collector does not answer.' : 'The collector cannot be reached.';
  }
  return false;
}

const kinds = { traces: 'Span', metrics: 'Metric', logs: 'Log record' };
const marks = { changed: ['→', 'changed'], renamed: ['→', 'renamed'], added: ['+', 'added'], removed: ['−', 'removed'], same: ['=', 'same'] };
const places = {
  name: 'name', unit: 'unit', type: 'type', value: 'first value', points: 'data points', trace_id: 'trace id', span_id: 'span id',
  severity: 'severity', body: 'body', attribute: 'attribute', link: 'link', resource: 'resource', item: 'item',
};

const times = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });

function pair(p) {
  const differ = p.rows.filter((r) => r.mark !== 'same'), same = p.rows.filter((r) => r.mark === 'same');
  const label = `${kinds[p.signal] ?? visible(p.signal)} ${p.seq}`;
  return [
    h('h4', null, kinds[p.signal] ?? name(p.signal), ' ', called(p), ' ',
      h('span', { class: 'muted' }, times.format(new Date(p.at)), ', in ', name(p.stage), ': ', outcome(p, differ))),
    differ.length > 0 && h('div', { key: 'differ' }, fields(`What changes in ${label}`, differ)),
    same.length > 0 && h('details', { key: 'same' }, h('summary', null, `${count(same.length, 'field')} stayed the same`),
      fields(`What stays in ${label}`, same)),
  ];
}

// called is the name that an item goes out with.
function called(p) {
  const row = p.rows.find((r) => r.place === 'name' && r.after);
  return row && name(row.after.value);
}

function outcome(p, differ) {
  const text = differ.length ? `${count(differ.length, 'change')}` : 'unchanged';
  return [text, p.audited && differ.length > 0 && ' in enforce mode; audited, so it went out as it came', p.cut && '; it has more fields'];
}

const fields = (label, rows) => table(label, [
  { title: 'Change', cell: (r) => mark(r.mark) },
  { title: 'Field', cell: (r) => places[r.place] ?? r.place },
  { title: 'As it came', cell: (r) => field(r.before ?? (r.mark === 'same' ? r.after : undefined)) },
  { title: 'As it goes out', cell: (r) => field(r.after) },
], rows.map((r, i) => ({ ...r, i })), (r) => r.i);

function mark(of) {
  const [sign, word] = marks[of] ?? ['?', of];
  return h('span', { class: `change ${of}` }, h('span', { class: 'sign', 'aria-hidden': 'true' }, sign), ` ${word}`);
}

const field = (f) => (f
  ? [f.key && [h('span', { class: 'key' }, name(f.key)), ' '], f.value === '' ? h('span', { class: 'none' }, '(empty)') : h('span', { class: 'value' }, name(f.value))]
  : h('span', { class: 'none' }, '–'));
