// SPDX-License-Identifier: Apache-2.0

package security

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

const lookedUp = "localhost"

// dnsAgent is an agent that looks its gateway up by name, and expects a name in the gateway's certificate.
func dnsAgent(t *testing.T, gateway *collectortest.Collector, env map[string]string, serverName string) *collectortest.Collector {
	t.Helper()
	_, port, err := net.SplitHostPort(gateway.GRPC)
	require.NoError(t, err)
	env = maps.Clone(env)
	maps.Copy(env, map[string]string{
		"OTELCOL_TC_GATEWAY_NAME": lookedUp, "OTELCOL_TC_GATEWAY_PORT": port, "OTELCOL_TC_GATEWAY_SERVER_NAME": serverName,
	})
	return hostAgent(t, gateway, env, "builtin:fragments/agent-dns", "builtin:fragments/agent-tls")
}

// readiness returns the status and the body.
func readiness(t *testing.T, c *collectortest.Collector) (status int, body string) {
	t.Helper()
	response, err := http.Get("http://" + c.Readiness)
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(content)
}

// The certificates of gateways have the name by which agents look them up, or another one that agents expect.
func TestServerName(t *testing.T) {
	t.Parallel()
	f := func(inCertificate, serverName string) {
		t.Run(inCertificate, func(t *testing.T) {
			t.Parallel()
			p := newPKI(t)
			p.names, p.addresses = []string{inCertificate}, nil
			p.signedBy(t, p.authority)
			gateway, files := collectortest.FileGateway(t, p.environment(), "builtin:fragments/gateway-tls")
			agent := dnsAgent(t, gateway, p.environment(), serverName)
			collectortest.RequireArrived(t, files, payload.PostJob(t, agent, payload.PutName, ""))
			status, body := readiness(t, agent)
			assert.Equal(t, http.StatusOK, status, body)
		})
	}
	f(lookedUp, "")
	f("gateway.test", "gateway.test")
}

// With a name that is not in the certificate no data can arrive. The log and readiness say so and why, without any
// data. The agent stays ready, and keeps what it gets until the gateway has the right certificate.
func TestServerNameIsWrong(t *testing.T) {
	t.Parallel()
	p := newPKI(t)
	gateway, files := collectortest.FileGateway(t, p.environment(), "builtin:fragments/gateway-tls")
	agent := dnsAgent(t, gateway, p.environment(), "another.test")
	const cause = "x509: certificate is valid for gateway.test, not another.test"
	for _, exporter := range []string{"rendezvous", "rendezvous/files"} {
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			status, body := readiness(t, agent)
			told := regexp.MustCompile(fmt.Sprintf(`"exporter_misconfigured",\s+"component": "exporter/%s",\s+"signal": "logs",[^}]*%s[^}]*"fails": false`, exporter, cause))
			return status == http.StatusOK && told.MatchString(body), body
		})
		assert.Regexp(t, `(?m)^\S+\terror\t.*"`+exporter+`",.*`+cause, agent.Logs())
	}

	ref := payload.PostJob(t, agent, payload.PutName, "")
	p.names = []string{"another.test"}
	p.signedBy(t, p.authority)
	collectortest.RequireArrived(t, files, ref)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		status, body := readiness(t, agent)
		return status == http.StatusOK, body
	})
}
