// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/extension/extensiontest"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// selfSigned writes a certificate of 127.0.0.1, and its key.
func selfSigned(t *testing.T) (certFile, keyFile string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600))
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", private)
}

func TestTLSAndPassword(t *testing.T) {
	cert, key := selfSigned(t)
	s := newServer(t, "--tls-port", "--port", "0", "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no", "--requirepass", "secret")
	s.start()
	trust := func(cfg *Config) {
		cfg.Redis.TLS = &configtls.ClientConfig{Config: configtls.Config{CAFile: cert}}
	}
	index := startShared(t, s.address, func(cfg *Config) {
		trust(cfg)
		cfg.Redis.Password = "secret"
	})
	indextest.One(t, index, indextest.Join(1, 1))
	assert.Equal(t, "1@1 | 2", indextest.Written(indextest.One(t, index, indextest.Look(1))))

	f := func(want string, change func(*Config)) {
		t.Helper()
		index := startShared(t, s.address, change)
		assert.Eventually(t, func() bool {
			err := tryRequest(t, index)
			return err != nil && strings.Contains(err.Error(), want)
		}, 10*time.Second, 100*time.Millisecond, want)
	}
	f("NOAUTH", trust)
	f("WRONGPASS", func(cfg *Config) {
		trust(cfg)
		cfg.Redis.Password = "guess"
	})
	f("certificate", func(cfg *Config) { cfg.Redis.TLS = &configtls.ClientConfig{} })
}

func TestTLSFilesMustBeThere(t *testing.T) {
	cfg := with(func(cfg *Config) {
		cfg.Backend = backendRedis
		cfg.Redis.Endpoint = "localhost:6379"
		cfg.Redis.Password = configopaque.String("secret")
		cfg.Redis.TLS = &configtls.ClientConfig{Config: configtls.Config{CAFile: "missing.pem"}}
	})
	e, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	assert.ErrorContains(t, e.Start(t.Context(), componenttest.NewNopHost()), "redis::tls: failed to load TLS config")
	assert.NoError(t, e.Shutdown(t.Context()))
}
