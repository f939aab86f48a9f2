// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

// suffixRules are those of an engine that adds a random end to the ids of its clients. Only some of its lines have it.
var suffixRules = []any{
	map[string]any{
		"name": "client", "key": map[string]any{"span_attribute": "id"}, "from": map[string]any{"kind": "server"},
		"logs": []any{
			map[string]any{"tokens": []any{"req-"}, "ids": "trace"},
			map[string]any{"tokens": []any{"req-"}, "after": []any{"Added request "}, "normalise": map[string]any{"random_suffix": 8}, "ids": "trace"},
		},
	},
}

// A line with the random end belongs to the request without it, unless the id of another request has that end.
func TestRandomEndsOfKeys(t *testing.T) {
	cfg := holdingConfig()
	cfg.Rules = suffixRules
	f := func(line string, spans map[string]int, want int) {
		t.Helper()
		inBubble(t, cfg, func(t *testing.T, r *rig) {
			r.send(func(record plog.LogRecord) { record.Body().SetStr(line) })
			// The whole id's span comes last.
			for _, id := range []string{"req-a", "req-a-0123abcd"} {
				if trace, ok := spans[id]; ok {
					r.span("client", id, trace, 0, nil)
				}
				pass(2 * time.Second)
			}
			pass(hold)
			require.Len(t, r.records(), 1)
			assert.Equal(t, want, ids(r.records()[0])[0], line)
		})
	}
	one, both := map[string]int{"req-a": 1}, map[string]int{"req-a": 1, "req-a-0123abcd": 2}
	f("Added request req-a-0123abcd.", one, 1)
	f("Added request req-a-0123abcd.", both, 2)
	f("Added request req-a.", both, 1)
	f("Added request req-a-0123abcd-9f9f9f9f.", both, 2)
	f("Received request req-a-0123abcd: params", one, 0)
	f("Received request req-a-0123abcd: params", both, 2)
	f("Added request req-a-0123ABCD.", one, 0)
	f("Added request req-a-20261128x.", one, 0)
}
