// Which attribute makes the series of a metric.

// culprit is the attribute without which the fewest series would remain, if it takes away at least half,
// with the number that remain. Attributes that cardinality removes come with a reason. It is null if no
// attribute makes that many.
export function culprit(m) {
  const removed = m.attributes.filter((a) => a.removed);
  const left = Math.min(m.in.series, ...removed.map((a) => a.without)); // come to the limit
  const worst = m.attributes.filter((a) => !a.removed).reduce((a, b) => (a && a.without <= b.without ? a : b), null);
  const halves = worst && 2 * worst.without <= left;
  // What was removed explains the series, unless too many are left.
  if (removed.length && 2 * left <= m.in.series && !(halves && left > m.limit)) {
    return { keys: removed.map((a) => a.key), left, removed: removed[0].removed };
  }
  return halves ? { keys: [worst.key], left: worst.without, attribute: worst } : null;
}

// dearest is the metric that sends the most series which a fix would save, with its culprit and the fix.
export function dearest(metrics) {
  let most = null;
  for (const m of metrics) {
    const of = culprit(m), fix = of?.attribute?.fixes?.[0];
    if (!fix) continue;
    const saves = m.out.series - fix.series;
    if (saves > (most?.saves ?? 0)) most = { metric: m, key: of.keys[0], fix, saves };
  }
  return most;
}
