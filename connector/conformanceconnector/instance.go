// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// input is the signal that an instance consumes.
type input int

const (
	tracesIn input = iota
	metricsIn
	logsIn
	inputs
)

// instance is the connector between the pipelines of two signals. The collector creates one for each pair
// of signals. Instances with the same input signal get the same data, and only the first of them checks
// it.
type instance struct {
	hub    *hub
	config *Config
	output output
	looks  bool
}

func newInstance(set connector.Settings, cfg *Config, in input, out output) *instance {
	hub, looks := share(set, cfg, in)
	return &instance{hub: hub, config: cfg, output: out, looks: looks}
}

// Capabilities reports that the data is not changed.
func (*instance) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// Start starts the reports to this instance's output.
func (i *instance) Start(ctx context.Context, host component.Host) error {
	return i.hub.add(ctx, host, i)
}

// Shutdown stops the reports. The last instance with an output of a signal sends the rest.
func (i *instance) Shutdown(ctx context.Context) error {
	defer release(i.config)
	return i.hub.remove(ctx, i)
}

// ConsumeTraces checks spans.
func (i *instance) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if i.looks {
		i.hub.state.judgeTraces(ctx, td)
	}
	return nil
}

// ConsumeMetrics checks metrics.
func (i *instance) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	if i.looks {
		i.hub.state.judgeMetrics(ctx, md)
	}
	return nil
}

// ConsumeLogs checks log records.
func (i *instance) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if i.looks {
		i.hub.state.judgeLogs(ctx, ld)
	}
	return nil
}
