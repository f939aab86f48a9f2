// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// sharedRules are a rule for keys that several processes use.
const sharedRules = `
- {name: shared, key: {span_attribute: rid}, same_process: true, from: {kind: server}, logs: [{attribute: rid, ids: trace}]}
`

// TestProcesses plays the cases of testdata/processes.yaml.
func TestProcesses(t *testing.T) {
	text, err := os.ReadFile("testdata/processes.yaml")
	require.NoError(t, err)
	var cases []struct {
		Name   string
		Split  bool
		Spans  []map[string]any
		Record map[string]any
		PID    any
		Trace  int
	}
	require.NoError(t, yaml.Unmarshal(text, &cases))
	cfg := holdingConfig()
	require.NoError(t, yaml.Unmarshal([]byte(sharedRules), &cfg.Rules))
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			inBubble(t, cfg, func(t *testing.T, r *rig) {
				if c.Split {
					r.split("shared")
				}
				for i, process := range c.Spans {
					r.span("shared", "k", i+1, 11, process)
				}
				attributes := map[string]any{"rid": "k"}
				if c.PID != nil {
					attributes["process.pid"] = c.PID
				}
				log := scenarioLog{Resource: c.Record, Attributes: attributes, At: 5 * time.Second}
				require.NoError(t, r.p.ConsumeLogs(t.Context(), logsOf(t, []scenarioLog{log})))
				pass(hold)
				require.Len(t, r.records(), 1)
				assert.Equal(t, [2]int{c.Trace, 0}, ids(r.records()[0]))
			})
		})
	}
}
