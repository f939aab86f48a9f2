// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// sink is a backend that counts what it is given, over OTLP by HTTP and gRPC. It can be
// away, and answer something else than success. It is safe for concurrent use.
type sink struct {
	ledger *ledger
	http   listening
	grpc   listening
	ended  context.Context // done when the test has ended
	tls    *tls.Config     // nil for plain connections

	mu       sync.Mutex
	answer   answer // guarded by mu
	requests int    // guarded by mu
	largest  int    // items of a request; guarded by mu
}

// answer is how a sink responds. The zero value takes everything at once.
type answer struct {
	status     int           // of HTTP; 0 is success
	retryAfter time.Duration // told with the status
	delay      time.Duration // before the answer
	hang       bool          // never an answer
	reset      bool          // each connection is reset once data comes
	stranger   bool          // new connections get the certificate of another authority, and old ones are closed
	most       int           // bytes that a request may have; larger ones are answered with 413
	then       *answer       // the next answer, once this one was given to a request of a client
}

// listening is one of a sink's servers.
type listening struct {
	address string
	serve   func(net.Listener) (stop func())
	stop    func()
}

// startSink runs a sink until the test ends.
func startSink(t *testing.T, l *ledger) *sink {
	t.Helper()
	addresses, err := loopback.FreeAddresses(2) // no other test gets them while the sink is away
	require.NoError(t, err)
	s := &sink{ledger: l, ended: t.Context()}
	s.http = listening{address: addresses[0], serve: s.serveHTTP}
	s.grpc = listening{address: addresses[1], serve: s.serveGRPC}
	s.back(t)
	t.Cleanup(s.away)
	return s
}

// away closes the ports, and the connections.
func (s *sink) away() {
	for _, l := range []*listening{&s.http, &s.grpc} {
		if l.stop != nil {
			l.stop()
			l.stop = nil
		}
	}
}

// back opens the same ports again.
func (s *sink) back(t *testing.T) {
	t.Helper()
	for _, l := range []*listening{&s.http, &s.grpc} {
		var listener net.Listener
		collectortest.Eventually(t, time.Minute, func() (bool, string) {
			var err error
			// A connection of another process may have the port for a moment.
			listener, err = net.Listen("tcp", l.address)
			return err == nil, fmt.Sprintf("listen: %v", err)
		})
		listener = faulty{listener, s}
		if s.tls != nil {
			listener = tls.NewListener(listener, s.tls)
		}
		l.stop = l.serve(listener)
	}
}

// respond sets how it answers from now on.
func (s *sink) respond(a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = a
}

// asked returns how many requests came.
func (s *sink) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// largestRequest returns how many items the largest one had.
func (s *sink) largestRequest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.largest
}

// now returns how it answers.
func (s *sink) now() answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer
}

// attempt counts what the sink saw of an attempt that reached no handler.
func (s *sink) attempt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
}

// take notes a delivery when the answer is success.
func (s *sink) take(ctx context.Context, ids []int, bytes int) answer {
	s.mu.Lock()
	s.requests++
	s.largest = max(s.largest, len(ids))
	a := s.answer
	if a.then != nil && len(ids) > 0 {
		s.answer = *a.then
	}
	s.mu.Unlock()
	if a.most > 0 && bytes > a.most {
		a.status = http.StatusRequestEntityTooLarge
	}
	wait := time.NewTimer(a.delay)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return answer{hang: true}
	}
	if a.hang {
		select {
		case <-ctx.Done():
		case <-s.ended.Done():
		}
		return a
	}
	if a.status == 0 {
		s.ledger.deliver(ids)
	}
	return a
}

func (s *sink) serveHTTP(listener net.Listener) (stop func()) {
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until it is closed
	return func() { _ = server.Close() }
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ids, bytes, err := readIDs(r)
	if err != nil {
		// Not 4xx, which would count as the collector's fault and drop the data.
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	a := s.take(r.Context(), ids, bytes)
	if a.hang {
		panic(http.ErrAbortHandler)
	}
	if a.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(a.retryAfter.Seconds())))
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
}

func readIDs(r *http.Request) (ids []int, bytes int, err error) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(r.Body); err != nil {
			return nil, 0, err
		}
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return nil, 0, err
	}
	switch r.URL.Path {
	case "/v1/traces":
		request := ptraceotlp.NewExportRequest()
		err := request.UnmarshalProto(content)
		return spanIDs(request.Traces()), len(content), err
	case "/v1/metrics":
		request := pmetricotlp.NewExportRequest()
		err := request.UnmarshalProto(content)
		return pointIDs(request.Metrics()), len(content), err
	case "/v1/logs":
		request := plogotlp.NewExportRequest()
		err := request.UnmarshalProto(content)
		return recordIDs(request.Logs()), len(content), err
	}
	return nil, 0, fmt.Errorf("no such path: %s", r.URL.Path)
}
