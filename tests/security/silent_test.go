// SPDX-License-Identifier: Apache-2.0

package security

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A client that sends nothing, or only a part of a request, loses its connection: else it could hold all that the
// process may open.
func TestConnectionsWithoutRequestsAreClosed(t *testing.T) {
	t.Parallel()
	dev := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev"}})
	gateway := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:gateway"}})
	var clients sync.WaitGroup
	for _, address := range []string{dev.Health, dev.Prometheus, dev.Page, gateway.Health, gateway.Readiness} {
		for _, sent := range []string{"", "GET / HTTP/1.1\r\nHost: localhost\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"} {
			connection, err := net.Dial("tcp", address)
			require.NoError(t, err)
			_, err = io.WriteString(connection, sent)
			require.NoError(t, err)
			clients.Go(func() {
				defer connection.Close()
				assert.NoError(t, connection.SetDeadline(time.Now().Add(time.Minute)))
				_, err := io.Copy(io.Discard, connection)
				assert.NoError(t, err, "%s keeps the connection after %q", address, sent)
			})
		}
	}
	clients.Wait()
}
