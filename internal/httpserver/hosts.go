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

// hosts answers only clients that call the server by a name of its own. A page of a stranger
// whose name leads to the server's address (DNS rebinding) calls it by the stranger's name, and
// a browser would let the stranger read the answer.
type hosts struct {
	setting string          // that allows more
	allowed map[string]bool // normalised
	next    http.Handler
}

// checkHosts returns next behind a check of the Host header.
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
	// The name that the server was told to listen at.
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
	text := fmt.Sprintf("The host %.100q is not one of this server. If it is meant to be, add it to %s.", r.Host, h.setting)
	http.Error(w, text, http.StatusMisdirectedRequest)
}

func (h *hosts) allows(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	tcp, ok := local.(*net.TCPAddr)
	// No browser reaches a Unix socket, and HTTP/1.0 has no Host.
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

// hostOf returns the host of host:port, or of a host without a port, normalised.
func hostOf(text string) (host string, ok bool) {
	if name, _, err := net.SplitHostPort(text); err == nil {
		text = name
	}
	return normalHost(text)
}

// normalHost returns a host in the form in which hosts are compared: addresses in their shortest
// form, names in lower case without the root's dot.
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
