// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// Redis is a running Redis, which keeps everything in memory.
type Redis struct {
	*Server
	Address string
}

// StartRedis runs Redis until the test ends. What port is its option of the port.
func StartRedis(t *testing.T, portOption string, args ...string) *Redis {
	t.Helper()
	binary := collectortest.Needs(t, "redis-server", ".tools/redis-server")
	for attempt := 1; ; attempt++ {
		addresses, err := loopback.FreeAddresses(1)
		require.NoError(t, err)
		_, port, err := net.SplitHostPort(addresses[0])
		require.NoError(t, err)
		r := &Redis{Address: addresses[0], Server: &Server{
			Binary: binary,
			Args:   append([]string{"--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir(), portOption, port}, args...),
		}}
		log, ready := r.Run(t)
		if ready {
			return r
		}
		// Another process may have taken the port.
		if attempt == 3 || !strings.Contains(log, "Address already in use") {
			t.Fatalf("Redis ended before it was ready:\n%s", log)
		}
	}
}

// Run starts the server, for the first time or again.
func (r *Redis) Run(t *testing.T) (log string, ready bool) {
	t.Helper()
	return r.Start(t, func() error {
		connection, err := net.Dial("tcp", r.Address)
		if err != nil {
			return err
		}
		return connection.Close()
	})
}
