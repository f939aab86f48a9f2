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

// instance is the connector between pipelines of two signals. The collector makes one
// for each pair of signals and gives those of one input the same data, of which only
// the first looks at it.
type instance struct {
	hub    *hub
	config *Config
	output output
	looks  bool
}

func newInstance(set connector.Settings, cfg *Config, in input, out output) (*instance, error) {
	hub, looks, err := share(set, cfg, in)
	if err != nil {
		return nil, err
	}
	return &instance{hub: hub, config: cfg, output: out, looks: looks}, nil
}

// Capabilities returns none: the data is not changed.
func (*instance) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// Start begins to send reports to this instance's output.
func (i *instance) Start(ctx context.Context, host component.Host) error {
	return i.hub.add(ctx, host, i)
}

// Shutdown ends that. The last instance of an output's signal sends what is left.
func (i *instance) Shutdown(ctx context.Context) error {
	defer release(i.config)
	return i.hub.remove(ctx, i)
}

// ConsumeTraces judges spans.
func (i *instance) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	if i.looks {
		i.hub.state.judgeTraces(td)
	}
	return nil
}

// ConsumeMetrics judges metrics.
func (i *instance) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	if i.looks {
		i.hub.state.judgeMetrics(md)
	}
	return nil
}

// ConsumeLogs judges log records.
func (i *instance) ConsumeLogs(_ context.Context, ld plog.Logs) error {
	if i.looks {
		i.hub.state.judgeLogs(ld)
	}
	return nil
}
