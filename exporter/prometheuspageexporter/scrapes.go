// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"net"
	"net/http"
	"sync"
)

const (
	// maxScrapes bounds concurrent scrapes. Each holds a copy of the page's families in memory.
	maxScrapes = 16
	// maxScrapesOfClient bounds concurrent scrapes of one client, so that a client that does
	// not read leaves room for other clients.
	maxScrapesOfClient = 4
)

// scrapes bounds concurrent scrapes, in total and per client.
type scrapes struct {
	next http.Handler

	mu      sync.Mutex
	all     int
	clients map[string]int
}

func newScrapes(next http.Handler) *scrapes {
	return &scrapes{next: next, clients: map[string]int{}}
}

func (s *scrapes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil { // a Unix socket
		client = r.RemoteAddr
	}
	if !s.begin(client) {
		http.Error(w, "Too many scrapes at one time.", http.StatusServiceUnavailable)
		return
	}
	defer s.end(client)
	s.next.ServeHTTP(w, r)
}

func (s *scrapes) begin(client string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxScrapes || s.clients[client] >= maxScrapesOfClient {
		return false
	}
	s.all++
	s.clients[client]++
	return true
}

func (s *scrapes) end(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.clients[client]--; s.clients[client] == 0 {
		delete(s.clients, client)
	}
}
