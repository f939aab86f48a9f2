// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';
import { bar, beginning, empty, name, rest } from './parts.js';
import { number, percent } from './text.js';

// few is how many metrics are shown at first.
const few = 12;

// series are charts of the metrics with the most series, as they are counted at the connector.
export function series(list, metrics, redraw) {
  if (!metrics.length) return empty();
  return [
    h('ul', { class: 'charts', key: 'charts' }, beginning(list, metrics, few).map((m) => h('li', { key: JSON.stringify([m.service, m.name]) }, metric(m)))),
    rest(list, metrics, few, redraw),
  ];
}

function metric(m) {
  const share = m.series / m.limit;
  const grade = share > 1 ? 'poor' : share > 0.8 ? 'fair' : 'good';
  const size = `${m.exact ? '' : '≈ '}${number(m.series)}`;
  return h('div', { class: `chart ${grade}` },
    h('div', { class: 'label' }, name(m.name), h('span', { class: 'who' }, name(m.service))),
    chart(m, `${size} series of at most ${number(m.limit)}`),
    h('div', { class: 'meter' },
      h('strong', null, size), h('span', { class: 'muted' }, ` ${percent(Math.min(m.series, m.limit), m.limit)} of ${number(m.limit)}`),
      share > 1 && h('span', { class: 'over' }, ` over by ${number(m.series - m.limit)}`),
      bar(share)));
}

const width = 160, height = 44, edge = 3;

function chart(m, title) {
  const history = m.history?.length ? m.history : [m.series];
  const top = Math.log1p(Math.max(m.limit, ...history) * 1.3);
  const y = (n) => (height - edge - (height - 2 * edge) * (Math.log1p(n) / top)).toFixed(1);
  const x = (i) => (history.length < 2 ? width : (width * i) / (history.length - 1)).toFixed(1);
  const points = history.map((n, i) => `${x(i)},${y(n)}`);
  if (history.length === 1) points.unshift(`0,${y(history[0])}`);
  return h('svg', { role: 'img', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none' },
    h('title', null, title),
    h('path', { class: 'area', d: `M0,${height}L${points.join('L')}L${width},${height}Z` }),
    h('path', { class: 'line', d: `M${points.join('L')}` }),
    h('path', { class: 'limit', d: `M0,${y(m.limit)}H${width}` }));
}
