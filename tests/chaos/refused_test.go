package chaos

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// What a backend refuses for good is dropped, and the numbers rise that the alert
// BackendFailing reads. What came before and after is not touched.
func TestBackendRefuses(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusInternalServerError} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := gatewayScenario(t, fmt.Sprintf("12 backend answers %d", status))
			c, clients := s.start(t)
			offer(t, clients, traces, 5)
			s.awaitDelivered(t)
			before := s.ledger.tally().delivered

			s.sink.respond(answer{status: status})
			offer(t, clients, traces, 10)
			s.awaitToldFailed(t, c, traces)
			s.sink.respond(answer{})
			offer(t, clients, traces, 5)
			s.awaitDeliveries(t, before+100)
			s.row.told = ask(t, c, traces)
			assert.EqualValues(t, s.ledger.tally().dropped, s.row.told.failed)
			assert.Equal(t, 200, s.ledger.tally().dropped)
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
				Labels      map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &file))
	found := map[string]string{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "BackendFailing" {
				found[rule.Labels["signal"]] = rule.Expr
			}
		}
	}
	for _, signal := range []signal{traces, metrics, logs} {
		assert.Contains(t, found[string(signal)], sendFailed(signal))
	}
}
