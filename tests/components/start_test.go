// SPDX-License-Identifier: Apache-2.0

package components

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// complaint matches a line of the log that is a warning or an error.
var complaint = regexp.MustCompile(`(?m)^.*\t(?:warn|error)\t.*$`)

// Each profile starts without a warning or an error, and takes data.
func TestProfilesStartSilently(t *testing.T) {
	t.Parallel()
	backend := collectortest.Serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	f := func(configs []string, env map[string]string) *collectortest.Collector {
		t.Helper()
		c := collectortest.Start(t, collectortest.Options{Configs: configs, Env: env})
		assert.Equal(t, http.StatusOK, collectortest.SendSpan(t, c, "Store/Put", 1))
		assert.Empty(t, complaint.FindAllString(c.Logs(), -1), configs)
		return c
	}
	f([]string{"builtin:dev"}, nil)
	gateway := f([]string{"builtin:gateway"}, map[string]string{"OTELCOL_TC_BACKEND": "http://" + backend})
	f(collectortest.WithFragments("agent-host"), map[string]string{"OTELCOL_TC_GATEWAYS": fmt.Sprintf("[%q]", gateway.GRPC)})
}

// Data that its backend refuses waits on the gateway's disk. spillover says so, and nobody that data is lost.
func TestGatewayDoesNotSayThatDataIsLost(t *testing.T) {
	t.Parallel()
	backend := collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:gateway"}, Env: map[string]string{"OTELCOL_TC_BACKEND": "http://" + backend}})
	assert.Equal(t, http.StatusOK, collectortest.SendSpan(t, c, "Store/Put", 1))
	var complaints string
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		complaints = fmt.Sprint(complaint.FindAllString(c.Logs(), -1))
		return strings.Contains(complaints, "goes to the queue on disk"), complaints
	})
	assert.NotContains(t, complaints, "Rejecting data")
}
