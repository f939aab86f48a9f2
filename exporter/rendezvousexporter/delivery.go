package rendezvousexporter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
)

var errNoEndpoint = errors.New("no endpoint is known yet")

// part is what goes to one endpoint.
type part[T any] struct {
	batch  T
	to     int // the endpoint's place in the list
	items  int
	guests int // whose own endpoint is another one
	probe  bool
	reply  reply // when there is one
}

// delivery is the sending of one batch.
type delivery[T any] struct {
	signal    *signal[T]
	events    events[T]
	endpoints []*endpoint[T]
	tried     []bool // endpoints that turned out to be away
	replies   chan part[T]
	waiting   int // parts that have no reply yet

	left    []T     // to be sent again
	causes  []error // of what is left
	delay   time.Duration
	taken   bool    // some of it
	refused []error // for good
}

// events are told of what comes of parts.
type events[T any] interface {
	replied(*endpoint[T], part[T])
	wentAway(*endpoint[T], error)
	cameBack(*endpoint[T])
}

// deliver sends a batch, each unit to its endpoint, all at one time. What it returns has
// all that can still be delivered, and nothing else.
func deliver[T any](ctx context.Context, signal *signal[T], events events[T], endpoints []*endpoint[T], batch T) error {
	if len(endpoints) == 0 {
		return errNoEndpoint
	}
	d := &delivery[T]{
		signal: signal, events: events, endpoints: endpoints,
		tried: make([]bool, len(endpoints)), replies: make(chan part[T]),
	}
	for d.send(ctx, batch); d.waiting > 0; d.waiting-- {
		d.settle(ctx, <-d.replies)
	}
	return d.result()
}

// send divides a batch among the endpoints that were not tried yet.
func (d *delivery[T]) send(ctx context.Context, batch T) {
	c := newChoice(d.endpoints, d.tried, time.Now())
	for key, items := range d.signal.keys(batch) {
		c.add(key, items)
	}
	for i, probe := range c.probes {
		if probe && !c.chosen[i] {
			d.endpoints[i].health.giveBack()
		}
	}
	if len(c.units) == 0 {
		return
	}
	if to, ok := c.only(); ok {
		d.sendPart(ctx, c, batch, to)
		return
	}
	for to, batch := range d.signal.divide(batch, c.units, len(d.endpoints)) {
		if c.chosen[to] {
			d.sendPart(ctx, c, batch, to)
		}
	}
}

func (d *delivery[T]) sendPart(ctx context.Context, c *choice[T], batch T, to int) {
	p := part[T]{batch: batch, to: to, items: c.items[to], guests: c.guests[to], probe: c.probes[to]}
	d.waiting++
	go func() {
		p.reply = d.endpoints[p.to].client.send(ctx, p.batch)
		d.replies <- p
	}()
}

// settle decides what becomes of a part.
func (d *delivery[T]) settle(ctx context.Context, p part[T]) {
	e := d.endpoints[p.to]
	left, back := e.health.settle(p.reply, p.probe, time.Now())
	if left {
		d.events.wentAway(e, p.reply.err)
	}
	if back {
		d.events.cameBack(e)
	}
	d.events.replied(e, p)
	if p.reply.verdict == taken {
		d.taken = true
		return
	}
	err := fmt.Errorf("%s: %w", e.name, p.reply.err)
	switch p.reply.verdict {
	case refused:
		d.refused = append(d.refused, err)
		return
	case away:
		d.tried[p.to] = true
		if d.untried() && ctx.Err() == nil {
			d.send(ctx, p.batch)
			return
		}
	}
	d.left = append(d.left, p.batch)
	d.causes = append(d.causes, err)
	d.delay = max(d.delay, p.reply.delay)
}

func (d *delivery[T]) untried() bool {
	for _, tried := range d.tried {
		if !tried {
			return true
		}
	}
	return false
}

// result is what exporterhelper goes by. It looks first whether there is a permanent error
// anywhere, so that one must not stand beside what can be sent again.
func (d *delivery[T]) result() error {
	if len(d.left) == 0 {
		if d.taken || len(d.refused) == 0 {
			return nil
		}
		return consumererror.NewPermanent(errors.Join(d.refused...))
	}
	all := d.left[0]
	for _, more := range d.left[1:] {
		d.signal.add(all, more)
	}
	err := d.signal.unsent(errors.Join(d.causes...), all)
	if d.delay > 0 {
		err = exporterhelper.NewThrottleRetry(err, d.delay)
	}
	return err
}
