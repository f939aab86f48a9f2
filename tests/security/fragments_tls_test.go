// SPDX-License-Identifier: Apache-2.0

package security

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// A gateway with gateway-mtls takes data from those who have a certificate of its authority, over
// either protocol, and from nobody else; and with TLS 1.2 or later only.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	p, stranger := newPKI(t), newPKI(t)
	gateway, files := collectortest.FileGateway(t, p.environment(), "builtin:fragments/gateway-mtls")
	agent := hostAgent(t, gateway, p.environment(), "builtin:fragments/agent-mtls")

	refused := func(name string, config *tls.Config) {
		t.Helper()
		_, status, err := spanOverHTTP(t, gateway.HTTP, config, "")
		assert.True(t, err != nil || status == http.StatusBadRequest, "%s over HTTP: %d", name, status)
		if config != nil {
			_, err = spanOverGRPC(t, gateway.GRPC, config, "")
			assert.Error(t, err, "%s over gRPC", name)
		}
	}
	refused("without TLS", nil)
	refused("without a certificate", trusting(t, p.authority, "", ""))
	refused("with a certificate of another authority", trusting(t, p.authority, stranger.clientCert, stranger.clientKey))
	// A server's certificate is not a client's.
	refused("with the gateway's certificate", trusting(t, p.authority, p.serverCert, p.serverKey))
	refused("by one who trusts another authority", trusting(t, stranger.authority, p.clientCert, p.clientKey))
	old := trusting(t, p.authority, p.clientCert, p.clientKey)
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	refused("by TLS 1.1", old)

	var want []scenario.SpanRef
	good := trusting(t, p.authority, p.clientCert, p.clientKey)
	ref, status, err := spanOverHTTP(t, gateway.HTTP, good, "")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	want = append(want, ref)
	ref, err = spanOverGRPC(t, gateway.GRPC, good, "")
	require.NoError(t, err)
	want = append(want, ref, payload.PostJob(t, agent, payload.PutName, ""))
	collectortest.RequireArrived(t, files, want...)
}

// An agent gives nothing to a gateway whose certificate it does not trust, keeps what it has
// accepted, and delivers it when the gateway has got a certificate that it trusts: without a
// restart.
func TestCertificatesAreReloaded(t *testing.T) {
	t.Parallel()
	p, former := newPKI(t), collectortest.NewAuthority(t)
	p.signedBy(t, former)
	env := p.environment()
	gateway, files := collectortest.FileGateway(t, p.environment(), "builtin:fragments/gateway-mtls")
	agent := hostAgent(t, gateway, env, "builtin:fragments/agent-mtls")

	ref := payload.PostJob(t, agent, payload.PutName, "")
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return strings.Contains(agent.Logs(), "x509: certificate signed by unknown authority"), "the agent has not complained yet"
	})
	require.Zero(t, files.Traces(t).SpanCount())

	p.signedBy(t, p.authority)
	collectortest.RequireArrived(t, files, ref)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		_, err := spanOverGRPC(t, gateway.GRPC, trusting(t, p.authority, p.clientCert, p.clientKey), "")
		return err == nil, fmt.Sprint("the new authority's clients are refused: ", err)
	})
	assert.Equal(t, 1, strings.Count(gateway.Logs(), "Everything is ready"))
}
