// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

func TestOnly(t *testing.T) {
	formats := builtin(t)
	glog, err := formats.Only("glog")
	require.NoError(t, err)
	assert.Equal(t, []string{"glog"}, glog.Names())
	var e Entry
	assert.Equal(t, "glog", glog.Match(glogLine, nil, &e).Name)
	assert.Nil(t, glog.Match(cppLine, nil, &e))
	assert.Nil(t, glog.Match(cppLine, only(t, formats, "tensorcast_cpp"), &e), "a hint is no format to look in")

	_, err = formats.Only("nothing")
	assert.EqualError(t, err, `no log format "nothing": known are `+strings.Join(formats.Names(), ", "))
}

func TestNewErrors(t *testing.T) {
	f := func(want string, packs ...*conventions.Pack) {
		t.Helper()
		_, err := New(packs)
		assert.EqualError(t, err, want)
	}
	pack := func(system string, formats ...conventions.LogFormat) *conventions.Pack {
		return &conventions.Pack{System: system, Logs: conventions.LogRules{Formats: formats}}
	}
	lines := []string{"{severity} {body}"}
	f(`logs.formats: "json" must be the name of one format, but it is defined by pack a and as a general format`,
		pack("a", conventions.LogFormat{Name: "json", Lines: lines}))
	f(`logs.formats: "x" must be the name of one format, but it is defined by pack a and by pack b`,
		pack("a", conventions.LogFormat{Name: "x", Lines: lines}), pack("b", conventions.LogFormat{Name: "x", Lines: lines}))
	f(`pack a: logs.formats.1.lines.1: {x} must be followed by literal text, which shows where it ends`,
		pack("a", conventions.LogFormat{Name: "x", Lines: lines}, conventions.LogFormat{Name: "y", Lines: []string{lines[0], "{severity} {x}{y}"}}))
}

// The hint's system comes first, and its formats keep their order.
func TestHint(t *testing.T) {
	one := conventions.LogFormat{Name: "one", Lines: []string{"{severity} special {body}"}}
	two := conventions.LogFormat{Name: "two", Lines: []string{"{severity} {body}"}}
	other := conventions.LogFormat{Name: "other", Lines: []string{"{severity} {body}"}}
	formats, err := New([]*conventions.Pack{
		{System: "a", Logs: conventions.LogRules{Formats: []conventions.LogFormat{other}}},
		{System: "b", Logs: conventions.LogRules{Formats: []conventions.LogFormat{one, two}}},
	})
	require.NoError(t, err)
	f := func(line, hint, want string) {
		t.Helper()
		var by *Format
		if hint != "" {
			by = only(t, formats, hint)
		}
		var e Entry
		assert.Equal(t, want, formats.Match(line, by, &e).Name)
		assert.Equal(t, want, formats.Head([]byte(line), by).Name)
	}
	f("INFO text", "", "other")
	f("INFO text", "other", "other")
	f("INFO text", "two", "two")
	f("INFO text", "one", "two")
	f("INFO special text", "two", "one")
	f("INFO text", "glog", "other")
}
