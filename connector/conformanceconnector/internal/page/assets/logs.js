// SPDX-License-Identifier: Apache-2.0

import { backend } from './backend.js';
import { h } from './dom.js';
import { filter } from './filter.js';
import { beginning, empty, meter, name, rest, table, toService } from './parts.js';
import { count, number, percent, visible } from './text.js';

// few is how many sources are shown at first.
const few = 25;

const form = filter('logs', { service: (s) => s.service }, (s) => [s.name, s.service, s.file ? 'file' : 'scope'].join('\n'));
export const { choose, listen } = form;

export function logs(report, redraw) {
  if (!report.log_sources.length) return empty('No log record came yet.');
  const rows = form.rows(report.log_sources);
  return rows.length ? sources('logs', report, rows, redraw) : empty('No source matches the filter.');
}

// sources are rows of a list, each with why its records have no trace.
export function sources(list, report, rows, redraw) {
  return [table('Logs by source', [
    { title: 'Source', cell: (s) => name(s.name) },
    { title: 'Service', cell: (s) => [toService(s.service), ' ', backend('logs', { service: s.service }, s.service)] },
    { title: 'Records', number: true, cell: (s) => number(s.records) },
    { title: 'With a trace', cell: (s) => meter(s.with_trace, s.records) },
    { title: 'Of those with a span', number: true, cell: (s) => (s.with_trace ? percent(s.with_span, s.with_trace) : '–') },
    { title: 'Why not all', cell: (s) => h('ul', { class: 'reasons' }, why(s, report.services.find((x) => x.name === s.service)).map((reason) => h('li', null, reason))) },
  ], beginning(list, rows, few), (s) => JSON.stringify([s.service, s.name])),
  rest(list, rows, few, redraw)];
}

// why says why records of a source have no trace, and what to do.
function why(s, service) {
  const without = s.records - s.with_trace;
  if (!without) return ['All have a trace.'];
  const reasons = [`${count(without, 'record')} without a trace.`];
  const spans = service ? service.spans + service.late_spans + service.unjudged_spans : 0;
  if (s.in_attributes) reasons.push(`${number(s.in_attributes)} with the ids in attributes only: put log_correlation, in mode enforce, before this connector.`);
  if (s.no_format) {
    reasons.push([`${count(s.no_format, 'line')} in no known format, so that ids in them may be missed: add their format to logs.formats of a pack.`,
      s.shape && [' They look like ', h('code', null, name(s.shape)), '.']]);
  }
  const rest = without - s.in_attributes - (s.no_format ?? 0);
  if (rest > 0 && !spans) reasons.push(`${number(rest)} without any id, and no span of ${visible(s.service) || 'this service'} came: trace the service first, or send its spans here.`);
  else if (rest > 0) {
    reasons.push(`${number(rest)} without any id: written before or outside of a span, or by a logger that does not know the span. `
      + (s.file ? 'Write the trace id into each line' : "Use the SDK's handler for this logger")
      + ', or give the record a key that its span has too (logKey of a pack, with correlation_index).');
  }
  return reasons;
}
