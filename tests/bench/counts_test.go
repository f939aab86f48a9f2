// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCounted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `otelcol_processor_outgoing_items{otel_signal="traces",processor="naming"} 1000
otelcol_processor_outgoing_items{otel_signal="traces",processor="span_link"} 250
otelcol_processor_outgoing_items{otel_signal="logs",processor="span_link"} 7
otelcol_span_link_matched{rule="a"} 90
otelcol_span_link_matched{rule="b"} 10`)
	}))
	defer server.Close()
	from := &sender{load: otlpLoad{signal: "traces"}}
	from.accepted.Store(1000)
	of := &target{feed: from, telemetry: server.Listener.Addr().String()}

	got, err := of.counted(t.Context(), pipeline{last: "span_link"})
	require.NoError(t, err)
	require.Equal(t, counts{in: 1000, out: 250, hits: 100}, got)
	require.Equal(t, 4., got.merge())
	require.Equal(t, 0.1, got.hitRate())
	require.Equal(t, []string{"4.0", "10 %"}, []string{got.mergeText(), got.hitText()})

	// Of one without processors nobody counts what goes out.
	got, err = of.counted(t.Context(), pipeline{})
	require.NoError(t, err)
	require.Equal(t, []string{"", ""}, []string{got.mergeText(), got.hitText()})
}
