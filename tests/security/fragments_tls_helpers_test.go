// SPDX-License-Identifier: Apache-2.0

package security

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

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
