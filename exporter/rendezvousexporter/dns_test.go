// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// dnsServer answers each question for an IPv4 address with 127.0.0.1, and has no other.
type dnsServer struct{}

// useDNS makes a server the one that the process asks, until the test ends.
func useDNS(t *testing.T) {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	ended, before := make(chan struct{}), net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
	go func() {
		defer close(ended)
		dnsServer{}.serve(t, socket)
	}()
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = socket.Close()
		<-ended
	})
}

func (dnsServer) serve(t *testing.T, socket net.PacketConn) {
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
