// SPDX-License-Identifier: Apache-2.0

package security

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

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

// pki is what a gateway and its clients have of certificates, as files.
type pki struct {
	authority         *collectortest.Authority
	serverCert        string
	serverKey         string
	clientCert        string
	clientKey         string
	clientAuthorities string   // a copy that a test may replace
	names             []string // in the certificates that are written next
	addresses         []net.IP // in the same certificates
}

func newPKI(t *testing.T) *pki {
	t.Helper()
	dir := t.TempDir()
	p := &pki{
		authority:  collectortest.NewAuthority(t),
		serverCert: filepath.Join(dir, "server.crt"), serverKey: filepath.Join(dir, "server.key"),
		clientCert: filepath.Join(dir, "client.crt"), clientKey: filepath.Join(dir, "client.key"),
		clientAuthorities: filepath.Join(dir, "ca.crt"),
		names:             []string{"gateway.test"}, addresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	p.signedBy(t, p.authority)
	return p
}

// signedBy writes new certificates into the files.
func (p *pki) signedBy(t *testing.T, a *collectortest.Authority) {
	t.Helper()
	template := func(name string, usage x509.ExtKeyUsage) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
			IPAddresses: p.addresses, DNSNames: p.names,
		}
	}
	a.Write(t, template("gateway", x509.ExtKeyUsageServerAuth), p.serverCert, p.serverKey)
	a.Write(t, template("agent", x509.ExtKeyUsageClientAuth), p.clientCert, p.clientKey)
	content, err := os.ReadFile(a.File)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(p.clientAuthorities, content, 0o600))
}

// environment sets the variables of all fragments about certificates.
func (p *pki) environment() map[string]string {
	return map[string]string{
		"OTELCOL_TC_SERVER_CERT": p.serverCert, "OTELCOL_TC_SERVER_KEY": p.serverKey,
		"OTELCOL_TC_CLIENT_CERT": p.clientCert, "OTELCOL_TC_CLIENT_KEY": p.clientKey,
		"OTELCOL_TC_CLIENT_CA":  p.clientAuthorities,
		"OTELCOL_TC_GATEWAY_CA": p.authority.File,
		"OTELCOL_TC_TLS_RELOAD": "100ms",
	}
}

// trusting returns a client's settings: the authority that it trusts, and with a file its own
// certificate.
func trusting(t *testing.T, a *collectortest.Authority, certificate, key string) *tls.Config {
	t.Helper()
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	content, err := os.ReadFile(a.File)
	require.NoError(t, err)
	require.True(t, config.RootCAs.AppendCertsFromPEM(content))
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		require.NoError(t, err)
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

// spanOverHTTP sends a span and says how that went: by status when there was an answer.
func spanOverHTTP(t *testing.T, address string, config *tls.Config, token string) (ref scenario.SpanRef, status int, err error) {
	t.Helper()
	traces, ref := payload.Job(payload.PutName, "")
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	scheme := "https"
	if config == nil {
		scheme = "http"
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, scheme+"://"+address+"/v1/traces", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-protobuf")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}, Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return ref, 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return ref, response.StatusCode, err
}

// spanOverGRPC sends a span over TLS.
func spanOverGRPC(t *testing.T, address string, config *tls.Config, token string) (scenario.SpanRef, error) {
	t.Helper()
	traces, ref := payload.Job(payload.PutName, "")
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(config)))
	require.NoError(t, err)
	defer connection.Close()
	ctx := t.Context()
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	_, err = ptraceotlp.NewGRPCClient(connection).Export(ctx, ptraceotlp.NewExportRequestFromTraces(traces))
	return ref, err
}

// hostAgent is an agent on a machine without Kubernetes that sends to a gateway.
func hostAgent(t *testing.T, gateway *collectortest.Collector, env map[string]string, more ...string) *collectortest.Collector {
	t.Helper()
	env["OTELCOL_TC_GATEWAYS"] = fmt.Sprintf("[%q]", gateway.GRPC)
	// Nothing but what the test sends.
	env["OTELCOL_TC_HOST_INTERVAL"] = "1h"
	return collectortest.Start(t, collectortest.Options{Configs: append(collectortest.WithFragments("agent-host"), more...), Env: env})
}

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
