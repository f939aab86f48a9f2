// SPDX-License-Identifier: Apache-2.0

// Package owners remembers who owns a device, such as the pod that has a GPU, and counts by owner what the device
// uses. A [Tracker] gets what one batch says with [Tracker.Observe], and returns the points to send. The package may
// not know pdata's containers.
//
// Each collection holds until the next one: an owner has a device from the first point that names it to the
// first collection of the device that does not, and a gauge keeps its value until its next point. The increase of a
// counter belongs to those who owned the device at its last point.
//
//   - At most [maxGap] of an interval counts. The increase of a longer one counts in the same proportion.
//   - Several owners at a time have equal shares of increases and integrals, and each has the whole time.
//   - What is measured of several devices together, such as the energy of a card with instances, is shared by the
//     owners of all of them. Devices that nobody owns have no share.
//   - Points that are not newer than the last one change nothing. So a batch that is sent again counts once.
//   - A device that has only stale markers is gone, and nobody's, if others have values. If none has, the collection
//     has failed: the info series end, and the owners go on with the next points.
package owners

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

const (
	// maxGap is the longest interval that counts in full. Prometheus looks back as far.
	maxGap = 5 * time.Minute
	// sameTime is how far the times of one collection's points in a batch can differ: Go's SDK reads the clock for each
	// metric.
	sameTime = 100 * time.Millisecond
	// maxOwners is the largest number of owners of a device, with those that have left and did not expire. Further ones
	// are counted together.
	maxOwners = 64
	// maxTracked is the largest number of devices and owners. Further devices have no owners.
	maxTracked = 1 << 17
)

// Point is what one data point says about a device.
type Point struct {
	Device, Owner attrhash.Hash // the zero Owner is nobody
	Identity      []string      // values of the rule's Identity
	OwnerValues   []string      // values of the rule's Attributes
	Time          pcommon.Timestamp
	Stale         bool
	Source        *Source // nil: no counter is made of the metric
	Value         float64 // times Source.Factor
	Delta         bool    // Value is an increase
}

// Source is what is counted of a metric.
type Source struct {
	Factor            float64
	counter, priority int
}

// SourceOf returns what is counted of a metric, or nil. Names are those of the metric.
func SourceOf(rule *conventions.OwnerRule, names ...string) *Source {
	for i := range rule.Counters {
		for j, source := range rule.Counters[i].Sources() {
			if slices.Contains(names, source.Metric) {
				return &Source{source.Scale(), i, j}
			}
		}
	}
	return nil
}

// Info is the Sample.Metric of the info metric.
const Info = -1

// Sample is a point to send.
type Sample struct {
	Metric      int      // the number of a counter, or Info
	Identity    []string // values of the rule's Identity
	OwnerValues []string // values of the rule's Attributes; nil for the owners that are counted together
	Start, Time pcommon.Timestamp
	Value       float64
	Stale       bool
}

// Tracker has the owners of all devices. It is safe for concurrent use.
type Tracker struct {
	Seed   uint64
	expiry time.Duration

	mu      sync.Mutex
	sources map[attrhash.Hash]*source
	tracked int // devices and records
}

// New returns a Tracker that forgets owners which left, and devices without points, after a time.
func New(expiry time.Duration) *Tracker {
	return &Tracker{Seed: rand.Uint64(), expiry: expiry, sources: map[attrhash.Hash]*source{}}
}

// Observe observes the points of one batch from one resource. It returns the points to send.
func (t *Tracker) Observe(id attrhash.Hash, rule *conventions.OwnerRule, points []Point, now time.Time) (samples []Sample, sent Sent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sources[id]
	if s == nil || s.rule == nil && !s.fits(rule) { // a damaged snapshot
		if t.tracked >= maxTracked {
			return nil, nil
		}
		s = newSource(t)
		t.sources[id] = s
	}
	s.rule = rule
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Time, b.Time) })
	latest := pcommon.NewTimestampFromTime(now.Add(maxGap))
	for len(points) > 0 {
		n := 1
		for n < len(points) && points[n].Time-points[0].Time < pcommon.Timestamp(sameTime) {
			points[n].Time = points[0].Time
			n++
		}
		if points[0].Time > 0 && points[0].Time <= latest { // else the clock of the sender is wrong
			c := collection{source: s, time: points[0].Time, now: now, samples: samples, sent: sent}
			c.observe(points[:n])
			samples, sent = c.samples, c.sent
		}
		points = points[n:]
	}
	return samples, sent
}

