// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/metadata"
)

// dnsServer answers each question for an IPv4 address with 127.0.0.1, and has no other.
type dnsServer struct {
	questions atomic.Int32
}

// useDNS makes a server the one that the process asks, until the test ends.
func useDNS(t *testing.T) *dnsServer {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	s, ended, before := &dnsServer{}, make(chan struct{}), net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
	go func() {
		defer close(ended)
		s.serve(t, socket)
	}()
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = socket.Close()
		<-ended
	})
	return s
}

func (s *dnsServer) serve(t *testing.T, socket net.PacketConn) {
	packet := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFrom(packet)
		if err != nil {
			return // closed
		}
		var message dnsmessage.Message
		if !assert.NoError(t, message.Unpack(packet[:n])) {
			return
		}
		s.questions.Add(1)
		// Without recursion, an answer without addresses would be asked for again.
		message.Response, message.RecursionAvailable, message.Additionals = true, true, nil
		for _, question := range message.Questions {
			if question.Type == dnsmessage.TypeA {
				message.Answers = append(message.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: question.Name, Class: question.Class, TTL: 5},
					Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
				})
			}
		}
		answer, err := message.Pack()
		if assert.NoError(t, err) {
			_, _ = socket.WriteTo(answer, from)
		}
	}
}

// All exporters of an agent, one for each signal and one for files, ask together as often as one of them would.
func TestOneLookupForAllExporters(t *testing.T) {
	dns := useDNS(t)
	cfg := quick()
	cfg.DNS.Hostname = "gateway.test."
	cfg.DNS.Interval = time.Second
	begin := time.Now()
	set := exportertest.NewNopSettings(metadata.Type)
	files := exportertest.NewNopSettings(metadata.Type)
	files.ID = component.NewIDWithName(metadata.Type, "files")
	var all []component.Component
	add := func(e component.Component, err error) {
		t.Helper()
		require.NoError(t, err)
		require.NoError(t, e.Start(t.Context(), componenttest.NewNopHost()))
		all = append(all, e)
	}
	factory := NewFactory()
	traces, err := factory.CreateTraces(t.Context(), set, cfg)
	add(traces, err)
	metrics, err := factory.CreateMetrics(t.Context(), set, cfg)
	add(metrics, err)
	logs, err := factory.CreateLogs(t.Context(), set, cfg)
	add(logs, err)
	logs, err = factory.CreateLogs(t.Context(), files, cfg)
	add(logs, err)

	// Once for IPv4, and once for IPv6.
	const each = 2
	require.Eventually(t, func() bool { return dns.questions.Load() >= 3*each }, time.Minute, 10*time.Millisecond)
	asked := dns.questions.Load()
	lookups := int32(time.Since(begin)/cfg.DNS.Interval) + 1
	assert.LessOrEqual(t, asked, lookups*each, "questions in %d look-ups", lookups)

	for _, e := range all {
		require.NoError(t, e.Shutdown(context.Background()))
	}
	asked = dns.questions.Load()
	time.Sleep(2 * cfg.DNS.Interval)
	assert.Equal(t, asked, dns.questions.Load(), "nobody needs the name any more")
}
