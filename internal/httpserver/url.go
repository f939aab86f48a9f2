// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net"
	"net/netip"
	"net/url"
	"os"

	"go.opentelemetry.io/collector/config/confighttp"
)

// urlOf returns the URL of a server that listens on an address. The host is the configured one, which a
// certificate may name. For a server on all addresses it is the machine's name, which others can reach too.
func urlOf(config *confighttp.ServerConfig, address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return (&url.URL{Scheme: "unix", Path: address.String()}).String()
	}
	host, _, _ := net.SplitHostPort(config.NetAddr.Endpoint)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = machine()
	}
	_, port, _ := net.SplitHostPort(tcp.String()) // that of the system, if the configured one is 0
	scheme := "http"
	if config.TLS.HasValue() {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: "/"}).String()
}

// machine returns the machine's name, or a loopback address without one.
func machine() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "127.0.0.1"
}
