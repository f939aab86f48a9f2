// SPDX-License-Identifier: Apache-2.0

//go:build linux

package deploy

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "go.opentelemetry.io/collector/config/configgrpc" // the compression of agents
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// hole is the gateway of a pod whose network can drop all that is sent to it, without a word: as when a pod's node is
// gone. A filter on its sockets drops segments before TCP sees them, so that nothing is acknowledged or refused.
type hole struct {
	ptraceotlp.UnimplementedGRPCServer
	net.Listener

	mu      sync.Mutex
	sockets []syscall.Conn
	got     map[scenario.SpanRef]int
}

func newHole(t *testing.T) *hole {
	t.Helper()
	var config net.ListenConfig
	config.SetMultipathTCP(false) // whose sockets have no filters
	listener, err := config.Listen(t.Context(), "tcp", collectortest.AnyAddress)
	require.NoError(t, err)
	h := &hole{Listener: listener, got: map[scenario.SpanRef]int{}, sockets: []syscall.Conn{listener.(*net.TCPListener)}}
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, h)
	go server.Serve(h) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return h
}

// Accept implements net.Listener.
func (h *hole) Accept() (net.Conn, error) {
	connection, err := h.Listener.Accept()
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sockets = append(h.sockets, connection.(*net.TCPConn))
	return connection, nil
}

// drop drops what is sent from now on, or no longer.
func (h *hole) drop(t *testing.T, all bool) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	nothing := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: 0}}
	for _, socket := range h.sockets {
		raw, err := socket.SyscallConn()
		require.NoError(t, err)
		_ = raw.Control(func(fd uintptr) { // of one that is closed there is nothing to drop
			if all {
				err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &nothing[0]})
			} else {
				err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0)
			}
		})
		require.NoError(t, err)
	}
}

// Export implements ptraceotlp.GRPCServer.
func (h *hole) Export(_ context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for span := range collectortest.SpansOf(request.Traces()) {
		h.got[collectortest.SpanRef(span)]++
	}
	return ptraceotlp.NewExportResponse(), nil
}

func (h *hole) spans() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.got)
}

// A network that drops traffic to a gateway that is gone answers nothing: no refusal, no reset. The agent finds out by
// itself, before a request times out, and sends all to the other gateway. It comes back when the network does.
func TestGatewayBehindABlackHole(t *testing.T) {
	t.Parallel()
	gone, other := newHole(t), newHole(t)
	agent := collectortest.Start(t, collectortest.Options{Configs: collectortest.WithFragments("agent-host"), Env: map[string]string{
		"OTELCOL_TC_GATEWAYS":      fmt.Sprintf("[%q, %q]", gone.Addr(), other.Addr()),
		"OTELCOL_TC_HOST_INTERVAL": "1h",
	}})
	var sent []scenario.SpanRef
	send := func() { sent = append(sent, payload.PostJob(t, agent, payload.PutName, "")) }
	arrived := func() map[scenario.SpanRef]int {
		all := map[scenario.SpanRef]int{}
		for _, h := range []*hole{gone, other} {
			h.mu.Lock()
			for ref, times := range h.got {
				all[ref] += times
			}
			h.mu.Unlock()
		}
		return all
	}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		send()
		return gone.spans() > 0 && other.spans() > 0, "a gateway gets nothing"
	})
	gone.drop(t, true)
	before := gone.spans()
	for range 20 {
		send()
	}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return len(arrived()) == len(sent), fmt.Sprintf("%d of %d arrived", len(arrived()), len(sent))
	})
	assert.Equal(t, before, gone.spans())
	page, err := collectortest.GetPage(t.Context(), "http://"+agent.Telemetry+"/metrics")
	require.NoError(t, err)
	assert.Regexp(t, `otelcol_rendezvous_failed_items\{cause="away",endpoint="`+regexp.QuoteMeta(gone.Addr().String())+`".*signal="traces".*\} [1-9]`, string(page))
	assert.NotRegexp(t, `otelcol_rendezvous_failed_items\{cause="timeout"`, string(page))

	gone.drop(t, false)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		send()
		return gone.spans() > before, "the gateway gets nothing since its network is back"
	})
	for ref, times := range arrived() {
		assert.Equal(t, 1, times, "%v", ref)
	}
}
