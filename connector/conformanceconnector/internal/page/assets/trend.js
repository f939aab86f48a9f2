// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';
import { number } from './text.js';

const width = 160, height = 44, edge = 3;

// trend draws the series of a metric as they came and as they were sent, at each of the last reports.
export function trend(m) {
  const history = m.history.length ? m.history : [{ in: m.in.series, out: m.out.series }];
  const top = Math.max(1, ...history.map((at) => Math.max(at.in, at.out)));
  const y = (n) => (height - edge - (height - 2 * edge) * (n / top)).toFixed(1);
  const x = (i) => (history.length < 2 ? width : (width * i) / (history.length - 1)).toFixed(1);
  const line = (of) => `M${history.length < 2 ? `0,${y(of(history[0]))}L` : ''}${history.map((at, i) => `${x(i)},${y(of(at))}`).join('L')}`;
  const says = (of) => `from ${number(of(history[0]))} to ${number(of(history.at(-1)))}`;
  const came = (at) => at.in, sent = (at) => at.out;
  return h('svg', { class: 'trend', role: 'img', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none' },
    h('title', null, `Series at the last ${history.length === 1 ? 'report' : `${number(history.length)} reports`}: came ${says(came)}, sent ${says(sent)}`),
    h('path', { class: 'area', d: `${line(sent)}V${height}H0Z` }),
    h('path', { class: 'came', d: line(came) }),
    h('path', { class: 'sent', d: line(sent) }));
}
