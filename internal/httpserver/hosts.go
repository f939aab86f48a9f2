// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

const anyHost = "*"

// hosts answers only requests whose Host header is one of the server's names. This prevents DNS
// rebinding: the name of an attacker's web page resolves to the server's address, and the
// browser lets the page read the answers.
type hosts struct {
	setting string          // the key that allows more hosts
	allowed map[string]bool // in the form of normalHost
	next    http.Handler
}

// checkHosts returns a handler that checks the Host header before it calls next.
func checkHosts(setting string, config *Config, next http.Handler) http.Handler {
	if config.allowsAll() {
		return next
	}
	h := &hosts{setting: setting, allowed: map[string]bool{"localhost": true}, next: next}
	for _, host := range config.AllowedHosts {
		name, _ := normalHost(host)
		h.allowed[name] = true
	}
	if name, err := os.Hostname(); err == nil {
		name, _ = normalHost(name)
		h.allowed[name] = true
	}
	// The configured endpoint may contain a name.
	if name, ok := hostOf(config.ServerConfig.NetAddr.Endpoint); ok && name != "" {
		h.allowed[name] = true
	}
	return h
}

func (h *hosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.allows(r) {
		h.next.ServeHTTP(w, r)
		return
	}
	text := fmt.Sprintf("The server does not accept the host %.100q. To allow it, add it to %s.", r.Host, h.setting)
	http.Error(w, text, http.StatusMisdirectedRequest)
}

func (h *hosts) allows(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	tcp, ok := local.(*net.TCPAddr)
	// No browser reaches a Unix socket, and HTTP/1.0 has no Host header.
	if local != nil && !ok || r.Host == "" {
		return true
	}
	host, valid := hostOf(r.Host)
	if !valid {
		return false
	}
	if h.allowed[host] {
		return true
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return address.IsLoopback() || ok && address == withoutZone(tcp.AddrPort().Addr())
}

// hostOf returns the normalised host of host:port, or of a host without a port.
func hostOf(text string) (host string, ok bool) {
	if name, _, err := net.SplitHostPort(text); err == nil {
		text = name
	}
	return normalHost(text)
}

// normalHost returns a host in a form that can be compared: addresses in their shortest form,
// names in lower case without the dot of the root domain.
func normalHost(host string) (normal string, ok bool) {
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		host, bracketed = strings.CutSuffix(inner, "]")
		if !bracketed {
			return "", false
		}
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return withoutZone(address).String(), true
	}
	return strings.ToLower(strings.TrimSuffix(host, ".")), !strings.ContainsAny(host, ":[]")
}

func withoutZone(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
