// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	// connections is how many requests are under way at a time.
	connections = 4
)

// sender keeps a target busy: a closed loop on each connection, which sends the
// next request when the last one has been answered.
type sender struct {
	load        otlpLoad
	endpoint    string
	connections []*grpc.ClientConn
	requests    []*request   // by connection
	accepted    atomic.Int64 // items, since the start
}

// newSender sends on the usual number of connections.
func newSender(endpoint string, l otlpLoad) (*sender, error) {
	return newWideSender(endpoint, l, connections)
}

// newWideSender sends on so many connections.
func newWideSender(endpoint string, l otlpLoad, width int) (*sender, error) {
	s := &sender{load: l, endpoint: endpoint}
	body := l.request
	if l.signal == "metrics" {
		var err error
		if body, err = withValues(body); err != nil {
			return nil, err
		}
	}
	for i := range width {
		r := newRequest(body, i)
		s.requests = append(s.requests, r)
		c, err := grpc.NewClient(endpoint,
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.ForceCodec(encoded{})))
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.connections = append(s.connections, c)
	}
	return s, nil
}

func (s *sender) env() []string { return []string{"BENCH_GRPC_ENDPOINT=" + s.endpoint} }

// measure sends for some time. The slice ends when the target's sink has all of it.
func (s *sender) measure(ctx context.Context, t *target, length time.Duration) (slice, error) {
	begin, beginErr := t.read(s.accepted.Load)
	stop := s.start(ctx)
	wait(ctx, length)
	err := stop()
	sending := time.Since(begin.at)
	err = errors.Join(beginErr, err, t.rest(ctx))
	wait(ctx, t.load.judged)
	end, endErr := t.read(s.accepted.Load)
	if err := errors.Join(err, ctx.Err(), endErr); err != nil {
		return slice{}, err
	}
	turn := begin.until(end)
	turn.sending = sending
	if turn.items == 0 {
		return slice{}, errors.New("no request was answered in a slice")
	}
	return turn, nil
}

// start sends until stop is called, which waits for the last answers and returns
// what went wrong.
func (s *sender) start(ctx context.Context) (stop func() error) {
	var stopped atomic.Bool
	var wait sync.WaitGroup
	errs := make([]error, len(s.connections))
	for i := range s.connections {
		wait.Go(func() {
			for !stopped.Load() && errs[i] == nil {
				errs[i] = s.send(ctx, i)
			}
		})
	}
	return func() error {
		stopped.Store(true)
		wait.Wait()
		return cmp.Or(errs...) // of one cause, mostly
	}
}

// ready sends one request, for which it waits until the target listens.
func (s *sender) ready(ctx context.Context) error {
	return s.send(ctx, 0, grpc.WaitForReady(true))
}

func (s *sender) send(ctx context.Context, connection int, opts ...grpc.CallOption) error {
	var response []byte
	body := s.requests[connection].next()
	if err := s.connections[connection].Invoke(ctx, methods[s.load.signal], body, &response, opts...); err != nil {
		return err
	}
	refused, err := rejected(response)
	if err == nil && refused > 0 {
		err = fmt.Errorf("%d of %d items were rejected", refused, s.load.items)
	}
	if err == nil {
		s.accepted.Add(s.load.items)
	}
	return err
}

func (s *sender) close() error {
	var errs []error
	for _, c := range s.connections {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// encoded is gRPC's codec for messages that are encoded already.
type encoded struct{}

func (encoded) Name() string { return "proto" }

func (encoded) Marshal(message any) ([]byte, error) { return message.([]byte), nil }

func (encoded) Unmarshal(data []byte, message any) error {
	*message.(*[]byte) = append([]byte(nil), data...)
	return nil
}
