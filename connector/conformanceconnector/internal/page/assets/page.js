// SPDX-License-Identifier: Apache-2.0

// Fetches the report again and again, and draws it.

import { read, write as writeAddress } from './address.js';
import { adopt } from './adopt.js';
import { use } from './backend.js';
import { draw } from './dom.js';
import * as explained from './explain.js';
import * as explored from './explorer.js';
import * as found from './findings.js';
import * as logged from './logs.js';
import { expected, limits, links } from './others.js';
import { service } from './service.js';
import { overview, services } from './services.js';
import { ago, time, visible } from './text.js';
import { traces } from './traces.js';
import { usage, use as useReaders } from './usage.js';

const sections = {
  overview, services, adopt, findings: found.findings, series: explored.explorer, usage, explain: explained.explain, traces, links,
  logs: logged.logs, expected, limits,
};
const filters = { findings: found, series: explored, explain: explained, logs: logged };
const lists = ['services', 'metrics', 'findings', 'counts', 'targets', 'expectations', 'components', 'ways', 'skews', 'log_sources', 'log_traces', 'links', 'protected', 'limits', 'receivers'];

// shortest is the shortest time between two requests, in milliseconds.
const shortest = 2000;
const timeout = 10_000;

let report; // the last that came
let failure = ''; // why none came since
let timer;

async function poll() {
  clearTimeout(timer);
  let wait = shortest, next, isNew = false;
  try {
    next = await ask('report');
    failure = '';
    const interval = Math.max(shortest, (next?.interval_ns ?? 0) / 1e6);
    isNew = next && next.at !== report?.at;
    if (isNew) useReaders(await ask('usage'));
    // One that is not new was asked for too early: it comes within the interval.
    wait = isNew ? interval : Math.max(shortest, interval / 5);
  } catch (error) {
    failure = error.name === 'TimeoutError' ? 'the collector does not answer' : error instanceof TypeError ? 'the collector cannot be reached' : error.message;
  }
  if (!document.hidden) timer = setTimeout(poll, wait);
  if (isNew) show(next);
  status();
}

async function ask(part) {
  const response = await fetch(`api/v1/${part}`, { cache: 'no-store', signal: AbortSignal.timeout(timeout) });
  if (!response.ok) throw new Error(`the collector answers ${response.status}`);
  return response.json();
}

function show(next) {
  for (const list of lists) next[list] ??= [];
  for (const s of next.services) s.scores ??= [];
  next.explorer.metrics ??= [];
  for (const m of next.explorer.metrics) {
    m.attributes ??= [];
    m.history ??= [];
  }
  use(next.urls);
  const first = !report;
  report = next;
  if (first) go(); // what the address points to was empty until now
  else redrawAll();
}

let at = read(location.hash); // where the address leads
let left; // the address and the place on the page from which a person went to a service

// go shows what the address says. change is the event of another address.
function go(change) {
  const before = at;
  at = read(location.hash);
  if (at.service && !before.service && change) left = { hash: new URL(change.oldURL).hash, top: scrollY };
  for (const [name, filter] of Object.entries(filters)) filter.choose(name === at.section ? at.chosen : {});
  explored.address(at.metric);
  document.title = `${at.service ? `${visible(at.service)} – ` : ''}Conformance – otelcol-tc`;
  for (const section of document.querySelectorAll('main > section')) section.hidden = (section.id === 'service') !== Boolean(at.service);
  redrawAll();
  if (report) arrive(before);
}

// arrive moves to what the address says.
function arrive(before) {
  if (at.service) {
    scrollTo({ top: 0, behavior: 'instant' });
    document.getElementById('service-title').focus({ preventScroll: true });
  } else if (before.service && left?.hash === location.hash) {
    scrollTo({ top: left.top, behavior: 'instant' });
  } else if (at.section) {
    const metric = at.metric && document.querySelector('#series details.cost[open]');
    (metric?.closest('.level') ?? document.getElementById(at.section))?.scrollIntoView({ behavior: 'instant' });
  }
}

function redrawAll() {
  for (const name of at.service ? ['service'] : Object.keys(sections)) redraw(name);
}

function redraw(name) {
  if (!report) return;
  const again = () => redraw(name);
  draw(document.querySelector(`#${name} .body`), name === 'service' ? service(report, at.service, again) : sections[name](report, again));
}

function status() {
  const to = document.getElementById('status'), age = document.getElementById('age');
  to.dataset.state = failure ? 'fail' : report ? 'live' : 'wait';
  write(to, failure ? `${failure[0].toUpperCase()}${failure.slice(1)}` : report ? 'Live' : 'Waiting for the first report …');
  if (!report) return;
  // Not part of the status, which is read aloud when it changes.
  write(age, `· data of ${ago(new Date(report.at), new Date())}, counted since ${time(report.since)}`);
}

function write(to, text) {
  if (to.textContent !== text) to.textContent = text;
}

function themeButton() {
  const button = document.getElementById('theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const press = () => button.setAttribute('aria-pressed', dark());
  button.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    try {
      localStorage.setItem('otelcol-tc-theme', root.dataset.theme);
    } catch { /* then it is not remembered */ }
    press();
  });
  system.addEventListener('change', press);
  press();
}

// Filters of names were in the query once.
if (location.search && !location.hash) writeAddress(`#explain${location.search}`, false);
themeButton();
for (const [name, { listen }] of Object.entries(filters)) listen(() => redraw(name));
addEventListener('hashchange', go);
go();
document.addEventListener('click', (event) => {
  const hash = event.target.closest?.('a[href^="#"]')?.getAttribute('href');
  if (hash === '#main') { // not a place to share
    event.preventDefault();
    document.getElementById('main').focus();
  } else if (hash && hash === location.hash) go(); // again, without a change of the address
});
document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : poll()));
setInterval(status, 1000);
poll();
