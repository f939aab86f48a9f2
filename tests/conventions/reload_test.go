// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// mounted is a folder as the kubelet mounts a ConfigMap: files are links to a folder whose link is replaced.
type mounted struct {
	folder  string
	version int
}

func mount(t *testing.T, files map[string]string) *mounted {
	m := &mounted{folder: t.TempDir()}
	m.swap(t, files)
	for name := range files {
		require.NoError(t, os.Symlink("..data/"+name, filepath.Join(m.folder, name)))
	}
	return m
}

func (m *mounted) path(name string) string { return filepath.Join(m.folder, name) }

// swap replaces all files at once.
func (m *mounted) swap(t *testing.T, files map[string]string) {
	t.Helper()
	m.version++
	folder := fmt.Sprintf("..%d", m.version)
	require.NoError(t, os.Mkdir(m.path(folder), 0o700))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(m.folder, folder, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(folder, m.path("..data_tmp")))
	require.NoError(t, os.Rename(m.path("..data_tmp"), m.path("..data")))
	require.NoError(t, os.RemoveAll(m.path(fmt.Sprintf("..%d", m.version-1))))
}

// save replaces a file as an editor does, and overwrite changes it in its place.
func (m *mounted) save(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(m.path("..data/new"), []byte(text), 0o600))
	require.NoError(t, os.Rename(m.path("..data/new"), m.path("..data/"+name)))
}

func (m *mounted) overwrite(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(m.path(name), []byte(text), 0o600))
}

var parities = [...]string{"even", "odd"}

// packOf returns a pack whose version each component shows.
func packOf(version int) string {
	return fmt.Sprintf(`
system: shop
owns:
  resource: {service.name: ["shop-*"]}
metrics:
  prefixes: {shop.: tc_shop_v%[1]d_}
spans:
  components: {default: Shop%[1]d}
attributes:
  - {key: shop.note, rename: shop.v%[1]d}
  - {key: cart_%[2]s, id: true}
links:
  - name: shop.v%[1]d
    key: {span_attribute: order.id}
    from: {kind: client}
    to: {kind: server}
  - name: shop.payment
    key: {span_attribute: payment.id}
    from: {}
    logs: [{attribute: pay_%[2]s}]
logs:
  redact: ['secret-%[2]s']
`, version, parities[version%2])
}

// broken returns a pack with a fault.
func broken(version int) string {
	good := packOf(version)
	return [...]string{
		good + "metric: {}\n", good[:len(good)/2], strings.Replace(good, "secret-", "secret-(", 1), "", "system: [\n",
		strings.Replace(good, "id: true", "id: true, allowed: [a]", 1),
	}[rand.IntN(6)]
}

const settingsFile = "conventions.yaml"

// startReloading starts a collector whose conventions are in a folder.
func startReloading(t *testing.T, m *mounted) *collectortest.Collector {
	return collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", overlay(t, "service: {extensions: "+extensions+"}\nprocessors: {cardinality: {limit: 100000}}\n"+
			"extensions: {correlation_index: {max_memory_mib: 128}}\n")}, // what came first stays in the index
		Env: map[string]string{"OTELCOL_TC_SETTINGS": m.path(settingsFile)},
	})
}

// reloads returns how many changes of files the collector has applied and refused.
func reloads(t *testing.T, c *collectortest.Collector) (applied, refused int) {
	counts := map[string]int{}
	for _, sample := range c.SelfMetrics(t)["otelcol_conventions_reloads"].GetMetric() {
		for _, label := range sample.GetLabel() {
			if label.GetName() == "outcome" {
				counts[label.GetValue()] = int(sample.GetCounter().GetValue())
			}
		}
	}
	return counts["applied"], counts["refused"]
}

