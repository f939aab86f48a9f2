// SPDX-License-Identifier: Apache-2.0

// Elements are described with h() and drawn with patch(), which changes what differs
// and keeps the rest: focus, open details, selections and scroll positions survive.
// Text only ever becomes text.

const SVG = 'http://www.w3.org/2000/svg';

// h describes an element. Properties are attributes, but for: key, which tells
// siblings apart; width, of the style; on…, which are handlers.
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, children: children.flat(Infinity).filter((c) => c != null && c !== false) };
}

// draw puts what is described into an element, and the focus back where it was.
export function draw(parent, ...children) {
  const focused = document.activeElement;
  patch(parent, h('', null, children).children);
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

function patch(parent, wanted) {
  const old = new Map();
  for (const node of parent.childNodes) if (node.tcKey) old.set(node.tcKey, node);
  const nodes = wanted.map((want, i) => {
    const key = want.tag ? `${want.tag} ${want.props.key ?? i}` : `text ${i}`;
    const node = old.get(key) ?? create(want, parent, key);
    old.delete(key);
    update(node, want);
    return node;
  });
  const keep = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!keep.has(node)) node.remove();
  nodes.forEach((node, i) => {
    if (parent.childNodes[i] !== node) parent.insertBefore(node, parent.childNodes[i] ?? null);
  });
}

function create(want, parent, key) {
  let node;
  if (!want.tag) node = document.createTextNode('');
  else if (want.tag === 'svg' || (parent.namespaceURI === SVG)) node = document.createElementNS(SVG, want.tag);
  else node = document.createElement(want.tag);
  node.tcKey = key;
  return node;
}

function update(node, want) {
  if (!want.tag) {
    if (node.data !== String(want)) node.data = String(want);
    return;
  }
  const before = node.tcProps ?? {};
  for (const name of Object.keys({ ...before, ...want.props })) {
    const value = want.props[name];
    if (name === 'key' || value === before[name]) continue;
    if (name.startsWith('on')) node[name] = value;
    else if (name === 'width' && node.namespaceURI !== SVG) node.style.width = value;
    else if (value == null || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
  node.tcProps = want.props;
  patch(node, want.children);
}
