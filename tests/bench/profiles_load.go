// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
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
	items  int64 // in a request; 0 for lines, which count themselves
	// judged is after which time the profile has done what it puts off.
	judged time.Duration
	// feeds are those of the last comparison, by pipeline.
	feeds []*profileFeed
}

func (l *profileLoad) String() string { return fmt.Sprint(l.load) }

func (l *profileLoad) pipelines() []pipeline { return append(slices.Clone(l.beside), l.profile) }

func (l *profileLoad) feed(data, telemetry string) (feed, error) {
	f, err := newProfileFeed(l, data, telemetry)
	l.feeds = append(l.feeds, f)
	return f, err
}

// rows writes what the comparison found, and what an item takes on the profile's disk in an outage.
func (l *profileLoad) rows(ctx context.Context, w io.Writer, binaries binaries, c *comparison) error {
	o, err := l.outage(ctx, binaries)
	if err != nil {
		return err
	}
	for i := range c.pipelines {
		queued, drained := "", ""
		if i == len(c.pipelines)-1 && l.items > 0 {
			queued, drained = fmt.Sprintf("%.0f", o.bytes), fmt.Sprintf("%.0f", o.drained)
		}
		c.row(w, i, fmt.Sprintf("%.0f", l.bytesIn()), fmt.Sprintf("%.0f", l.feeds[i].bytesOut()),
			fmt.Sprintf("%.1f", c.each(i, slice.writtenPerItem).median), queued, drained)
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
	traces, err := encode(profileAttributes, asSent, newWholeTraces(profileAttributes))
	if err != nil {
		return nil, err
	}
	metrics, err := newLoad("metrics", profileAttributes, asSent)
	if err != nil {
		return nil, err
	}
	logs, err := newLoad("logs", profileAttributes, asSent)
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
	distinct.profile, distinct.beside = agentProfile, besideAgent(0.50)
	return append([]*profileLoad{
		{load: traces, profile: agentProfile, beside: besideAgent(0.40), items: itemsPerRequest},
		{load: metrics, profile: agentProfile, beside: besideAgent(0.50), items: itemsPerRequest},
		&distinct,
		{load: logs, profile: agentProfile, beside: besideAgent(0.40), items: itemsPerRequest},
		{load: newLineLoad(linesPerFile), profile: agentProfile, beside: []pipeline{followFiles}},
	}, behind...), nil
}

// agentOfMemory is what the agent may cost of a stock collector that only forwards, with its queue in memory.
const agentOfMemory = 0.85

// besideAgent are stock collectors that only forward. The agent may cost so much of the one with its queue on disk.
func besideAgent(ofDisk float64) []pipeline {
	return forwarding("profiles/stock_agent", agentOfMemory, ofDisk)
}

// forwarding are stock collectors that only forward: with a queue in memory, with one on disk, and with a queue in
// memory and our compression. Ours may cost so much of the first two.
func forwarding(name string, ofMemory, ofDisk float64) []pipeline {
	forward := config(name)
	return []pipeline{
		stock.running("forward, queue in memory", forward).oursAtMost(ofMemory),
		stock.running("forward, queue on disk", forward, config(name+"_disk")).oursAtMost(ofDisk),
		stock.running("forward, queue in memory, our compression", forward, config(name+"_compression")),
	}
}

// behindAgent is the load as a gateway gets it.
func behindAgent(ctx context.Context, l otlpLoad) (*profileLoad, error) {
	p := &profileLoad{profile: gatewayProfile, items: itemsPerRequest}
	l.variant = fromAgent
	l, err := l.named(ctx)
	if err != nil {
		return nil, err
	}
	switch l.signal {
	case "traces":
		p.judged, p.beside = judgedLater, forwarding("profiles/stock_gateway", 1.05, 0.50)
	case "metrics":
		p.beside = forwarding("profiles/stock_gateway", 1.30, 0.65)
		l.request, p.items, err = merge(ctx, l)
	default:
		p.beside = forwarding("profiles/stock_gateway", 1.10, 0.60)
	}
	p.load = l
	return p, err
}

// merge makes a request of the series that cardinality leaves of one. There are fewer, so
// they are those of as many instances as it takes to fill a request.
func merge(ctx context.Context, l otlpLoad) (merged []byte, items int64, err error) {
	factory := cardinalityprocessor.NewFactory()
	series, err := l.decode()
	if err == nil {
		series, err = processed(ctx, factory, factory.CreateDefaultConfig(), series)
	}
	if err != nil {
		return nil, 0, err
	}
	all := pmetric.NewMetrics()
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
	merged, err = pmetricotlp.NewExportRequestFromMetrics(all).MarshalProto()
	return merged, int64(all.DataPointCount()), err
}