// TestReloads changes a pack again and again, also to broken ones, while telemetry of all signals comes. Nothing may be
// lost or doubled, and each batch must show one version of the pack in all that components do.
func TestReloads(t *testing.T) {
	settings := "packs: [shop.yaml, tuft]\n"
	m := mount(t, map[string]string{settingsFile: settings, "shop.yaml": packOf(0)})
	c := startReloading(t, m)
	collectortest.PostTraces(t, c, payload.Read(t, "testdata/payments", time.Now()).Traces)

	const senders = 2
	var batches [3]atomic.Int64
	var stop atomic.Bool
	var running sync.WaitGroup
	began := time.Now().Add(-time.Hour)
	for signal, post := range []func(n int64, at time.Time, sender int){
		func(n int64, at time.Time, _ int) {
			collectortest.PostTraces(t, c, batchOf(t, "orders", n, at, 0).Traces)
		},
		func(n int64, at time.Time, sender int) {
			collectortest.PostMetrics(t, c, batchOf(t, "carts", n, at, sender).Metrics)
		},
		func(n int64, at time.Time, _ int) { collectortest.PostLogs(t, c, batchOf(t, "lines", n, at, 0).Logs) },
	} {
		for sender := range senders {
			running.Go(func() {
				for !stop.Load() && !t.Failed() {
					n := batches[signal].Add(1)
					post(n, began.Add(time.Duration(n)*time.Millisecond), sender)
					time.Sleep(10 * time.Millisecond) // so that all keys stay in the index until the end
				}
			})
		}
	}
	version, applied, refused := 0, 0, 0
	for range soak.Count(t, "TC_RELOADS", 20) {
		text := packOf(version + 1)
		_, before := reloads(t, c)
		good := rand.IntN(3) > 0
		if !good {
			refused++
			text = fmt.Sprintf("# %d\n%s", refused, broken(version+1)) // what was refused is not read again
		} else {
			version++
			applied++
		}
		switch rand.IntN(3) {
		case 0:
			m.save(t, "shop.yaml", text)
		case 1:
			m.overwrite(t, "shop.yaml", text)
		default:
			m.swap(t, map[string]string{settingsFile: settings, "shop.yaml": text})
		}
		collectortest.Eventually(t, time.Minute, func() (bool, string) {
			// What is overwritten may be read while it is empty, and refused.
			a, r := reloads(t, c)
			return a == applied && (good || r > before), fmt.Sprintf("%d applied of %d, %d refused, before %d", a, applied, r, before)
		})
	}
	stop.Store(true)
	running.Wait()
	require.False(t, t.Failed())

	versions := map[string]bool{}
	t.Run("traces", func(t *testing.T) { checkOrders(t, c, int(batches[0].Load()), versions) })
	t.Run("metrics", func(t *testing.T) { checkCarts(t, c, int(batches[1].Load())) })
	t.Run("logs", func(t *testing.T) { checkLines(t, c, int(batches[2].Load())) })
	assert.Greater(t, len(versions), applied/2, "most versions have seen a batch")
	assert.True(t, c.Running())
}

// perBatch is how many orders, each with a span of a client and one of a server, and how many records a batch has.
const perBatch = 10

// batchOf reads telemetry of testdata: orders, deltas of four points, of which the pack merges two and two, or records
// with two payments, of which the pack reads one.
func batchOf(t *testing.T, name string, n int64, at time.Time, sender int) payload.Sent {
	t.Helper()
	return payload.Read(t, "testdata/"+name, at, "$hexbatch", fmt.Sprintf("%024x", n), "$batch", fmt.Sprint(n), "$sender", fmt.Sprint(sender))
}

// noteOf returns the version that an attribute's key has.
func noteOf(t *testing.T, attrs pcommon.Map) (version string) {
	for key := range attrs.All() {
		if rest, ok := strings.CutPrefix(key, "shop.v"); ok {
			version = rest
		}
	}
	require.NotEmpty(t, version, attrs.AsRaw())
	return version
}

func parityOf(t *testing.T, version string) string {
	var n int
	_, err := fmt.Sscan(version, &n)
	require.NoError(t, err)
	return parities[n%2]
}

// oneVersion checks that a batch has one version.
func oneVersion(t *testing.T, of map[int64]string, batch int64, version string) {
	t.Helper()
	if known, ok := of[batch]; ok {
		require.Equal(t, known, version, "batch %d is of two versions", batch)
	}
	of[batch] = version
}

