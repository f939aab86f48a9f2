// SPDX-License-Identifier: Apache-2.0

import { h } from './dom.js';
import { layout } from './layout.js';
import { most, name } from './parts.js';
import { count, number, visible } from './text.js';

// mostNodes is how many components are drawn. The table has all.
const mostNodes = 60;

// model is what is drawn: components and ways, with what packs expect of them.
export function model(report) {
  const nodes = report.components.map((c) => ({ ...c, system: c.system ?? '' }));
  const edges = report.ways.filter((w) => w.from !== w.to).map((w) => ({ ...w }));
  for (const w of report.ways) if (w.from === w.to) nodes[w.from].within = w.spans;
  for (const expectation of report.expectations.filter((e) => e.seen_since)) {
    for (const e of expectation.edges ?? []) {
      const [from, to] = [e.from, e.to].map((component) => place(nodes, expectation.system, component));
      let edge = edges.find((x) => x.from === from && x.to === to);
      if (!edge) edges.push(edge = { from, to, spans: 0 });
      edge.expected = e.traces === 0 ? 'unseen' : e.reached < e.traces ? 'broken' : 'kept';
      Object.assign(edge, { traces: e.traces, reached: e.reached });
    }
  }
  return { nodes, edges };
}

// place finds a component, or adds one that did not come.
function place(nodes, system, component) {
  const at = nodes.findIndex((n) => n.system === system && n.name === component);
  if (at >= 0) return at;
  return nodes.push({ system, name: component, spans: 0, roots: 0, missing_parents: 0, absent: true }) - 1;
}

// says is what an edge says of itself, in lines.
export function says(e) {
  if (e.expected === 'unseen') return ['expected,', 'not seen yet'];
  if (e.expected === 'broken') return [`${number(e.traces - e.reached)} of ${count(e.traces, 'trace')}`, e.traces - e.reached === 1 ? 'does not arrive' : 'do not arrive'];
  return [number(e.spans || e.reached)];
}

// graphs draws one picture for all components of a system, and those that they are
// joined with.
export function graphs({ nodes, edges }) {
  const drawn = new Set(nodes.map((_, i) => i)
    .sort((a, b) => ends(b, edges) - ends(a, edges) || nodes[b].spans - nodes[a].spans).slice(0, mostNodes));
  const systems = [...new Set(nodes.map((n) => n.system))].sort();
  return [
    h('div', { class: 'graphs', key: 'graphs' }, groups(nodes, edges).map((group) => picture(
      group.filter((i) => drawn.has(i)), nodes, edges, systems))),
    nodes.length > drawn.size && h('p', { class: 'more', key: 'rest' },
      `${count(nodes.length - drawn.size, 'component')} with fewer spans not drawn; the table below has ${nodes.length > most ? `${most} of ` : ''}all.`),
  ];
}

// ends tells, as a number, whether a component is where an expected edge begins or ends.
const ends = (n, edges) => Number(edges.some((e) => e.expected && (e.from === n || e.to === n)));

// groups are the components that belong into one picture.
function groups(nodes, edges) {
  const parent = nodes.map((_, i) => i);
  const root = (i) => (parent[i] === i ? i : (parent[i] = root(parent[i])));
  const first = new Map();
  nodes.forEach((n, i) => {
    if (first.has(n.system)) parent[root(i)] = root(first.get(n.system));
    else first.set(n.system, i);
  });
  for (const e of edges) parent[root(e.from)] = root(e.to);
  const all = new Map();
  nodes.forEach((_, i) => all.set(root(i), [...(all.get(root(i)) ?? []), i]));
  return [...all.values()].sort((a, b) => b.length - a.length);
}

const margin = 12, layerGap = 64, line = 16;

function picture(group, nodes, edges, systems) {
  if (!group.length) return null;
  const at = new Map(group.map((n, i) => [n, i]));
  const boxes = group.map((n) => box(nodes[n], systems));
  const ways = edges.filter((e) => at.has(e.from) && at.has(e.to)).map((e) => ({ ...e, from: at.get(e.from), to: at.get(e.to) }));
  const size = layout(boxes, ways, layerGap);
  const title = [...new Set(group.map((n) => nodes[n].system))].filter(Boolean).join(', ') || 'Other services';
  const width = size.width + 2 * margin, height = size.height + 2 * margin;
  return h('figure', { key: title },
    h('figcaption', null, title),
    h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `Picture of ${title}` },
      h('svg', { role: 'img', width, height, viewBox: `${-margin} ${-margin} ${width} ${height}` },
        h('title', null, `${title}: ${count(group.length, 'component')}, ${count(ways.length, 'way')}; the table below says the same`),
        ways.map((e, i) => arrow(e, i)),
        boxes.map(node),
        labels(ways))));
}

