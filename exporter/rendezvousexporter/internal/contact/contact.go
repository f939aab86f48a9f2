// SPDX-License-Identifier: Apache-2.0

// Package contact reports that none of an exporter's endpoints ever connected, and why.
package contact

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

const (
	// patience is how long endpoints may be unreachable before it is logged as an error: gateways often start
	// after the agents.
	patience = 30 * time.Second
	// lasts is how long one endpoint's misconfiguration is the cause while others are only unreachable. Each
	// endpoint fails more often than that.
	lasts = 30 * time.Second
)

// Contact remembers whether any endpoint has ever connected. It is safe for concurrent use.
type Contact struct {
	report func(*componentstatus.Event)
	logger *zap.Logger

	mu      sync.Mutex
	made    bool      // guarded by mu, like the fields below
	since   time.Time // of the first failure
	wrong   error     // the last failure of settings that do not fit
	wrongAt time.Time // its time
	logged  string    // the last message about failures
}

// New returns a Contact that reports the status of a component.
func New(report func(*componentstatus.Event), logger *zap.Logger) *Contact {
	return &Contact{report: report, logger: logger}
}

// Made reports whether an endpoint has ever connected.
func (c *Contact) Made() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made
}

// Connected records that an endpoint is connected. Later failures are no longer of interest.
func (c *Contact) Connected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made {
		return
	}
	c.made = true
	if !c.since.IsZero() {
		c.report(componentstatus.NewEvent(componentstatus.StatusOK))
	}
	if c.logged != "" {
		c.logger.Info("An endpoint has connected")
	}
}

// Failed records why an endpoint did not connect.
func (c *Contact) Failed(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made {
		return
	}
	now := time.Now()
	if c.since.IsZero() {
		c.since = now
	}
	if misconfigured(cause) {
		c.wrong, c.wrongAt = cause, now
	}
	kind, waits := delivery.ErrUnreachable, now.Sub(c.since) < patience
	if c.wrong != nil && now.Sub(c.wrongAt) < lasts {
		kind, cause, waits = delivery.ErrMisconfigured, c.wrong, false
	}
	c.report(componentstatus.NewRecoverableErrorEvent(fmt.Errorf("%w: %w", kind, cause)))
	if message := "Nothing can be sent: " + kind.Error(); !waits && c.logged != message {
		c.logged = message
		c.logger.Error(message, zap.Error(cause))
	}
}

// again is how often the cause of a connection that fails is read again.
const again = 5 * time.Second

// Watch connects a connection, which gRPC would do with the first data, and records the outcome until an endpoint
// has connected or the connection is closed. cause returns why the connection fails.
func (c *Contact) Watch(conn *grpc.ClientConn, cause func() error) {
	for !c.Made() {
		state := conn.GetState()
		switch state {
		case connectivity.Ready:
			c.Connected()
			return
		case connectivity.Shutdown:
			return
		case connectivity.Idle:
			conn.Connect()
		case connectivity.TransientFailure:
			if err := cause(); err != nil {
				c.Failed(err)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), again)
		conn.WaitForStateChange(ctx, state)
		cancel()
	}
}

// Misconfigured marks an error as one of settings that do not fit.
func Misconfigured(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", delivery.ErrMisconfigured, err)
}

// misconfigured reports whether waiting cannot help. gRPC gives the errors of TLS as text only. All of them
// have the package's name, also those of a certificate. A connection that ends in the middle of the handshake
// has not: the gateway may be starting.
func misconfigured(cause error) bool {
	return errors.Is(cause, delivery.ErrMisconfigured) || strings.Contains(cause.Error(), "tls: ")
}
