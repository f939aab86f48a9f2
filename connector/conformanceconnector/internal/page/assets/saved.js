// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';
import { bytes, number, short } from './text.js';

// saved are tiles with what did not reach the backend.
export function saved({ series, points_per_day: points, bytes_per_day: size, money_per_day: money, currency }) {
  return h('div', { class: 'saved', key: 'saved', role: 'group', 'aria-label': 'Saved' },
    tile('Series saved', number(series), 'that the backend does not get'),
    tile('Samples saved', short(points), 'a day, by the rates of the last hour'),
    tile('Bytes saved', bytes(size), 'a day, in OTLP without compression'),
    money > 0 && tile('Money saved', `${number(Number(money.toFixed(2)))} ${currency ?? ''}`, 'a day, by your prices'));
}

const tile = (title, value, says) => h('div', { class: 'tile', key: title },
  h('h3', null, title), h('strong', { class: 'figure' }, value), h('p', { class: 'muted' }, says));
