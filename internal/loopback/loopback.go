// Package loopback finds addresses on this machine for servers that a test, the
// demo or a benchmark starts.
package loopback

import "net"

// FreeAddresses returns n different host:port pairs on 127.0.0.1 that nobody
// listens on. Another process may take one before its user does.
func FreeAddresses(n int) ([]string, error) {
	addresses := make([]string, 0, n)
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// Closed only when all are open: that makes them different.
		defer listener.Close()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}
