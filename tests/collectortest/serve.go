// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

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

// Kubeconfig writes a configuration that leads to the API server at a URL, as nobody.
func Kubeconfig(t testing.TB, url string) string {
	t.Helper()
	return WriteFile(t, "kubeconfig", fmt.Sprintf(`
apiVersion: v1
kind: Config
clusters: [{name: away, cluster: {server: %q}}]
users: [{name: nobody, user: {}}]
contexts: [{name: away, context: {cluster: away, user: nobody}}]
current-context: away
`, url))
}

// Dial returns a connection for gRPC without TLS, until the test ends.
func Dial(t testing.TB, address string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(address, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() }) // nothing is sent any more
	return connection
}
