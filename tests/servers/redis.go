// SPDX-License-Identifier: Apache-2.0

package servers

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Redis is a running Redis, which keeps everything in memory.
type Redis struct {
	*Server
	Address string
}

// StartRedis runs Redis until the test ends. What port is its option of the port.
func StartRedis(t *testing.T, portOption string, args ...string) (r *Redis) {
	t.Helper()
	binary := collectortest.Needs(t, "redis-server", ".tools/redis-server")
	OnFreePorts(t, 1, func(addresses []string) (log string, ready bool) {
		_, port, err := net.SplitHostPort(addresses[0])
		require.NoError(t, err)
		r = &Redis{Address: addresses[0], Server: &Server{
			Binary: binary,
			Args:   append([]string{"--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir(), portOption, port}, args...),
		}}
		return r.Run(t)
	})
	return r
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
