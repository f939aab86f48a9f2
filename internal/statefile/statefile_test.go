// SPDX-License-Identifier: Apache-2.0

package statefile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
)

func open(t *testing.T, path string, sync bool) *Directory {
	t.Helper()
	d, err := Open(Settings{Path: path, Sync: sync, Telemetry: componenttest.NewNopTelemetrySettings()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestOneUserOfADirectory(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, false)
	settings := Settings{Path: path, Telemetry: componenttest.NewNopTelemetrySettings()}
	_, err := Open(settings)
	require.ErrorContains(t, err, "another process or component uses it")
	require.NoError(t, d.Close())
	again, err := Open(settings)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

// A write that fails leaves the value and no other file.
func TestFailedWrite(t *testing.T) {
	path := t.TempDir()
	d := open(t, path, false)
	require.NoError(t, d.Write("a", []byte("one")))
	require.NoError(t, os.MkdirAll(filepath.Join(path, "a.tmp", "in the way"), 0o700))
	require.Error(t, d.Write("a", []byte("two")))
	assert.NoDirExists(t, filepath.Join(path, "a.tmp"))
	got, err := d.Read("a")
	require.NoError(t, err)
	assert.Equal(t, "one", string(got))
	require.ErrorContains(t, d.Write("a", make([]byte, maxBytes)), "must be at most")
}

func TestDamagedFilesAreSetAside(t *testing.T) {
	path := t.TempDir()
	reader := componenttest.NewTelemetry()
	d, err := Open(Settings{Path: path, Telemetry: reader.NewTelemetrySettings()})
	require.NoError(t, err)
	file := filepath.Join(path, "a")
	require.NoError(t, d.Write("a", []byte("some value")))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	cases := int64(0)
	f := func(damage func()) {
		t.Helper()
		damage()
		_, err := d.Read("a")
		require.ErrorIs(t, err, ErrDamaged)
		require.ErrorContains(t, err, "it is now "+file+".damaged")
		got, err := d.Read("a")
		require.NoError(t, err)
		require.Nil(t, got)
		require.NoError(t, d.Write("a", []byte("new")))
		cases++
	}
	write := func(b []byte) func() {
		return func() { require.NoError(t, os.WriteFile(file, b, 0o600)) }
	}
	for i := range whole {
		flipped := slices.Clone(whole)
		flipped[i] ^= 1
		f(write(flipped))
		f(write(whole[:i]))
	}
	f(write(append(slices.Clone(whole), 0)))
	f(func() { require.NoError(t, os.Truncate(file, maxBytes+1)) }) // sparse
	require.NoError(t, os.Remove(file+".damaged"))
	f(func() {
		require.NoError(t, os.Remove(file))
		require.NoError(t, os.Mkdir(file, 0o700))
	})
	got, err := reader.GetMetric("otelcol_state_damaged_files")
	require.NoError(t, err)
	sum := got.Data.(metricdata.Sum[int64])
	metricdatatest.AssertHasAttributes(t, sum, d.attributes()...)
	assert.Equal(t, cases, sum.DataPoints[0].Value)
}