function box(n, systems) {
  const lines = [visible(n.name), n.absent ? 'not seen yet' : count(n.spans, 'span')];
  if (n.missing_parents) lines.push(`▲ ${count(n.missing_parents, 'missing parent')}`);
  const longest = Math.max(...lines.map((text) => text.length));
  return { ...n, lines, hue: systems.indexOf(n.system) % 6, width: Math.min(200, Math.max(96, 7.4 * longest + 28)), height: 14 + line * lines.length };
}

const clipped = (text, width) => {
  const letters = Math.floor((width - 28) / 7.4);
  return text.length > letters + 1 ? `${text.slice(0, letters - 1)}…` : text;
};

function node(n, i) {
  const x = n.x - n.width / 2, y = n.y - n.height / 2;
  return h('g', { key: `node ${i}`, class: `node hue${n.hue}${n.absent ? ' absent' : ''}${n.missing_parents ? ' bad' : ''}` },
    h('title', null, `${visible(n.name)}: ${count(n.spans, 'span')}, ${count(n.roots, 'root')}, ${count(n.missing_parents, 'missing parent')}`
      + (n.within ? `, ${number(n.within)} below another of it` : '')),
    h('rect', { x, y, width: n.width, height: n.height, rx: 7 }),
    h('rect', { class: 'stripe', x, y: y + 7, width: 4, height: n.height - 14, rx: 2 }),
    n.lines.map((text, j) => h('text', { class: `line${j}`, x: x + 14, y: y + 19 + line * j }, clipped(text, n.width))));
}

function arrow(e, i) {
  const [first, ...rest] = e.points;
  let d = `M${first.x},${first.y}`;
  rest.reduce((a, b) => {
    const middle = (a.y + b.y) / 2;
    d += `C${a.x},${middle} ${b.x},${middle} ${b.x},${b.y}`;
    return b;
  }, first);
  const end = rest.at(-1), up = e.back ? -1 : 1;
  return h('g', { key: `way ${i}`, class: `way ${e.expected ?? 'plain'}` },
    h('path', { d }),
    h('path', { class: 'tip', d: `M${end.x - 4.5},${end.y - 8 * up}L${end.x},${end.y}L${end.x + 4.5},${end.y - 8 * up}Z` }));
}

// labels puts what edges say beside them, one where no other is if there is such a place.
function labels(edges) {
  const taken = [];
  return edges.map((e, i) => {
    const lines = says(e);
    const size = { width: 10 + 6.4 * Math.max(...lines.map((text) => text.length)), height: 14 * lines.length };
    const places = [0.5, 0.35, 0.65, 0.25, 0.75].map((t) => along(e, t));
    const at = places.find((p) => !taken.some((o) =>
      Math.abs(o.x - p.x) < (o.width + size.width) / 2 && Math.abs(o.y - p.y) < (o.height + size.height) / 2)) ?? places[0];
    taken.push({ ...at, ...size });
    return h('g', { key: `label ${i}`, class: `says ${e.expected ?? 'plain'}` }, lines.map((text, j) =>
      h('text', { x: at.x, y: at.y + 4 + 14 * (j - (lines.length - 1) / 2) }, text)));
  });
}

// along is a point of an edge's middle part, as arrow draws it.
function along({ points }, t) {
  const part = Math.floor((points.length - 2) / 2);
  const a = points[part], b = points[part + 1], middle = (a.y + b.y) / 2, u = 1 - t;
  return {
    x: a.x * u ** 3 + 3 * a.x * u * u * t + 3 * b.x * u * t * t + b.x * t ** 3,
    y: a.y * u ** 3 + 3 * middle * u * t + b.y * t ** 3,
  };
}

// wayName is the end of a way in a table.
export const wayName = (nodes, i) => [name(nodes[i].name), nodes[i].system && h('span', { class: 'muted' }, ` ${nodes[i].system}`)];
