// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
)

// profileAttributes each item has.
const profileAttributes = 10

// profileLoad is what a profile gets: an agent what the systems send, or lines of files,
// and a gateway what an agent makes of it.
type profileLoad struct {
	load
	profile pipeline
	// beside are the pipelines that the profile is compared with.
	beside []pipeline
	// judged is after which time the profile has done what it puts off.
	judged time.Duration
}

func (l *profileLoad) String() string { return fmt.Sprint(l.load) }

func (l *profileLoad) pipelines() []pipeline { return append(slices.Clone(l.beside), l.profile) }

// requests returns the load of items over OTLP. Lines of files are none.
func (l *profileLoad) requests() (requests otlpLoad, ok bool) {
	requests, ok = l.load.(otlpLoad)
	return requests, ok
}

// rows writes what the comparison found, and what an item takes on the profile's disk in an outage.
func (l *profileLoad) rows(ctx context.Context, w io.Writer, binaries binaries, c *comparison) error {
	ours := len(c.pipelines) - 1
	o, err := l.outage(ctx, binaries, c.each(ours, slice.itemsPerSecond).median)
	if err != nil {
		return err
	}
	for i := range c.pipelines {
		queued, drained, ratio := "", "", ""
		if _, ok := l.requests(); ok && i == ours {
			queued, drained, ratio = fmt.Sprintf("%.0f", o.bytes), fmt.Sprintf("%.0f", o.drained), fmt.Sprintf("%.1f", o.ratio)
		}
		c.row(w, i, fmt.Sprintf("%.0f", l.bytesIn()), fmt.Sprintf("%.0f", c.bytesOut[i]),
			fmt.Sprintf("%.1f", c.each(i, slice.writtenPerItem).median), queued, drained, ratio)
	}
	return nil
}

// bytesIn are of an item as it comes, not compressed.
func (l *profileLoad) bytesIn() float64 {
	if lines, ok := l.load.(lineLoad); ok {
		return float64(len(lines.text)) / float64(len(lines.starts))
	}
	requests, _ := l.requests()
	return float64(len(requests.request)) / float64(requests.items)
}

func profileLoads(ctx context.Context) ([]*profileLoad, error) {
	var sent []otlpLoad
	var behind []*profileLoad
	for _, data := range []any{
		newWholeTraces(profileAttributes),
		newMetrics(sources["metrics"], profileAttributes),
		newLogs(sources["logs"], profileAttributes),
	} {
		l, err := encode(profileAttributes, asSent, data)
		if err != nil {
			return nil, err
		}
		b, err := behindAgent(ctx, data)
		if err != nil {
			return nil, err
		}
		sent, behind = append(sent, l), append(behind, b)
	}
	// Of metrics whose ids are merged few are left to send: an agent gets others, too.
	distinct := *behind[1]
	distinct.profile, distinct.beside = agentProfile, besideAgent(atMost{stock: 0.85, disk: 0.50})
	return append([]*profileLoad{
		{load: sent[0], profile: agentProfile, beside: besideAgent(atMost{0.60, 0.40, 0.90, 1})},
		{load: sent[1], profile: agentProfile, beside: besideAgent(atMost{0.75, 0.50, 1, 1})},
		&distinct,
		{load: sent[2], profile: agentProfile, beside: besideAgent(atMost{0.65, 0.40, 0.90, 1})},
		{load: newLineLoad(linesPerFile), profile: agentProfile, beside: []pipeline{followFiles}},
	}, behind...), nil
}

// atMost are the most that ours may cost of what it is compared with, which only forwards; 0 for no limit.
type atMost struct{ stock, disk, compression, rust float64 }

// besideAgent are what an agent is compared with.
func besideAgent(limits atMost) []pipeline {
	return forwarding("profiles/stock_agent", limits)
}

// besideGateway are what a gateway is compared with.
func besideGateway(limits atMost) []pipeline {
	return forwarding("profiles/stock_gateway", limits, "ROTEL_OTLP_EXPORTER_PROTOCOL=http")
}

// forwarding are collectors that only forward: stock with a queue in memory, with one on disk, and with a queue in
// memory and our compression, and one in Rust.
func forwarding(name string, limits atMost, rust ...string) []pipeline {
	forward := config(name)
	return []pipeline{
		stock.running("forward, queue in memory", forward).oursAtMost(limits.stock),
		stock.running("forward, queue on disk", forward, config(name+"_disk")).oursAtMost(limits.disk),
		stock.running("forward, queue in memory, our compression", forward, config(name+"_compression")).oursAtMost(limits.compression),
		pipeline{name: "forward, queue in memory", build: rotel, env: rust}.oursAtMost(limits.rust),
	}
}

// behindAgent is telemetry as a gateway gets it.
func behindAgent(ctx context.Context, data any) (*profileLoad, error) {
	factory := namingprocessor.NewFactory()
	config := factory.CreateDefaultConfig().(*namingprocessor.Config)
	config.KeepOriginal = true
	data, err := processed(ctx, factory, config, data)
	if err != nil {
		return nil, err
	}
	p := &profileLoad{profile: gatewayProfile}
	switch d := data.(type) {
	case ptrace.Traces:
		p.judged, p.beside = judgedLater, besideGateway(atMost{disk: 0.50, compression: 1})
	case pmetric.Metrics:
		p.beside = besideGateway(atMost{disk: 0.65, compression: 1.10})
		if data, err = merged(ctx, d); err != nil {
			return nil, err
		}
	default:
		p.beside = besideGateway(atMost{disk: 0.60, compression: 1})
	}
	p.load, err = encode(profileAttributes, fromAgent, data)
	return p, err
}

// merged returns the series that cardinality leaves of a request. There are fewer, so
// they are those of as many instances as it takes to fill a request.
func merged(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	factory, all := cardinalityprocessor.NewFactory(), pmetric.NewMetrics()
	series, err := processed(ctx, factory, factory.CreateDefaultConfig(), md)
	if err != nil {
		return all, err
	}
	for n := 0; all.DataPointCount() < itemsPerRequest; n++ {
		instance := pmetric.NewMetrics()
		series.(pmetric.Metrics).CopyTo(instance)
		for _, rm := range instance.ResourceMetrics().All() {
			if id, _ := rm.Resource().Attributes().Get("service.instance.id"); n > 0 {
				id.SetStr(fmt.Sprintf("%s-%d", id.Str(), n))
			}
		}
		instance.ResourceMetrics().MoveAndAppendTo(all.ResourceMetrics())
	}
	return all, nil
}
