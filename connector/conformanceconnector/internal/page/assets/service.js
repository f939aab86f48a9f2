// SPDX-License-Identifier: Apache-2.0

// The page of one service: what the sections have of it.

import { namesOf } from './adopt.js';
import { backend } from './backend.js';
import { h } from './dom.js';
import { costsOf } from './explorer.js';
import { findingsOf } from './findings.js';
import { found, sources } from './logs.js';
import { empty } from './parts.js';
import { services } from './services.js';
import { visible } from './text.js';
import { bySpans, clocks } from './traces.js';

// panels are the parts of the page, in their order. Each returns what is in it, or nothing.
const panels = {
  Scores: (of) => services(of),
  'Worth fixing': (of, redraw) => findingsOf(of.service, of, redraw),
  Series: (of, redraw) => of.explorer.metrics.length > 0 && costsOf(of.service, of.explorer.metrics, redraw),
  'Names before and after': (of, redraw) => namesOf(of, of.services[0], redraw),
  'Logs with a trace': (of, redraw) => [found(of.log_traces), of.log_sources.length > 0 && sources(`logs of ${of.service}`, of, of.log_sources, redraw)],
  Traces: (of) => [bySpans(of), clocks(of.skews)],
};

// service draws the page of the service that the address names.
export function service(report, name, redraw) {
  const of = only(report, name);
  document.getElementById('service-title').textContent = visible(name);
  if (!of.services.length) return empty('This service is not in the report: nothing came from it, or there is no room for it.');
  return [
    h('p', { class: 'note', key: 'says' }, says(of.services[0]), ' ', backend('logs', { service: name }, name)),
    Object.entries(panels).map(([title, panel], i) => {
      const what = [panel(of, redraw)].flat(Infinity).filter(Boolean);
      return h('section', { key: title, 'aria-labelledby': `service-${i}` },
        h('h2', { id: `service-${i}` }, title), what.length ? what : empty('Nothing of this service.'));
    }),
  ];
}

const says = (s) => (s.unowned ? 'No pack owns its names, so they pass as they are.' : 'Packs own names of it.')
  + (s.audit ? ' It is audited: its telemetry stays unchanged.' : '');

// only is what a report has of one service.
function only(report, service) {
  const its = (list) => list.filter((x) => x.service === service);
  return {
    ...report,
    service,
    services: report.services.filter((s) => s.name === service),
    metrics: its(report.metrics),
    findings: its(report.findings),
    counts: its(report.counts),
    log_sources: its(report.log_sources),
    log_traces: its(report.log_traces),
    protected: its(report.protected),
    skews: report.skews.filter((s) => s.client === service || s.server === service),
    explorer: { ...report.explorer, metrics: its(report.explorer.metrics) },
  };
}
