// SPDX-License-Identifier: Apache-2.0

// What several sections are made of.

import { ofService } from './address.js';
import { h } from './dom.js';
import { number, percent, visible } from './text.js';

// most is how many rows of anything are drawn.
export const most = 500;

// name shows text from telemetry, whatever is in it. It breaks where names have joints,
// and anywhere else if it must.
export const name = (text) => (text
  ? h('bdi', { class: 'name' }, visible(text).split(/(?<=[/._:])/).map((part, i) => [i > 0 && h('wbr'), part]))
  : h('span', { class: 'none' }, '(none)'));

// toService is the name of a service that leads to its page.
export const toService = (service) => (service ? h('a', { class: 'to', href: ofService(service) }, name(service)) : name(service));

export const empty = (text = 'Nothing came yet.') => h('p', { class: 'empty', key: 'empty' }, text);

// grade is how good a share is, in three steps.
const grade = (share) => (share >= 0.99 ? 'good' : share >= 0.9 ? 'fair' : 'poor');

// meter is a share as text and as a bar. A plain one has no colour that judges.
export function meter(part, whole, title, plain = false) {
  const share = whole ? part / whole : 0;
  return h('span', { class: `meter ${plain ? 'plain' : grade(share)}`, title: title ?? `${number(part)} of ${number(whole)}` },
    h('span', null, percent(part, whole)), bar(share));
}

// bar fills as much of its track as share says.
export const bar = (share) =>
  h('span', { class: 'track', 'aria-hidden': 'true' }, h('span', { class: 'fill', width: `${Math.min(100, 100 * share)}%` }));

// table has columns {title, cell, number}. Each row needs a key of its own. On narrow
// screens a row is a block, and its cells say what they are.
export function table(label, columns, rows, key) {
  const shown = rows.slice(0, most);
  return [
    h('table', { key: label, 'aria-label': label },
      h('thead', null, h('tr', null, columns.map((c) =>
        h('th', { scope: 'col', class: c.number && 'number', 'aria-sort': c.sorted }, c.head ?? c.title)))),
      h('tbody', null, shown.map((row) =>
        h('tr', { key: key(row) }, columns.map((c, i) =>
          h(i ? 'td' : 'th', { scope: i ? null : 'row', class: c.number && 'number', 'data-label': c.title }, c.cell(row))))))),
    rows.length > most && notShown(rows.length - most),
  ];
}

const notShown = (n) => h('p', { class: 'more', key: 'not shown' }, `${number(n)} more are not shown.`);

// step is how many more of a list are shown each time.
const step = 100;

// asked is how many a person wants to see of a list.
const asked = new Map();

// beginning is what is shown of a long list: few at first, and more when asked for, up to most.
export const beginning = (list, all, few) => all.slice(0, asked.get(list) ?? few);

// rest says how many are not shown, and offers to show more.
export function rest(list, all, few, redraw) {
  const shown = beginning(list, all, few).length, left = all.length - shown;
  if (left <= 0) return null;
  if (shown >= most) return notShown(left);
  const more = Math.min(step, left, most - shown);
  return h('button', { type: 'button', key: 'rest', onclick: () => { asked.set(list, shown + more); redraw(); } },
    more < left ? `Show ${number(more)} more of ${number(left)}` : `Show ${number(more)} more`);
}

// copier is a button that copies a text, or what a function returns when it is pressed.
export const copier = (text, label, title = 'Copy') =>
  h('button', { type: 'button', class: 'copy', 'aria-label': label, onclick: (event) => copy(text, event.currentTarget, label, title) }, title);

async function copy(text, button, label, title) {
  let said = 'Select it';
  try {
    if (await write(typeof text === 'function' ? await text() : text)) said = 'Copied';
  } catch {
    said = 'Try again';
  }
  rename(button, said, `${said}: ${label}`);
  setTimeout(() => rename(button, title, label), 1500);
}

// rename keeps what is heard of a button with what is seen.
function rename(button, title, label) {
  button.firstChild.data = title;
  button.setAttribute('aria-label', label);
}

// write uses the clipboard, which browsers give to pages of https and localhost only.
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'aside';
    document.body.append(area);
    const focused = document.activeElement;
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    focused?.focus({ preventScroll: true });
    return done;
  }
}
