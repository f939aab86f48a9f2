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
	_ "go.opentelemetry.io/collector/config/configgrpc" // the compressions that a gateway knows
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

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

func (s *sink) serveGRPC(listener net.Listener) (stop func()) {
	server := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 20))
	ptraceotlp.RegisterGRPCServer(server, &traceSink{sink: s})
	pmetricotlp.RegisterGRPCServer(server, &metricSink{sink: s})
	plogotlp.RegisterGRPCServer(server, &logSink{sink: s})
	go func() { _ = server.Serve(listener) }() // until it is stopped
	return server.Stop
}

type traceSink struct {
	ptraceotlp.UnimplementedGRPCServer
	*sink
}

func (s *traceSink) Export(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	return ptraceotlp.NewExportResponse(), s.take(ctx, spanIDs(request.Traces()), (&ptrace.ProtoMarshaler{}).TracesSize(request.Traces())).err()
}

type metricSink struct {
	pmetricotlp.UnimplementedGRPCServer
	*sink
}

func (s *metricSink) Export(ctx context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	return pmetricotlp.NewExportResponse(), s.take(ctx, pointIDs(request.Metrics()), 0).err()
}

type logSink struct {
	plogotlp.UnimplementedGRPCServer
	*sink
}

func (s *logSink) Export(ctx context.Context, request plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	return plogotlp.NewExportResponse(), s.take(ctx, recordIDs(request.Logs()), 0).err()
}

var codesOf = map[int]codes.Code{
	0:                                codes.OK,
	http.StatusBadRequest:            codes.InvalidArgument,
	http.StatusUnauthorized:          codes.Unauthenticated,
	http.StatusForbidden:             codes.PermissionDenied,
	http.StatusNotFound:              codes.Unimplemented,
	http.StatusRequestTimeout:        codes.FailedPrecondition,
	http.StatusRequestEntityTooLarge: codes.ResourceExhausted,
	http.StatusUnprocessableEntity:   codes.OutOfRange,
	http.StatusTooManyRequests:       codes.Unavailable,
	http.StatusNotImplemented:        codes.Unknown,
	http.StatusServiceUnavailable:    codes.Unavailable,
}

// err is the answer as gRPC has it.
func (a answer) err() error {
	code, known := codesOf[a.status]
	switch {
	case a.hang:
		code = codes.DeadlineExceeded
	case !known:
		code = codes.Internal
	}
	message := "as the test wants it"
	if code == codes.ResourceExhausted {
		message = "grpc: received message larger than max" // as gRPC says it
	}
	s := status.New(code, message)
	if a.retryAfter > 0 {
		s, _ = s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(a.retryAfter.Truncate(time.Second))})
	}
	return s.Err()
}

// faulty makes connections that a sink resets or closes, when its answer is so.
type faulty struct {
	net.Listener
	sink *sink
}

func (f faulty) Accept() (net.Conn, error) {
	conn, err := f.Listener.Accept()
	if err != nil {
		return nil, err
	}
	stranger := f.sink.now().stranger
	if stranger {
		f.sink.attempt()
	}
	return &faultyConn{conn, f.sink, stranger}, nil
}

type faultyConn struct {
	net.Conn
	sink     *sink
	stranger bool // from when the certificate was that of another authority
}

func (c *faultyConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	switch a := c.sink.now(); {
	case a.reset && n > 0:
		c.sink.attempt()
		_ = c.Conn.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
		return 0, net.ErrClosed
	case a.stranger && !c.stranger:
		_ = c.Close()
		return 0, io.EOF
	}
	return n, err
}

// secure makes a sink use TLS, and returns the file of the authority to trust.
func (s *sink) secure(t *testing.T) (file string) {
	t.Helper()
	load := func(a *collectortest.Authority) *tls.Certificate {
		certificate, err := tls.LoadX509KeyPair(a.Server(t))
		require.NoError(t, err)
		return &certificate
	}
	authority := collectortest.NewAuthority(t)
	mine, other := load(authority), load(collectortest.NewAuthority(t))
	s.away()
	s.tls = &tls.Config{NextProtos: []string{"h2", "http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		if s.now().stranger {
			return other, nil
		}
		return mine, nil
	}}
	s.back(t)
	return authority.File
}
