package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
)

// profileAttributes each item has.
const profileAttributes = 10

// profileLoad is what a profile gets: an agent what the systems send, or lines of files,
// and a gateway what an agent makes of it.
type profileLoad struct {
	load
	profile pipeline
	items   int64 // in a request; 0 for lines, which count themselves
	// judged is after which time the profile has done what it puts off.
	judged time.Duration
	// feeds are those of the last comparison, by pipeline.
	feeds []*profileFeed
}

func (l *profileLoad) String() string { return fmt.Sprint(l.load) }

func (l *profileLoad) pipelines() []pipeline {
	if l.items == 0 {
		return []pipeline{followFiles, l.profile}
	}
	return []pipeline{stockDefault.passThrough(), l.profile}
}

func (l *profileLoad) feed(data, telemetry string) (feed, error) {
	f, err := newProfileFeed(l, data, telemetry)
	l.feeds = append(l.feeds, f)
	return f, err
}

// rows writes what the comparison found, and what an item takes on the profile's disk.
func (l *profileLoad) rows(ctx context.Context, w io.Writer, binaries binaries, c *comparison) error {
	disk, err := l.onDisk(ctx, binaries)
	if err != nil {
		return err
	}
	for i, p := range c.pipelines {
		cpu, f := c.each(i, slice.cpuPerItem), l.feeds[i]
		fmt.Fprintf(w, "| %s | %s | %.0f | %.0f to %.0f | %d | %.0f | ", c.load, p, cpu.median, cpu.lower, cpu.upper, c.memory[i].peak>>20, l.bytesIn())
		if i == 0 {
			fmt.Fprintln(w, "| |")
			continue
		}
		fmt.Fprintf(w, "%.0f | %.0f |\n", f.bytesOut(), disk)
	}
	return nil
}

// bytesIn are of an item as it comes, not compressed.
func (l *profileLoad) bytesIn() float64 {
	if lines, ok := l.load.(lineLoad); ok {
		return float64(len(lines.text)) / float64(len(lines.starts))
	}
	return float64(len(l.load.(otlpLoad).request)) / float64(l.items)
}

func profileLoads(ctx context.Context) ([]*profileLoad, error) {
	traces, err := newWholeLoad(profileAttributes)
	if err != nil {
		return nil, err
	}
	metrics, err := newLoad("metrics", profileAttributes)
	if err != nil {
		return nil, err
	}
	logs, err := newLoad("logs", profileAttributes)
	if err != nil {
		return nil, err
	}
	var behind []*profileLoad
	for _, l := range []otlpLoad{traces, metrics, logs} {
		b, err := behindAgent(ctx, l)
		if err != nil {
			return nil, err
		}
		behind = append(behind, b)
	}
	// Of metrics whose ids are merged few are left to send: an agent gets others, too.
	distinct := *behind[1]
	distinct.profile = agentProfile
	return append([]*profileLoad{
		{load: traces, profile: agentProfile, items: itemsPerRequest},
		{load: metrics, profile: agentProfile, items: itemsPerRequest},
		&distinct,
		{load: logs, profile: agentProfile, items: itemsPerRequest},
		{load: newLineLoad(linesPerFile), profile: agentProfile},
	}, behind...), nil
}

// behindAgent is the load as a gateway gets it.
func behindAgent(ctx context.Context, l otlpLoad) (*profileLoad, error) {
	p := &profileLoad{profile: gatewayProfile, items: itemsPerRequest}
	l.variant = fromAgent
	l, err := l.named(ctx, true)
	if err != nil {
		return nil, err
	}
	switch l.signal {
	case "traces":
		p.judged = judgedLater
	case "metrics":
		l.request, p.items, err = merge(ctx, l.request)
	}
	p.load = l
	return p, err
}

// merge makes a request of the series that cardinality leaves of one. There are fewer, so
// they are those of as many instances as it takes to fill a request.
func merge(ctx context.Context, request []byte) (merged []byte, items int64, err error) {
	decoded := pmetricotlp.NewExportRequest()
	if err := decoded.UnmarshalProto(request); err != nil {
		return nil, 0, err
	}
	var sink consumertest.MetricsSink
	factory := cardinalityprocessor.NewFactory()
	cardinality, err := factory.CreateMetrics(ctx, processortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), &sink)
	if err != nil {
		return nil, 0, err
	}
	if err := errors.Join(cardinality.Start(ctx, componenttest.NewNopHost()), cardinality.ConsumeMetrics(ctx, decoded.Metrics()), cardinality.Shutdown(ctx)); err != nil {
		return nil, 0, err
	}
	all := pmetric.NewMetrics()
	for n := 0; all.DataPointCount() < itemsPerRequest; n++ {
		instance := pmetric.NewMetrics()
		sink.AllMetrics()[0].CopyTo(instance)
		for _, rm := range instance.ResourceMetrics().All() {
			if id, _ := rm.Resource().Attributes().Get("service.instance.id"); n > 0 {
				id.SetStr(fmt.Sprintf("%s-%d", id.Str(), n))
			}
		}
		instance.ResourceMetrics().MoveAndAppendTo(all.ResourceMetrics())
	}
	merged, err = pmetricotlp.NewExportRequestFromMetrics(all).MarshalProto()
	return merged, int64(all.DataPointCount()), err
}
