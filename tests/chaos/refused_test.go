// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// What a backend refuses for good is refused to the clients while data goes directly. In the queue it is set
// aside and counted. The numbers rise that the alert BackendFailing reads. What came before and after is not
// touched.
func TestBackendRefuses(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusInternalServerError} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := gatewayScenario(t, fmt.Sprintf("12 backend answers %d", status))
			c, clients := s.start(t)
			offer(t, clients, traces, 5)
			s.awaitDelivered(t)

			s.sink.respond(answer{status: status})
			made := newTemplate(t, shape{signal: traces, items: 20})
			for _, via := range []transport{overHTTP, overGRPC} {
				assert.False(t, clients.send(made, via))
			}
			s.awaitToldFailed(t, c, traces, 40)
			assert.Zero(t, s.ledger.tally().dropped)

			s.sink.respond(answer{status: http.StatusServiceUnavailable})
			offer(t, clients, traces, 10)
			s.sink.respond(answer{status: status})
			s.awaitToldFailed(t, c, traces, 240)
			s.sink.respond(answer{})
			before := s.ledger.tally().delivered
			offer(t, clients, traces, 5)
			s.awaitDeliveries(t, before+100)
			s.row.told = ask(t, c, traces)
			assert.Equal(t, 200, s.ledger.tally().dropped)
			letters, err := os.ReadFile(filepath.Join(s.options.Env["OTELCOL_TC_STATE"], "spillover", "spillover", "traces", "dead_letter.jsonl"))
			require.NoError(t, err)
			assert.Equal(t, 240, strings.Count(string(letters), `"spanId"`))
		})
	}
}

// The alert on what told.failed counts.
func TestAlertReadsWhatIsCounted(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "dashboards", "alerts.yaml"))
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &file))
	var found []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "BackendFailing" {
				found = append(found, rule.Expr)
			}
		}
	}
	assert.Contains(t, strings.Join(found, "\n"), refusedForGood)
}