// TakeBack lets the next points of devices repeat those of a batch that was refused.
func (t *Tracker) TakeBack(sent Sent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range sent {
		r.sent, r.counts, r.ends = 0, true, r.left != 0
	}
}

// Expire forgets devices without points.
func (t *Tracker) Expire(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, s := range t.sources {
		for id, d := range s.devices {
			if now.Sub(d.seen) > t.expiry {
				t.tracked -= 1 + len(d.records)
				delete(s.devices, id)
			}
		}
		for id, m := range s.meters {
			m.devices = slices.DeleteFunc(m.devices, func(d *device) bool { return now.Sub(d.seen) > t.expiry })
			if len(m.devices) == 0 {
				delete(s.meters, id)
			}
		}
		if len(s.devices) == 0 {
			delete(t.sources, id)
		}
	}
}

// source has the devices of one resource by one rule.
type source struct {
	tracker *Tracker
	rule    *conventions.OwnerRule
	devices map[attrhash.Hash]*device
	meters  map[attrhash.Hash]*meter
}

func newSource(t *Tracker) *source {
	return &source{tracker: t, devices: map[attrhash.Hash]*device{}, meters: map[attrhash.Hash]*meter{}}
}

// device is what can be owned.
type device struct {
	identity []string
	time     pcommon.Timestamp // of the last collection
	seen     time.Time
	records  []*record
	meters   []*meter          // by counter
	in       *collection       // the one that has a value of it, while that is observed
	ended    pcommon.Timestamp // of the last stale marker
}

// record is an owner of a device.
type record struct {
	id     attrhash.Hash
	values []string // nil: the owners that are counted together
	start  pcommon.Timestamp
	seen   pcommon.Timestamp // of the last collection that names the owner
	left   pcommon.Timestamp // of the first that does not; 0 for a current owner
	totals []float64         // by counter

	sent   pcommon.Timestamp // of the last points that were sent
	counts bool              // the totals have changed since then
	ends   bool              // the end of the info series was not sent
}

// meter has the last value of what a counter is made of.
type meter struct {
	devices  []*device
	time     pcommon.Timestamp
	value    float64
	priority int       // of the metric that has the value
	holders  []*record // the owners of the devices at that time
}

// Sent are the owners whose points a batch has, in case that the batch is refused.
type Sent []*record

// collection is the points of one time.
type collection struct {
	*source
	time    pcommon.Timestamp
	now     time.Time
	touched []*device // that have a value
	samples []Sample
	sent    Sent
}

func (c *collection) observe(points []Point) {
	for i := range points {
		if !points[i].Stale {
			c.see(&points[i])
		}
	}
	for i := range points {
		if points[i].Stale {
			c.end(&points[i])
		}
	}
	for i := range points {
		p := &points[i]
		if d := c.devices[p.Device]; d != nil && d.in == c && !p.Stale && p.Source != nil {
			d.meters[p.Source.counter].read(&c.rule.Counters[p.Source.counter], p)
		}
	}
	for _, d := range c.touched {
		for i, m := range d.meters {
			// The time goes on, and a gauge that is missing is 0 from now on.
			if counter := &c.rule.Counters[i]; counter.Increase == nil && (counter.Integral == nil || m.time != 0) {
				m.read(counter, &Point{Time: c.time, Source: &Source{counter: i, priority: len(counter.Integral)}})
			}
			if m.time == c.time { // else the holders at its last point have its increase
				m.updateHolders()
			}
		}
	}
	for _, d := range c.touched {
		c.send(d)
		d.in = nil
	}
}

// see observes that a device has an owner, or none.
func (c *collection) see(p *Point) {
	d := c.device(p)
	if d == nil || p.Time < d.time {
		return
	}
	c.touch(d)
	if p.Owner != (attrhash.Hash{}) {
		r := c.record(d, p)
		r.seen, r.left, r.ends = p.Time, 0, false
	}
}

func (c *collection) touch(d *device) {
	d.time, d.seen = c.time, c.now
	if d.in != c {
		d.in = c
		c.touched = append(c.touched, d)
	}
}

