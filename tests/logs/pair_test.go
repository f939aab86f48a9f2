// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor"
)

const hold = 6 * time.Second

// delivery is a batch and when it comes.
type delivery struct {
	at time.Time
	do func()
}

// pair is what traces and logs pass, with their common index.
type pair struct {
	spans processor.Traces
	logs  processor.Logs
	sink  consumertest.LogsSink
	index component.Component
}

var indexID = component.MustNewID("correlation_index")

// GetExtensions implements component.Host.
func (p *pair) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{indexID: p.index}
}

func startPair(t *testing.T) *pair { return startPairHolding(t, hold) }

func startPairHolding(t *testing.T, hold time.Duration) *pair {
	t.Helper()
	p := &pair{}
	extension := correlationindexextension.NewFactory()
	index, err := extension.Create(t.Context(), extensiontest.NewNopSettings(extension.Type()), extension.CreateDefaultConfig())
	require.NoError(t, err)
	p.index = index
	require.NoError(t, p.index.Start(t.Context(), componenttest.NewNopHost()))
	link := spanlinkprocessor.NewFactory()
	linking := link.CreateDefaultConfig().(*spanlinkprocessor.Config)
	linking.Index = &indexID
	p.spans, err = link.CreateTraces(t.Context(), processortest.NewNopSettings(link.Type()), linking, consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.spans.Start(t.Context(), p))
	correlate := logcorrelationprocessor.NewFactory()
	correlating := correlate.CreateDefaultConfig().(*logcorrelationprocessor.Config)
	correlating.Index, correlating.Hold = &indexID, hold
	p.logs, err = correlate.CreateLogs(t.Context(), processortest.NewNopSettings(correlate.Type()), correlating, &p.sink)
	require.NoError(t, err)
	require.NoError(t, p.logs.Start(t.Context(), p))
	return p
}

func (p *pair) stop(t *testing.T) {
	t.Helper()
	assert.NoError(t, p.logs.Shutdown(context.Background()))
	assert.NoError(t, p.spans.Shutdown(context.Background()))
	assert.NoError(t, p.index.Shutdown(context.Background()))
}

func loadPacks(t *testing.T) []*conventions.Pack {
	t.Helper()
	packs, err := conventions.Load(nil)
	require.NoError(t, err)
	return packs
}
