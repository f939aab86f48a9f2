// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadata"
)

var (
	errNow   = errors.New("not now")
	errNever = consumererror.NewPermanent(errors.New("never"))
)

// backend is the next component. It records the names of the metrics that it accepted.
type backend struct {
	mutates bool

	mu     sync.Mutex
	answer func(context.Context, pmetric.Metrics) error // nil accepts all
	took   []string
	tries  int
}

func (b *backend) set(answer func(context.Context, pmetric.Metrics) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = answer
}

func (b *backend) consume(ctx context.Context, md pmetric.Metrics) error {
	b.mu.Lock()
	answer := b.answer
	b.tries++
	b.mu.Unlock()
	if answer != nil {
		if err := answer(ctx, md); err != nil {
			return err
		}
	}
	b.take(md)
	return nil
}

func (b *backend) take(md pmetric.Metrics) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.took = append(b.took, namesOf(md)...)
}

func (b *backend) names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.took)
}

func (b *backend) tried() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tries
}

func always(err error) func(context.Context, pmetric.Metrics) error {
	return func(context.Context, pmetric.Metrics) error { return err }
}

// silent does not answer for a time that is longer than patience. An attempt to send from the queue has no limit of
// its own: exporters have.
func silent(ctx context.Context, _ pmetric.Metrics) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(3 * time.Second):
		return errNow
	}
}

func quick(directory string) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Directory = directory
	cfg.Batch.FlushTimeout = time.Millisecond
	cfg.Patience = 200 * time.Millisecond
	cfg.MinFree = 0
	return cfg
}

func start(t *testing.T, cfg *Config, b *backend) connector.Metrics {
	t.Helper()
	return startWith(t, connectortest.NewNopSettings(metadata.Type), cfg, b)
}

func startWith(t *testing.T, set connector.Settings, cfg *Config, b *backend) connector.Metrics {
	t.Helper()
	set.ID = component.NewID(metadata.Type) // not a new one each time, which has another folder
	next, err := consumer.NewMetrics(b.consume, consumer.WithCapabilities(consumer.Capabilities{MutatesData: b.mutates}))
	require.NoError(t, err)
	c, err := NewFactory().CreateMetricsToMetrics(t.Context(), set, cfg, next)
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { _ = c.Shutdown(context.Background()) })
	return c
}

// metricsNamed returns a batch with a gauge for each name.
func metricsNamed(names ...string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	all := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	for _, name := range names {
		m := all.AppendEmpty()
		m.SetName(name)
		m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	}
	return md
}

func namesOf(md pmetric.Metrics) (names []string) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				names = append(names, m.Name())
			}
		}
	}
	return names
}

func numbered(from, to int) (names []string) {
	for i := from; i < to; i++ {
		names = append(names, fmt.Sprintf("%05d", i))
	}
	return names
}

func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, time.Minute, 2*time.Millisecond)
}
