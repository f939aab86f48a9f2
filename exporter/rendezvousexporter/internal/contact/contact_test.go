// SPDX-License-Identifier: Apache-2.0

package contact

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

var (
	errRefused   = errors.New("10.0.0.1:4317: connection refused")
	errWrongName = errors.New("10.0.0.2:4317: tls: failed to verify certificate: x509: certificate is valid for a, not b")
)

// inBubble runs a test of a Contact whose last status and log it sees.
func inBubble(t *testing.T, test func(c *Contact, last func() *componentstatus.Event, logged func() []string)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		core, messages := observer.New(zap.InfoLevel)
		var last *componentstatus.Event
		c := New(func(event *componentstatus.Event) { last = event }, zap.New(core))
		test(c, func() *componentstatus.Event { return last }, func() (all []string) {
			for _, entry := range messages.TakeAll() {
				all = append(all, entry.Level.String())
				if cause, ok := entry.ContextMap()["error"]; ok {
					all = append(all, cause.(string))
				}
			}
			return all
		})
	})
}

// Gateways that are not there yet are no error at first.
func TestUnreachable(t *testing.T) {
	inBubble(t, func(c *Contact, last func() *componentstatus.Event, logged func() []string) {
		c.Failed(errRefused)
		assert.Equal(t, componentstatus.StatusRecoverableError, last().Status())
		assert.ErrorIs(t, last().Err(), delivery.ErrUnreachable)
		assert.ErrorIs(t, last().Err(), errRefused)
		assert.Empty(t, logged())
		time.Sleep(patience)
		c.Failed(errRefused)
		assert.Equal(t, []string{"error", errRefused.Error()}, logged())
		c.Failed(errRefused)
		assert.Empty(t, logged())

		c.Connected()
		assert.Equal(t, componentstatus.StatusOK, last().Status())
		assert.Equal(t, []string{"info"}, logged())
		c.Failed(errWrongName)
		assert.Equal(t, componentstatus.StatusOK, last().Status(), "it has connected once")
		assert.Empty(t, logged())
	})
}

// Settings that do not fit are an error at once, and stay the cause as long as an endpoint says so.
func TestMisconfigured(t *testing.T) {
	inBubble(t, func(c *Contact, last func() *componentstatus.Event, logged func() []string) {
		c.Failed(errRefused)
		c.Failed(errWrongName)
		assert.ErrorIs(t, last().Err(), delivery.ErrMisconfigured)
		assert.Equal(t, []string{"error", errWrongName.Error()}, logged())
		c.Failed(errRefused)
		assert.ErrorIs(t, last().Err(), delivery.ErrMisconfigured)
		assert.ErrorIs(t, last().Err(), errWrongName)
		assert.Empty(t, logged())

		time.Sleep(lasts)
		c.Failed(errRefused)
		assert.ErrorIs(t, last().Err(), delivery.ErrUnreachable)
		assert.Equal(t, []string{"error", errRefused.Error()}, logged())
	})
}

// What connects at once reports nothing.
func TestConnected(t *testing.T) {
	inBubble(t, func(c *Contact, last func() *componentstatus.Event, logged func() []string) {
		assert.False(t, c.Made())
		c.Connected()
		assert.True(t, c.Made())
		assert.Nil(t, last())
		assert.Empty(t, logged())
	})
}

// Watch connects without data, asks for the cause while that fails, and ends with the connection.
func TestWatch(t *testing.T) {
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	conn, err := grpc.NewClient("passthrough:///"+addresses[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	events := make(chan *componentstatus.Event, 100)
	c := New(func(event *componentstatus.Event) { events <- event }, zap.NewNop())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Watch(conn, func() error { return errRefused })
	}()
	assert.ErrorIs(t, (<-events).Err(), errRefused)

	listener, err := net.Listen("tcp", addresses[0])
	require.NoError(t, err)
	server := grpc.NewServer()
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	<-ended
	assert.True(t, c.Made())
	require.NoError(t, conn.Close())
}

func TestWatchEndsWhenTheConnectionIsClosed(t *testing.T) {
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:1", grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	failed := make(chan struct{}, 100)
	c := New(func(*componentstatus.Event) { failed <- struct{}{} }, zap.NewNop())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Watch(conn, func() error { return errRefused })
	}()
	<-failed
	require.NoError(t, conn.Close())
	<-ended
	assert.False(t, c.Made())
}
