// SPDX-License-Identifier: Apache-2.0

// Links to the user's backend, by the templates of the configuration.

import { h } from './dom.js';
import { visible } from './text.js';

let templates = {};

// use takes the templates of a report.
export function use(urls) {
  templates = urls ?? {};
}

// backend is a link to a trace, logs or a metric. It is null without a template whose placeholders all
// have a value. Only addresses of the web become links.
export function backend(kind, values, of) {
  const address = fill(templates[kind] ?? '', values);
  return address && h('a', { class: 'backend', href: address, target: '_blank', rel: 'noreferrer', 'aria-label': `Open ${kind} of ${visible(of)}` }, `Open ${kind}`);
}

function fill(template, values) {
  const places = template.match(/\{(trace_id|service|metric)\}/g) ?? [];
  if (!places.length || !places.every((place) => values[place.slice(1, -1)])) return null;
  try {
    const url = new URL(template.replace(/\{(trace_id|service|metric)\}/g, (_, key) => encodeURIComponent(values[key])));
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch { // no address, or a name that is no text
    return null;
  }
}
