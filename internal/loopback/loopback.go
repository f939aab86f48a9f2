// Package loopback finds addresses on this machine for servers that a test, the
// demo or a benchmark starts.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"syscall"
)

// Ports from which no system takes those of outgoing connections, nor those of
// servers that leave the choice to it: one that is free stays so until its user
// comes, unless another process asks here too and gets to the same place.
const (
	firstPort = 10_000
	ports     = 32_768 - firstPort
)

// next is where this process looks: each place is given once before any again.
var next atomic.Uint32

func init() { next.Store(rand.Uint32N(ports)) }

// FreeAddresses returns n different host:port pairs on 127.0.0.1 that nobody
// listens on.
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
