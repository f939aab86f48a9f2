// SPDX-License-Identifier: Apache-2.0

// Rows under the headings that a person chose.

import { h } from './dom.js';
import { beginning, rest } from './parts.js';

// few is how many headings are shown at first, and rowsFew how many rows below each of them.
const few = 12, rowsFew = 5;

// groups puts rows together by the headings that of returns for each. Groups are in the order of their
// first rows.
export function groups(rows, of) {
  const all = new Map();
  for (const row of rows) {
    for (const heading of [of(row)].flat()) {
      if (all.has(heading)) all.get(heading).push(row);
      else all.set(heading, [row]);
    }
  }
  return [...all].map(([heading, of]) => ({ heading, rows: of }));
}

// grouped draws groups, which have a class, a title and how many rows are shown at first if those are not
// the heading and few. row draws a list item.
export function grouped(list, all, title, row, redraw) {
  return [
    beginning(list, all, few).map((g) => {
      const key = `${list} ${g.heading}`, shown = g.few ?? rowsFew;
      return h('div', { class: `level ${g.class ?? ''}`, key },
        h('h3', null, title(g)),
        h('ul', null, beginning(key, g.rows, shown).map(row)),
        rest(key, g.rows, shown, redraw));
    }),
    rest(list, all, few, redraw),
  ];
}
