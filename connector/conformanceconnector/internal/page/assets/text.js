// SPDX-License-Identifier: Apache-2.0

// How values read.

// Characters that show nothing, or change how others show.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

// visible writes hidden characters out.
export const visible = (text) => text.replace(hidden, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

// visibleLines is visible for text of several lines.
export const visibleLines = (text) => text.split('\n').map(visible).join('\n');

const numbers = new Intl.NumberFormat('en');
export const number = (n) => numbers.format(n);

const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

// short is a number as far as it matters: 1,230,000 is 1.23 million.
export function short(n) {
  for (const [unit, scale] of [['billion', 1e9], ['million', 1e6]]) if (n >= scale) return `${threeDigits.format(n / scale)} ${unit}`;
  return threeDigits.format(n);
}

// bytes reads a size.
export function bytes(n) {
  for (const [unit, scale] of [['TB', 1e12], ['GB', 1e9], ['MB', 1e6], ['kB', 1e3]]) if (n >= scale) return `${threeDigits.format(n / scale)} ${unit}`;
  return `${threeDigits.format(n)} B`;
}

// count is a number of things: "1 span", "2 spans".
export const count = (n, thing) => `${number(n)} ${thing}${n === 1 ? '' : 's'}`;

// percent rounds towards the middle: only all is 100 %, only none is 0 %. Of nothing there is no share.
export function percent(part, whole) {
  if (!whole) return '–';
  if (part >= whole) return '100 %';
  if (part <= 0) return '0 %';
  const share = (100 * part) / whole;
  if (share < 0.1) return '< 0.1 %';
  return `${(Math.floor(share * 10) / 10).toFixed(share < 10 || share >= 90 ? 1 : 0)} %`;
}

// duration reads nanoseconds.
export function duration(nanoseconds) {
  const seconds = Math.abs(nanoseconds) / 1e9;
  const [unit, scale] = seconds >= 1 ? ['s', 1] : seconds >= 1e-3 ? ['ms', 1e3] : ['µs', 1e6];
  return `${nanoseconds < 0 ? '−' : ''}${number(Number((seconds * scale).toPrecision(3)))} ${unit}`;
}

// ago is the time between two dates, roughly.
export function ago(date, now) {
  const seconds = Math.max(0, Math.round((now - date) / 1000));
  for (const [unit, size] of [['d', 86400], ['h', 3600], ['min', 60]]) {
    if (seconds >= 2 * size) return `${Math.floor(seconds / size)} ${unit} ago`;
  }
  return `${seconds} s ago`;
}

const times = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
export const time = (text) => times.format(new Date(text));
