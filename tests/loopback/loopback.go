// SPDX-License-Identifier: Apache-2.0

// Package loopback finds free addresses on this machine for the servers of a test, the demo or a
// benchmark.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"syscall"
)

// These ports are outside the ranges that operating systems use for outgoing connections and for port 0. A
// free port therefore stays free until its server starts, unless another process uses this package and
// gets the same port.
const (
	firstPort = 10_000
	ports     = 32_768 - firstPort
)

// next is the offset of the next port to try. This process returns each port once before it repeats any.
var next atomic.Uint32

func init() { next.Store(rand.Uint32N(ports)) }

// FreeAddresses returns n different host:port pairs on 127.0.0.1 without a listener.
func FreeAddresses(n int) ([]string, error) {
	addresses := make([]string, 0, n)
	for range ports {
		if len(addresses) == n {
			break
		}
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+next.Add(1)%ports)
		listener, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := listener.Close(); err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	if len(addresses) < n {
		return nil, fmt.Errorf("only %d of %d ports from %d on are free", len(addresses), n, firstPort)
	}
	return addresses, nil
}
