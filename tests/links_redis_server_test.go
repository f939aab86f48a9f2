package tests

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

// redisVariable names the server's binary when it is neither installed nor the one of
// make redis-server.
const redisVariable = "OTELCOL_TC_REDIS"

// redisServer is a running Redis, which keeps everything in memory.
type redisServer struct {
	*server
	address string
}

// startRedis runs Redis until the test ends. What port is its option of the port.
func startRedis(t *testing.T, portOption string, args ...string) *redisServer {
	t.Helper()
	binary := redisBinary(t)
	for attempt := 1; ; attempt++ {
		addresses, err := loopback.FreeAddresses(1)
		require.NoError(t, err)
		_, port, err := net.SplitHostPort(addresses[0])
		require.NoError(t, err)
		r := &redisServer{address: addresses[0], server: &server{
			binary: binary,
			args:   append([]string{"--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir(), portOption, port}, args...),
		}}
		log, ready := r.run(t)
		if ready {
			return r
		}
		// Another process may have taken the port.
		if attempt == 3 || !strings.Contains(log, "Address already in use") {
			t.Fatalf("Redis ended before it was ready:\n%s", log)
		}
	}
}

// run starts the server, for the first time or again.
func (r *redisServer) run(t *testing.T) (log string, ready bool) {
	t.Helper()
	return r.start(t, func() error {
		connection, err := net.Dial("tcp", r.address)
		if err != nil {
			return err
		}
		return connection.Close()
	})
}

func redisBinary(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("redis-server"); err == nil && os.Getenv(redisVariable) == "" {
		return path
	}
	return toolBinary(t, redisVariable, "redis-server")
}

// authority signs certificates.
type authority struct {
	file        string // its own certificate
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), "ca.pem")}
	a.certificate = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.key = a.write(t, a.certificate, a.file, a.file+".key")
	return a
}

// server returns the files of a certificate, and of its key, for a server on loopback.
func (a *authority) server(t *testing.T) (certificate, key string) {
	t.Helper()
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key")
	a.write(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "redis"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, certificate, key)
	return certificate, key
}

// write writes a certificate and its new key. Without a key the authority signs its own.
func (a *authority) write(t *testing.T, template *x509.Certificate, certificateFile, keyFile string) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	signer := a.key
	if signer == nil {
		signer = key
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, signer)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for file, block := range map[string]*pem.Block{
		certificateFile: {Type: "CERTIFICATE", Bytes: certificate},
		keyFile:         {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	}
	return key
}
