// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // default compression of exporters
)

// AnyAddress lets the operating system choose the port of a server.
const AnyAddress = "127.0.0.1:0"

// ServeGRPC runs a server until the test ends or stops it, and returns its address.
func ServeGRPC(t *testing.T, address string, register func(*grpc.Server)) (server *grpc.Server, bound string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	server = grpc.NewServer()
	register(server)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return server, listener.Addr().String()
}
