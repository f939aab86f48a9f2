// Fetches the report again and again, and draws it.

import { adopt } from './adopt.js';
import { draw } from './dom.js';
import { explain, listen } from './explain.js';
import { findings } from './findings.js';
import { expected, limits, links, logs } from './others.js';
import { series } from './series.js';
import { overview, services } from './services.js';
import { ago, time } from './text.js';
import { traces } from './traces.js';

const sections = { overview, services, adopt, findings, series, explain, traces, links, logs, expected, limits };
const lists = ['services', 'metrics', 'findings', 'counts', 'expectations', 'components', 'ways', 'skews', 'log_sources', 'links', 'protected', 'limits', 'receivers'];

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
    const response = await fetch('api/v1/report', { cache: 'no-store', signal: AbortSignal.timeout(timeout) });
    if (!response.ok) throw new Error(`the collector answers ${response.status}`);
    next = await response.json();
    failure = '';
    const interval = Math.max(shortest, (next?.interval_ns ?? 0) / 1e6);
    isNew = next && next.at !== report?.at;
    // One that is not new was asked for too early: it comes within the interval.
    wait = isNew ? interval : Math.max(shortest, interval / 5);
  } catch (error) {
    failure = error.name === 'TimeoutError' ? 'the collector does not answer' : error instanceof TypeError ? 'the collector cannot be reached' : error.message;
  }
  if (!document.hidden) timer = setTimeout(poll, wait);
  if (isNew) show(next);
  status();
}

function show(next) {
  for (const list of lists) next[list] ??= [];
  for (const s of next.services) s.scores ??= [];
  const first = !report;
  report = next;
  for (const name of Object.keys(sections)) redraw(name);
  // What the address points to was empty until now.
  if (first && location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView({ behavior: 'instant' });
}

function redraw(name) {
  if (report) draw(document.querySelector(`#${name} .body`), sections[name](report, () => redraw(name)));
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

themeButton();
listen(() => redraw('explain'));
document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : poll()));
setInterval(status, 1000);
poll();
