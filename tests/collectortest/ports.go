package collectortest

import (
	"net"
	"testing"
)

// freeAddresses returns n different host:port pairs on loopback that nobody
// listens on. Another process may still take one before the collector does;
// Start then tries again with others.
func freeAddresses(t testing.TB, n int) []string {
	t.Helper()
	addresses := make([]string, 0, n)
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		// Closed only when all are open: that makes them different.
		defer listener.Close()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses
}
