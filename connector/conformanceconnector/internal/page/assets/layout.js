// SPDX-License-Identifier: Apache-2.0

// A layered layout of a directed graph, top down, after Sugiyama and others (1981):
// cycles are cut, nodes go below those that lead to them, each layer is ordered by its
// neighbours, and edges over several layers get a point in each.

const gap = 26;

// layout gives nodes {width, height} their places x and y (middles), and edges
// {from, to} (places in nodes) their points. It returns the size of the picture.
export function layout(nodes, edges, layerGap) {
  const drawn = edges.filter((e) => e.from !== e.to);
  const layers = layersOf(nodes, drawn);
  const neighbours = chains(nodes, drawn, layers);
  order(layers, neighbours);
  return place(nodes, drawn, layers, neighbours, layerGap);
}

// layersOf sets the layer of each node: one more than the deepest that leads to it.
function layersOf(nodes, edges) {
  const out = nodes.map(() => []);
  for (const e of edges) out[e.from].push(e);
  const state = new Map();
  const sorted = [];
  const visit = (n) => {
    state.set(n, 'underway');
    for (const e of out[n]) {
      e.back = state.get(e.to) === 'underway';
      if (!state.has(e.to)) visit(e.to);
    }
    state.set(n, 'known');
    sorted.push(n);
  };
  const entered = new Set(edges.map((e) => e.to));
  const byEntry = nodes.map((_, i) => i).sort((a, b) => entered.has(a) - entered.has(b) || a - b);
  for (const n of byEntry) if (!state.has(n)) visit(n);

  for (const node of nodes) node.layer = 0;
  for (const n of sorted.reverse()) {
    for (const e of out[n]) if (!e.back) nodes[e.to].layer = Math.max(nodes[e.to].layer, nodes[n].layer + 1);
  }
  alone(nodes, edges);
  const layers = [];
  nodes.forEach((node) => (layers[node.layer] ??= []).push(node));
  return layers;
}

// alone puts nodes without edges below all others, a few a layer.
function alone(nodes, edges) {
  const joined = new Set(edges.flatMap((e) => [e.from, e.to]));
  const base = 1 + Math.max(-1, ...nodes.filter((_, i) => joined.has(i)).map((n) => n.layer));
  nodes.filter((_, i) => !joined.has(i)).forEach((n, i) => { n.layer = base + Math.floor(i / 4); });
}

// chains gives edges over several layers a point in each, and returns who is joined
// with whom in the next layer.
function chains(nodes, edges, layers) {
  const above = new Map(), below = new Map();
  const join = (a, b) => {
    below.set(a, [...(below.get(a) ?? []), b]);
    above.set(b, [...(above.get(b) ?? []), a]);
  };
  for (const e of edges) {
    const [top, bottom] = e.back ? [nodes[e.to], nodes[e.from]] : [nodes[e.from], nodes[e.to]];
    e.chain = [top];
    for (let layer = top.layer + 1; layer < bottom.layer; layer++) {
      const point = { width: 30, height: 0, layer };
      layers[layer].push(point);
      e.chain.push(point);
    }
    e.chain.push(bottom);
    e.chain.slice(1).forEach((b, i) => join(e.chain[i], b));
  }
  return { above, below };
}

function order(layers, { above, below }) {
  const mean = (node, neighbours, rank) => {
    const places = (neighbours.get(node) ?? []).map((n) => rank.get(n));
    return places.length ? places.reduce((a, b) => a + b) / places.length : rank.get(node);
  };
  for (let sweep = 0; sweep < 8; sweep++) {
    const down = sweep % 2 === 0;
    const rank = new Map(layers.flatMap((layer) => layer.map((n, i) => [n, i])));
    for (const layer of down ? layers : [...layers].reverse()) {
      const key = new Map(layer.map((n) => [n, mean(n, down ? above : below, rank)]));
      layer.sort((a, b) => key.get(a) - key.get(b));
      layer.forEach((n, i) => rank.set(n, i));
    }
  }
}

function place(nodes, edges, layers, { above, below }, layerGap) {
  for (const layer of layers) spread(layer, layer.map(() => 0));
  for (let round = 0; round < 12; round++) {
    const neighbours = round % 2 === 0 ? above : below;
    for (const layer of round % 2 === 0 ? layers : [...layers].reverse()) {
      spread(layer, layer.map((n) => {
        const next = neighbours.get(n) ?? [];
        return next.length ? next.reduce((sum, m) => sum + m.x, 0) / next.length : n.x;
      }));
    }
  }
  const all = layers.flat();
  const left = Math.min(...all.map((n) => n.x - n.width / 2));
  let y = 0;
  for (const layer of layers) {
    const height = Math.max(...layer.map((n) => n.height));
    for (const n of layer) Object.assign(n, { x: n.x - left, y: y + height / 2 });
    y += height + layerGap;
  }
  for (const e of edges) {
    e.points = e.chain.map((n) => ({ x: n.x, y: n.y }));
    e.points[0].y += e.chain[0].height / 2;
    e.points.at(-1).y -= e.chain.at(-1).height / 2;
    if (e.back) {
      e.points.reverse();
      for (const point of e.points) point.x += 14; // beside the way there
    }
  }
  return { width: Math.max(...all.map((n) => n.x + n.width / 2)), height: y - layerGap };
}

// spread puts a layer's nodes as near to where they should be as there is room: those
// that would overlap become a block, which goes to the mean of what its nodes want.
function spread(layer, wanted) {
  let offset = 0;
  const offsets = layer.map((n, i) => (i ? (offset += (layer[i - 1].width + n.width) / 2 + gap) : 0));
  const blocks = [];
  offsets.forEach((o, i) => {
    let block = { sum: wanted[i] - o, count: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).count > block.sum / block.count) {
      const before = blocks.pop();
      block = { sum: before.sum + block.sum, count: before.count + block.count };
    }
    blocks.push(block);
  });
  const starts = blocks.flatMap((b) => Array(b.count).fill(b.sum / b.count));
  layer.forEach((n, i) => { n.x = starts[i] + offsets[i]; });
}
