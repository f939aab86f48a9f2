// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// answerTimeout bounds what a client waits for an answer.
const answerTimeout = 10 * time.Second

// client offers items to a collector and notes which were accepted. It never sends
// anything again. It is safe for concurrent use.
type client struct {
	ledger  *ledger
	answers *answers
	target  *collectortest.Collector
	http    *http.Client
	grpc    *grpc.ClientConn
}

func newClient(t *testing.T, l *ledger, c *collectortest.Collector) *client {
	t.Helper()
	connection := collectortest.DialRaw(t, c).Connection
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{
		ledger: l, answers: &answers{requests: map[string]int{}}, target: c,
		http: &http.Client{Transport: transport}, grpc: connection,
	}
}

// another returns a client with connections of its own, whose answers count for both.
func (c *client) another(t *testing.T) *client {
	t.Helper()
	made := newClient(t, c.ledger, c.target)
	made.answers = c.answers
	return made
}

// answers counts requests by their answer: an HTTP status, the name of a gRPC code.
type answers struct {
	mu       sync.Mutex
	requests map[string]int // guarded by mu
}

func (a *answers) add(answer string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests[answer]++
}

// of returns how many requests had one of these answers.
func (a *answers) of(some ...string) (sum int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, answer := range some {
		sum += a.requests[answer]
	}
	return sum
}

// total returns how many requests there were.
func (a *answers) total() (sum int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, requests := range a.requests {
		sum += requests
	}
	return sum
}

func (a *answers) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return fmt.Sprint(a.requests)
}

// transport is a way into a collector.
type transport func(context.Context, *client, *template, []byte) (answer string, err error)

// send offers one request and tells whether it was accepted.
func (c *client) send(m *template, via transport) bool {
	first := c.ledger.offer(m.items)
	// Of its own: a test that ends must not turn what is on its way into an unknown.
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	got, err := via(ctx, c, m, m.request(first))
	if err == nil {
		c.ledger.accept(first, m.items)
	}
	c.answers.add(got)
	return err == nil
}

// errRefused says that a request was answered, and not with success.
type errRefused string

func (e errRefused) Error() string { return "answered with " + string(e) }

func overHTTP(ctx context.Context, c *client, m *template, body []byte) (string, error) {
	return c.post(ctx, m.signal, body, "")
}

func overHTTPCompressed(ctx context.Context, c *client, m *template, body []byte) (string, error) {
	var compressed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&compressed, gzip.BestSpeed)
	if _, err := writer.Write(body); err != nil {
		return "", err
	}
	if err := writer.Close(); err != nil {
		return "", err
	}
	return c.post(ctx, m.signal, compressed.Bytes(), "gzip")
}

func (c *client) post(ctx context.Context, s signal, body []byte, encoding string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.target.HTTP+"/v1/"+string(s), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return "no answer", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	got := strconv.Itoa(response.StatusCode)
	if err == nil && (response.StatusCode != http.StatusOK || !whole(content)) {
		err = errRefused(got)
	}
	return got, err
}

var grpcMethods = map[signal]string{
	traces:  "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	metrics: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
	logs:    "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
}

func overGRPC(ctx context.Context, c *client, m *template, body []byte) (string, error) {
	var response []byte
	err := c.grpc.Invoke(ctx, grpcMethods[m.signal], &body, &response)
	if err == nil && !whole(response) {
		err = errRefused("partial success")
	}
	return status.Code(err).String(), err
}

// whole tells whether an export response says nothing of a partial success: its field
// is missing or empty.
func whole(response []byte) bool {
	return len(response) == 0 || bytes.Equal(response, []byte{1<<3 | 2, 0})
}

// load is what clients do at full speed.
type load struct {
	shape       shape
	via         transport
	connections int // each sends its next request when the last was answered
	during      time.Duration
}

// flood puts loads on a collector until they end, or the collector does. It returns how
// to wait for that. The given client knows the answers.
func flood(t *testing.T, c *client, loads ...load) (wait func()) {
	t.Helper()
	var senders sync.WaitGroup
	for _, l := range loads {
		made, deadline := newTemplate(t, l.shape), time.Now().Add(l.during)
		for range l.connections {
			mine := c.another(t)
			senders.Go(func() {
				for time.Now().Before(deadline) && c.target.Running() {
					if !mine.send(made, l.via) {
						time.Sleep(5 * time.Millisecond) // nobody may listen at the moment
					}
				}
			})
		}
	}
	t.Cleanup(senders.Wait)
	return senders.Wait
}
