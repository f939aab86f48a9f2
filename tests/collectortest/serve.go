// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// Serve serves HTTP on loopback until the test ends, and returns its host:port.
func Serve(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// FreeAddress returns a host:port that nobody listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	addresses, err := loopback.FreeAddresses(1)
	if err != nil {
		t.Fatal(err)
	}
	return addresses[0]
}

// WriteFile writes a file in a directory of its own, and returns its path.
func WriteFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
