// SPDX-License-Identifier: Apache-2.0

// What the page shows while nothing has come: where to send telemetry.

import { h } from './dom.js';
import { copier, empty } from './parts.js';
import { visible } from './text.js';

// standard are OTLP's own ports, for a collector that does not know its receivers.
const standard = [{ protocol: 'grpc', endpoint: '127.0.0.1:4317' }, { protocol: 'http', endpoint: '127.0.0.1:4318' }];

const protocols = { grpc: 'gRPC', http: 'HTTP' };

// record is one log record of the service "hello".
const record = JSON.stringify({ resourceLogs: [{
  resource: { attributes: [{ key: 'service.name', value: { stringValue: 'hello' } }] },
  scopeLogs: [{ logRecords: [{ body: { stringValue: 'hello' } }] }],
}] });

// nothing says where to send telemetry, and gives a command that tries it.
export function nothing(report) {
  const known = report.receivers.length > 0;
  const receivers = known ? report.receivers : standard;
  const test = receivers.find((r) => r.protocol === 'http' && !r.auth);
  return [
    empty(known ? 'Nothing came yet. Send OTLP to this collector:' : 'Nothing came yet. Send OTLP to this collector, by default to:'),
    h('ul', { key: 'receivers', class: 'receivers' }, receivers.map((r) => h('li', { key: `${r.id} ${r.protocol}` },
      `${protocols[r.protocol]}: `, h('code', null, visible(address(r))), r.auth && ' (with credentials)'))),
    test && [
      h('p', { key: 'try', class: 'empty' }, `To try it, run this on the collector's machine. What it sends is here within ${seconds(report)} s:`),
      h('div', { key: 'command', class: 'paste' }, copier(command(test), 'Copy the command'), h('pre', { tabindex: 0 }, visible(command(test)))),
    ],
  ];
}

const seconds = (report) => Math.ceil(report.interval_ns / 1e9);

const command = (receiver) => `curl -H 'Content-Type: application/json' -d '${record}' '${address(receiver)}/v1/logs'`;

// address is what a client on the collector's machine calls. Names of all addresses are none to call.
const address = (r) => `http${r.tls ? 's' : ''}://${r.endpoint.replace(/^(0\.0\.0\.0|\[::\]|):/, '127.0.0.1:')}`;
