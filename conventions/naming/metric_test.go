// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

func TestMetricNames(t *testing.T) {
	n := newNamer(t, Options{Exempt: []string{"http.*", "system.*", "up", "scrape_*", "process_*"}})
	rows := slices.Concat(readNames(t).Metrics, [][]string{{"unowned", "\xff\xfebytes", "tc_bytes", "metric_general"}})
	for _, row := range rows {
		require.Contains(t, sources, row[0])
		owner, name, want, rule := sources[row[0]].owner(n), row[1], row[2], row[3]
		d := n.Metric(owner, name)
		assert.Equal(t, want, d.Name, name)
		assert.Equal(t, rule, d.Rule.String(), name)
		again := n.Metric(owner, d.Name)
		assert.Equal(t, want, again.Name, "a second time: %s", name)
		if d.Rule != Unnameable {
			assert.Contains(t, []Rule{Conformant, Exempt}, again.Rule, "a second time: %s", name)
		}
	}
}

func TestConvert(t *testing.T) {
	f := func(from, to string, value, want float64) {
		t.Helper()
		c, ok := conventions.Convert(from, to)
		require.True(t, ok, "%s to %s", from, to)
		assert.Equal(t, want, c.Apply(value), "%s to %s", from, to)
	}
	f("ms", "s", 1500, 1.5)
	f("ms", "s", 3, 0.003)
	f("s", "ms", 0.25, 250)
	f("us", "ms", 7, 0.007)
	f("min", "s", 2, 120)
	f("KiBy", "By", 3, 3072)
	f("%", "1", 12.5, 0.125)
	f("s", "s", 1, 1)
	for _, pair := range [][2]string{{"s", "By"}, {"", "s"}, {"s", ""}, {"furlong", "furlong"}} {
		_, ok := conventions.Convert(pair[0], pair[1])
		assert.False(t, ok, "%v", pair)
	}
}

func TestMetricUnits(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(owner *System, unit, want string, ok bool) {
		t.Helper()
		got, gotOK := n.Unit(owner, unit)
		assert.Equal(t, want, got)
		assert.Equal(t, ok, gotOK)
	}
	f(tuft.owner(n), "tokens/s", "{token}/s", true)
	f(tuft.owner(n), "{token}/s", "", false)
	f(tuft.owner(n), "s", "", false)
	f(daemon.owner(n), "tokens", "", false)
	f(nil, "tokens", "", false)
}

func TestValidateOptions(t *testing.T) {
	for _, prefix := range []string{"tc", "_", "9_", "Tc_", ""} {
		assert.EqualError(t, ValidatePrefix(prefix),
			fmt.Sprintf("prefix: must be lower_snake_case and end in an underscore, such as tc_ (got %q)", prefix))
	}
	assert.NoError(t, ValidatePrefix("acme_x9_"))
}

func TestCanBeConformant(t *testing.T) {
	n := newNamer(t, Options{})
	for _, name := range []string{"tc_foo", "TC_Foo", "tc_"} {
		assert.True(t, n.CanBeConformant(name), name)
	}
	for _, name := range []string{"", "tc", "tc.foo", "tcp_connections", "node_cpu", "_tc_x"} {
		assert.False(t, n.CanBeConformant(name), name)
	}
}
