import { h } from './dom.js';
import { beginning, copier, empty, name, rest } from './parts.js';
import { count, number, time, visibleLines } from './text.js';

const levels = {
  violation: 'Violations',
  improvement: 'Improvements',
  information: 'Information',
};

// few is how many of a level are shown at first.
const few = 15;

// findings are those worth fixing. Names that were repaired on the way, or that pass because
// no pack owns them, are shown by service.
export function findings(report, redraw) {
  const all = report.findings.filter((f) => f.rule !== 'renamed' && !f.unowned);
  if (!all.length) return empty('Nothing to fix was found.');
  return Object.entries(levels).map(([level, title]) => group(level, title, all.filter((f) => f.level === level), redraw));
}

function group(level, title, all, redraw) {
  if (!all.length) return null;
  return h('div', { class: `level ${level}`, key: level },
    h('h3', null, title, h('span', { class: 'muted' }, ` ${number(all.length)}`)),
    h('ul', null, beginning(level, all, few).map((f) => h('li', { key: key(f) }, finding(f)))),
    rest(level, all, few, redraw));
}

const key = (f) => JSON.stringify([f.rule, f.signal, f.service, f.system, f.original, f.suggestion]);

function finding(f) {
  return h('details', null,
    h('summary', null,
      h('code', { class: 'rule' }, f.rule),
      h('span', { class: 'what' }, name(f.original)),
      h('span', { class: 'who' }, name(f.service || f.system)),
      h('span', { class: 'number' }, `${number(f.total)} ×`)),
    h('div', { class: 'more' },
      h('p', null, `${f.reason.charAt(0).toUpperCase()}${f.reason.slice(1)}.`),
      h('dl', null,
        f.suggestion && [h('dt', null, 'Should be'), h('dd', null, name(f.suggestion))],
        h('dt', null, 'Found'), h('dd', null, `${count(f.total, 'time')}, in ${f.signal}, since ${time(f.since)}`),
        f.trace_id && [h('dt', null, 'In trace'), h('dd', null, h('code', null, f.trace_id), ' ', copier(f.trace_id, 'Copy the trace id'))]),
      f.paste && h('div', { class: 'paste' }, copier(f.paste, 'Copy the YAML'), h('pre', { tabindex: 0 }, visibleLines(f.paste)))));
}
