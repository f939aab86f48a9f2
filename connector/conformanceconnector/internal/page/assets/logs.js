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
  if (!report.log_sources.length && !report.log_traces.length) return empty('No log record came yet.');
  const rows = form.rows(report.log_sources);
  return [found(report.log_traces), rows.length ? sources('logs', report, rows, redraw) : empty('No source matches the filter.')];
}

// evidence is what gave a record its trace, in words.
const evidence = {
  stated: 'state it',
  key: 'by their key alone: no request is split',
  pod: 'by key and pod',
  folder: 'by key and folder of the file',
  file: 'by key and file',
  role: 'by key and role',
  container: 'by key and container',
  thread: 'by key and thread',
  process: 'by key and process or instance',
};

// remedies are why records have no trace, and what to set.
const remedies = {
  no_key: "have no trace id and no key of a request: write either into the line, or add the key to a pack's logs of links.",
  no_span: 'have a key that no span had in time: send the spans to the same collector or share the index (OTELCOL_TC_INDEX=redis), or raise OTELCOL_TC_LOG_HOLD.',
  no_process: 'are of requests that several processes serve, and nothing says which one wrote them: set service.instance.id in OTEL_RESOURCE_ATTRIBUTES, and for files the same in OTELCOL_TC_LOG_PATHS.',
  several_traces: 'have a key that several traces have: use a new id for each request, or set different namespaces.',
  conflict: 'state several traces: write one, or name the right one in fields of log_correlation.',
  index_failure: 'got no answer from the index: see OTELCOL_TC_REDIS_ENDPOINT and the log of the collector.',
};

const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);

const inWords = (counts, words) => h('ul', { class: 'reasons' }, Object.entries(counts).sort((a, b) => b[1] - a[1])
  .map(([key, n]) => h('li', null, `${number(n)} ${words[key] ?? visible(key)}`)));

// found is what log_correlation knows of the records of services.
export const found = (rows) => rows.length > 0 && table('Logs by service', [
  { title: 'Service', cell: (s) => toService(s.service) },
  { title: 'With a trace', cell: (s) => meter(sum(s.with), sum(s.with) + sum(s.without)) },
  { title: 'By', cell: (s) => inWords(s.with, evidence) },
  { title: 'Why not all', cell: (s) => inWords(s.without, remedies) },
], rows, (s) => s.service);

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
