// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// TestPaste checks that the YAML to paste is part of a valid pack and gives the name that it says.
func TestPaste(t *testing.T) {
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	options := naming.Options{Prefix: "tc_", Unowned: naming.RepairAll}
	n := naming.New(packs, options)
	read := func(text string) *naming.Namer {
		pack, err := conventions.Parse("mine.yaml", []byte("system: mine\nowns: {all: true}\n"+text))
		require.NoError(t, err, text)
		return naming.New([]*conventions.Pack{pack}, options)
	}
	for _, name := range []string{"shop.orders", "Ünïcode", "a b", `quote"d`, "back\\slash", "<script>", "a: b #c", "new\nline", "\x00x"} {
		d := n.Metric(nil, name)
		if text := PasteMetric(&d, name); assert.NotEmpty(t, text, name) {
			again := read(text).Metric(nil, name)
			assert.Equal(t, d.Name, again.Name, text)
			assert.Equal(t, naming.MetricRename, again.Rule)
		}
		span := n.Span(naming.Context{Service: "shop"}, naming.Facts{}, name)
		if text := PasteSpan(&span, name); text != "" {
			assert.Equal(t, span.Name, read(text).Span(naming.Context{Service: "shop"}, naming.Facts{}, name).Name, text)
		}
	}
}