// end observes that a series of a device has ended. If others have values, a device without any is gone, and nobody's.
// If there are none at all, the collection has failed: the owners go on, and only the info series ends.
func (c *collection) end(p *Point) {
	d := c.devices[p.Device]
	if d == nil || d.in == c || p.Time <= d.time || d.ended == p.Time {
		return
	}
	if len(c.touched) > 0 {
		c.touch(d)
		return
	}
	d.ended = p.Time
	for _, r := range d.records {
		if r.left == 0 {
			c.addInfo(d, r, true)
		}
	}
}

// device returns the device of a point, or nil if there are too many.
func (c *collection) device(p *Point) *device {
	d := c.devices[p.Device]
	if d != nil || c.tracker.tracked >= maxTracked {
		return d
	}
	d = &device{identity: clone(p.Identity), meters: make([]*meter, len(c.rule.Counters))}
	c.tracker.tracked++
	c.devices[p.Device] = d
	for i := range d.meters {
		id := c.meterID(i, d)
		m := c.meters[id]
		if m == nil {
			m = &meter{}
			c.meters[id] = m
		}
		m.devices = append(m.devices, d)
		d.meters[i] = m
	}
	return d
}

// meterID identifies what a counter measures of a device.
func (s *source) meterID(counter int, d *device) attrhash.Hash {
	id := attrhash.Hash{Lo: s.tracker.Seed}.Number(uint64(counter))
	own := s.rule.Counters[counter].Identity
	for i, key := range s.rule.Identity {
		if own == nil || slices.Contains(own, key) {
			id = id.Text(key).Text(d.identity[i])
		}
	}
	return id
}

// record returns the owner of a point, or that which stands for all further ones.
func (c *collection) record(d *device, p *Point) *record {
	id, values := p.Owner, p.OwnerValues
	find := func() int { return slices.IndexFunc(d.records, func(r *record) bool { return r.id == id }) }
	i := find()
	if i < 0 && (len(d.records) >= maxOwners || c.tracker.tracked >= maxTracked) {
		id, values = attrhash.Hash{}, nil
		i = find()
	}
	if i >= 0 {
		return d.records[i]
	}
	r := &record{id: id, values: clone(values), start: p.Time, totals: make([]float64, len(c.rule.Counters))}
	c.tracker.tracked++
	d.records = append(d.records, r)
	return r
}

// clone copies texts that are a part of a batch.
func clone(texts []string) []string {
	cloned := slices.Clone(texts)
	for i, text := range cloned {
		cloned[i] = strings.Clone(text)
	}
	return cloned
}

// read counts what was used since the last point.
func (m *meter) read(counter *conventions.OwnerCounter, p *Point) {
	if p.Time <= m.time {
		if p.Time == m.time && p.Source.priority < m.priority {
			m.value, m.priority = p.Value, p.Source.priority
		}
		return
	}
	amount, since := 0.0, p.Time.AsTime().Sub(m.time.AsTime())
	counted := min(since, maxGap)
	switch {
	case m.time == 0: // nothing is known of the time before
	case counter.Increase != nil && p.Delta:
		amount = p.Value
	case counter.Increase != nil:
		amount = increase(m.value, p.Value) * float64(counted) / float64(since)
	case counter.Integral != nil:
		amount = m.value * counted.Seconds()
	default:
		amount = counted.Seconds() * float64(len(m.holders))
	}
	for _, r := range m.holders {
		r.totals[p.Source.counter] += amount / float64(len(m.holders))
		r.counts = r.counts || amount != 0
	}
	m.time, m.value, m.priority = p.Time, p.Value, p.Source.priority
}

// increase returns by how much a counter has grown. One that falls by more than half has begun anew. Else it is the
// same one, read a moment earlier: the parts of a device repeat the device's counter.
func increase(before, after float64) float64 {
	switch {
	case after >= before:
		return after - before
	case after < before/2:
		return after
	}
	return 0
}

// updateHolders finds the owners at the time of the last value.
func (m *meter) updateHolders() {
	m.holders = m.holders[:0]
	for _, d := range m.devices {
		for _, r := range d.records {
			if d.time == m.time && r.seen == m.time {
				m.holders = append(m.holders, r)
			}
		}
	}
}
