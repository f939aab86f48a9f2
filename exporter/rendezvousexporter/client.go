// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configgrpc"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/otel/metric/noop"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/contact"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

// client sends batches to one endpoint.
type client[T any] interface {
	send(context.Context, T) health.Reply
	// connecting reports whether send would wait for a connection, and begins to connect.
	connecting() bool
	close() error
}

// reconnect is gRPC's backoff. Its default grows to two minutes, and a gateway that is available again
// would not be noticed earlier.
var reconnect = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: health.MinPause / 2, Multiplier: 1.6, Jitter: 0.2, MaxDelay: health.MaxPause / 2},
	MinConnectTimeout: 5 * time.Second,
}

// grpcClient sends batches over its own connection.
type grpcClient[T any] struct {
	conn     *grpc.ClientConn
	export   func(context.Context, T, ...grpc.CallOption) (int64, string, error)
	watching sync.WaitGroup
}

// newDial returns a function that creates a client for an address.
func newDial[T any](cfg *Config, set exporter.Settings, host component.Host, signal signal[T], contact *contact.Contact) func(string) (client[T], error) {
	telemetry := set.TelemetrySettings
	// gRPC's connection metrics would have a series for each address.
	telemetry.MeterProvider = noop.NewMeterProvider()
	return func(endpoint string) (client[T], error) {
		// By default gRPC resolves a name at most every 30 seconds, and so would keep using an address
		// that the gateway no longer has.
		settings := cfg.Client
		settings.Endpoint = "passthrough:///" + endpoint
		if settings.Authority == "" && settings.TLS.ServerName == "" {
			// Certificates are issued for names, not addresses. gRPC refuses an authority besides another
			// server name. The dot of an absolute name is not in certificates.
			settings.Authority = strings.TrimSuffix(cfg.DNS.Hostname, ".")
		}
		conn, err := settings.ToClientConn(context.Background(), host.GetExtensions(), telemetry,
			configgrpc.WithGrpcDialOption(grpc.WithConnectParams(reconnect)),
			configgrpc.WithGrpcDialOption(grpc.WithUserAgent(set.BuildInfo.Command+"/"+set.BuildInfo.Version)))
		if err != nil {
			return nil, err
		}
		c := &grpcClient[T]{conn: conn, export: signal.newSend(conn)}
		if !contact.Made() {
			c.watching.Go(func() {
				contact.Watch(conn, func() error { return c.cause(endpoint, signal.empty()) })
			})
		}
		return c, nil
	}
}

func (c *grpcClient[T]) send(ctx context.Context, batch T) health.Reply {
	var header, trailer metadata.MD
	var to peer.Peer
	rejected, message, err := c.export(ctx, batch, grpc.Header(&header), grpc.Trailer(&trailer), grpc.Peer(&to))
	if err != nil {
		// to.Addr is set once the call was sent, and there is metadata once the endpoint answered.
		r := health.Judge(err, to.Addr != nil, len(header)+len(trailer) > 0)
		r.Cancelled = errors.Is(ctx.Err(), context.Canceled)
		return r
	}
	return health.Reply{Verdict: health.Accepted, Answered: true, Rejected: int(rejected), Message: message}
}

func (c *grpcClient[T]) connecting() bool {
	switch c.conn.GetState() {
	case connectivity.Idle:
		c.conn.Connect()
		return true
	case connectivity.Connecting:
		return true
	}
	return false // also if the last attempt failed: send fails at once then
}

// cause returns why the connection fails. gRPC says it only to calls, which end at once then.
func (c *grpcClient[T]) cause(endpoint string, empty T) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r := c.send(ctx, empty)
	if r.Answered || r.Verdict == health.Accepted {
		return nil // it has connected in this moment
	}
	return fmt.Errorf("%s: %s", endpoint, status.Convert(r.Err).Message())
}

func (c *grpcClient[T]) close() error {
	err := c.conn.Close()
	c.watching.Wait()
	return err
}
