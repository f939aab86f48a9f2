// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/choice"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
)

var errNoEndpoint = errors.New("no endpoint is known yet")

// part is the part of a batch that is sent to one endpoint.
type part[T any] struct {
	batch    T
	to       int // index of the endpoint
	items    int
	failover int // items whose own endpoint is another one
	probe    bool
	reply    health.Reply // set once there is a reply
}

// delivery is the state of sending one batch.
type delivery[T any] struct {
	signal    *signal[T]
	events    events[T]
	endpoints []*endpoint[T]
	tried     []bool // endpoints that were found to be away
	replies   chan part[T]
	waiting   int // parts without a reply

	left    []T     // parts that were not accepted
	causes  []error // their errors
	delay   time.Duration
	divided bool
	refused int // parts of left that were refused permanently
}

// events receives the outcomes of parts.
type events[T any] interface {
	replied(*endpoint[T], part[T])
	wentAway(*endpoint[T], error)
	cameBack(*endpoint[T])
}

// deliver sends each unit of a batch to its endpoint, all concurrently. The returned error contains
// exactly the data that can be retried.
func deliver[T any](ctx context.Context, signal *signal[T], events events[T], endpoints []*endpoint[T], batch T) error {
	if len(endpoints) == 0 {
		return errNoEndpoint
	}
	d := &delivery[T]{
		signal: signal, events: events, endpoints: endpoints,
		tried: make([]bool, len(endpoints)), replies: make(chan part[T]),
	}
	for d.send(ctx, batch); d.waiting > 0; d.waiting-- {
		d.finish(ctx, <-d.replies)
	}
	return d.result()
}

// send divides a batch among the endpoints that were not yet tried.
func (d *delivery[T]) send(ctx context.Context, batch T) {
	open, probes := d.claim(time.Now())
	c := newChoice(d.endpoints, open)
	for key, items := range d.signal.keys(batch) {
		c.Add(key, items)
	}
	for i, probe := range probes {
		if probe && !c.Chosen[i] {
			d.endpoints[i].health.GiveBack()
		}
	}
	if len(c.Units) == 0 {
		return
	}
	if to, ok := c.Only(); ok {
		d.sendPart(ctx, c, part[T]{batch: batch, to: to, probe: probes[to]})
		return
	}
	d.divided = true
	for to, batch := range d.signal.divide(d.signal.owned(batch), c.Units, len(d.endpoints)) {
		if c.Chosen[to] {
			d.sendPart(ctx, c, part[T]{batch: batch, to: to, probe: probes[to]})
		}
	}
}

// claim returns the endpoints that may be chosen, and which of them are probes. It leaves out endpoints
// that were tried with this batch, and avoided endpoints if another endpoint is open. A probe does not
// count as another endpoint: it would get all data while the rest is avoided. At least one endpoint must
// be untried.
func (d *delivery[T]) claim(now time.Time) (open, probes []bool) {
	open, probes = make([]bool, len(d.endpoints)), make([]bool, len(d.endpoints))
	found := false
	for i, e := range d.endpoints {
		if !d.tried[i] {
			open[i], probes[i] = e.health.Claim(now)
			if probes[i] && e.client.connecting() {
				// It may never connect, and other data waits behind this batch.
				open[i], probes[i] = false, false
				e.health.GiveBack()
			}
			found = found || open[i] && !probes[i]
		}
	}
	if !found {
		for i := range open {
			open[i] = !d.tried[i]
		}
	}
	return open, probes
}

func newChoice[T any](endpoints []*endpoint[T], open []bool) *choice.Choice {
	seeds := make([]uint64, len(endpoints))
	for i, e := range endpoints {
		seeds[i] = e.seed
	}
	return choice.New(seeds, open)
}

func (d *delivery[T]) sendPart(ctx context.Context, c *choice.Choice, p part[T]) {
	p.items, p.failover = c.Items[p.to], c.Failover[p.to]
	d.waiting++
	go func() {
		p.reply = d.endpoints[p.to].client.send(ctx, p.batch)
		d.replies <- p
	}()
}

// finish handles the reply to a part.
func (d *delivery[T]) finish(ctx context.Context, p part[T]) {
	e := d.endpoints[p.to]
	left, back := e.health.Observe(p.reply, p.probe, time.Now())
	if left {
		d.events.wentAway(e, p.reply.Err)
	}
	if back {
		d.events.cameBack(e)
	}
	d.events.replied(e, p)
	err := fmt.Errorf("%s: %w", e.name, p.reply.Err)
	switch p.reply.Verdict {
	case health.Accepted:
		return
	case health.Refused:
		d.refused++
	case health.Away:
		d.tried[p.to] = true
		if d.untried() && ctx.Err() == nil {
			d.send(ctx, p.batch)
			return
		}
	}
	d.left = append(d.left, p.batch)
	d.causes = append(d.causes, err)
	d.delay = max(d.delay, p.reply.Delay)
}

func (d *delivery[T]) untried() bool { return slices.Contains(d.tried, false) }

// result returns the error for exporterhelper, with exactly the data that was not accepted. A permanent error makes
// exporterhelper drop all of it, so the error is permanent only if all of it was refused.
func (d *delivery[T]) result() error {
	if len(d.left) == 0 {
		return nil
	}
	err := errors.Join(d.causes...)
	final := d.refused == len(d.left)
	if final {
		err = consumererror.NewPermanent(err)
	}
	if final && !d.divided {
		return err // the sender has the batch as it was
	}
	all := d.left[0]
	for _, more := range d.left[1:] {
		d.signal.add(all, more)
	}
	err = d.signal.unsent(err, all)
	if d.delay > 0 {
		err = exporterhelper.NewThrottleRetry(err, d.delay)
	}
	return err
}