func checkOrders(t *testing.T, c *collectortest.Collector, batches int, versions map[string]bool) {
	spans := map[string]int{}
	of := map[int64]string{}
	for span := range collectortest.SpansOf(collectortest.AwaitSpans(t, c, 2*perBatch*batches+2)) {
		n, ok := span.Attributes().Get("batch")
		if !ok {
			continue
		}
		version := noteOf(t, span.Attributes())
		versions[version] = true
		oneVersion(t, of, n.Int(), version)
		require.Equal(t, "Shop"+version+"/PlaceOrder", span.Name())
		if span.Kind() == ptrace.SpanKindServer {
			require.Equal(t, 1, span.Links().Len())
			rule, _ := span.Links().At(0).Attributes().Get("tc.link.rule")
			require.Equal(t, "shop.v"+version, rule.Str())
		}
		spans[span.TraceID().String()]++
	}
	require.Len(t, of, batches)
	require.Len(t, spans, 2*perBatch*batches, "spans are lost")
	for trace, n := range spans {
		require.Equal(t, 1, n, trace)
	}
}

func checkCarts(t *testing.T, c *collectortest.Collector, batches int) {
	want := int64(2*batches) * int64(batches+1) // four points each, with the number of their batch
	var got int64
	of := map[int64]string{}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got = 0
		clear(of)
		for m := range collectortest.AllMetrics(c.Metrics(t)) {
			name, ok := strings.CutPrefix(m.Name(), "tc_shop_v")
			if !ok {
				continue
			}
			version := strings.TrimSuffix(name, "_orders")
			for _, p := range m.Sum().DataPoints().All() {
				got += p.IntValue()
				oneVersion(t, of, int64(p.Timestamp()), version)
				require.Equal(t, version, noteOf(t, p.Attributes()))
				_, kept := p.Attributes().Get("cart_" + parityOf(t, version))
				require.False(t, kept, "an id of version %s stays", version)
				require.Equal(t, 2, p.Attributes().Len(), p.Attributes().AsRaw())
			}
		}
		return got >= want, fmt.Sprintf("%d of %d", got, want)
	})
	require.Equal(t, want, got)
	require.Len(t, of, batches)
}

func checkLines(t *testing.T, c *collectortest.Collector, batches int) {
	type item struct{ batch, item int64 }
	items := map[item]int{}
	of := map[int64]string{}
	traces := map[string]pcommon.TraceID{"even": {9, 1}, "odd": {9, 2}}
	for r := range collectortest.Records(collectortest.AwaitRecords(t, c, perBatch*batches)) {
		n, _ := r.Attributes().Get("batch")
		i, _ := r.Attributes().Get("item")
		version := noteOf(t, r.Attributes())
		oneVersion(t, of, n.Int(), version)
		parity := parityOf(t, version)
		require.NotContains(t, r.Body().Str(), "secret-"+parity)
		require.Equal(t, traces[parity], r.TraceID(), "version %s", version)
		items[item{n.Int(), i.Int()}]++
	}
	require.Len(t, of, batches)
	require.Len(t, items, perBatch*batches, "records are lost")
	for item, n := range items {
		require.Equal(t, 1, n, item)
	}
}

// TestAdopting checks that one changed file adopts a service while the collector runs.
func TestAdopting(t *testing.T) {
	m := mount(t, map[string]string{settingsFile: "mode: audit\npacks: [shop.yaml]\n", "shop.yaml": packOf(0)})
	c := startReloading(t, m)
	process := c.PID()
	names := func(batches int) (names []string) {
		for span := range collectortest.SpansOf(collectortest.AwaitSpans(t, c, 2*perBatch*batches)) {
			names = append(names, span.Name())
		}
		return names
	}
	collectortest.PostTraces(t, c, batchOf(t, "orders", 1, time.Now(), 0).Traces)
	assert.NotContains(t, names(1), "Shop0/PlaceOrder")
	m.swap(t, map[string]string{
		settingsFile: "mode: audit\npacks: [shop.yaml]\nservices: {shop-new: {mode: enforce}}\n", "shop.yaml": packOf(0),
	})
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		applied, refused := reloads(t, c)
		return applied == 1, fmt.Sprintf("%d applied, %d refused", applied, refused)
	})
	collectortest.PostTraces(t, c, batchOf(t, "orders", 2, time.Now(), 0).Traces)
	assert.Contains(t, names(2), "Shop0/PlaceOrder")
	assert.Equal(t, process, c.PID())
	assert.True(t, c.Running())
}
