// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// Certificates are issued for the looked-up name, and connections go to addresses.
func TestCertificateOfTheName(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o600))

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &server{grpc: grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(
		&tls.Certificate{Certificate: [][]byte{certificate}, PrivateKey: key})))}
	ptraceotlp.RegisterGRPCServer(s.grpc, s)
	go func() { _ = s.grpc.Serve(listener) }()
	t.Cleanup(s.grpc.Stop)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)

	cfg := quick()
	cfg.Client.TLS.Insecure, cfg.Client.TLS.CAFile = false, ca
	useDNS(t)
	cfg.DNS.Hostname = "localhost." // absolute
	cfg.DNS.Port, err = strconv.Atoi(port)
	require.NoError(t, err)
	require.NoError(t, start(t, cfg, nil).ConsumeTraces(t.Context(), batchOf("a", 10)))
	assert.Len(t, s.took(), 10)

	cfg = quick(listener.Addr().String())
	cfg.Client.TLS.Insecure, cfg.Client.TLS.CAFile = false, ca
	cfg.RetryOnFailure.Enabled = false
	assert.ErrorContains(t, start(t, cfg, nil).ConsumeTraces(t.Context(), batchOf("b", 10)), "certificate")
	assert.Len(t, s.took(), 10)
}
