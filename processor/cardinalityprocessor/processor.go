// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/explain"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/owners"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// cardinalityProcessor limits the series of metrics. It is safe for concurrent use.
type cardinalityProcessor struct {
	id        component.ID
	pasted    paste.Cardinality // what a person pastes
	config    *Config
	store     *series.Store
	telemetry *telemetry
	warnings  *warnings
	boundsLog *boundsLog
	set       component.TelemetrySettings
	tracker   *owners.Tracker
	turns     series.Turns // of batches with merged points

	// Since start.
	user    *policy.User[*rules]
	explain *explain.Source

	state *statefile.Directory // nil: no snapshots

	stop    context.CancelFunc
	running sync.WaitGroup
}

func newProcessor(set processor.Settings, cfg *Config) (*cardinalityProcessor, error) {
	telemetry, err := newTelemetry(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	pasted := paste.NewCardinality(set.ID.String(), overridesOf(cfg))
	p := &cardinalityProcessor{
		id:     set.ID,
		pasted: pasted,
		config: cfg,
		store: series.New(series.Settings{
			ServiceLimit: cfg.ServiceLimit, MaxStale: cfg.MaxStale,
		}, memory(cfg)),
		tracker:   owners.New(cfg.MaxStale),
		telemetry: telemetry,
		warnings:  newWarnings(set.Logger, cfg, pasted),
		boundsLog: &boundsLog{logger: set.Logger},
		set:       set.TelemetrySettings,
	}
	return p, p.telemetry.observe(p.store)
}

// memory returns the memory for series. The garbage collector lets the heap grow to twice the live memory.
func memory(cfg *Config) int64 { return int64(cfg.MemoryLimitMib) << 20 / 2 }

// rules are what depends on the packs and the modes.
type rules struct {
	policy *policy.Policy
	plans  *plan.Planner
	hash   string                            // see rulesOf
	owners map[*conventions.OwnerRule]string // see ownerRules
	walks  sync.Pool
}

// newRules returns the rules by a policy. Before are those by the policy before, or nil.
func (p *cardinalityProcessor) newRules(current *policy.Policy, before *rules) *rules {
	generation := uint32(0)
	if before != nil {
		generation = before.plans.Generation + 1
	}
	settings := planSettings(p.config)
	settings.Owners = current.Owners()
	r := &rules{policy: current, plans: plan.New(current.Packs(), settings, generation), hash: rulesOf(p.config, current), owners: ownerRules(current)}
	r.walks.New = func() any {
		w := &walk{store: p.store, tracker: p.tracker, rules: r, services: newServices(), first: map[*series.Metric]int{}, looks: map[attrhash.Hash]*series.Look{}}
		w.batch.OfService = w.overflowMetric
		return w
	}
	return r
}

// goBy has the processor go by the policy of its host.
func (p *cardinalityProcessor) goBy(host component.Host) (err error) {
	p.user, err = policy.Use(host, p.id, p.config.Mode, func(current *policy.Policy, before *rules) (*rules, func(), error) {
		r := p.newRules(current, before)
		return r, func() { p.store.Change(r.plans.Generation) }, nil
	})
	if err != nil {
		return err
	}
	current := func() *policy.Policy { return p.user.Current().policy }
	p.store.ShowValues(explain.Values(current))
	p.explain = &explain.Source{Store: p.store, Processor: p.pasted, Policy: current}
	current().Costs().Add(p.explain)
	return nil
}

func (p *cardinalityProcessor) start(_ context.Context, host component.Host) error {
	if err := p.goBy(host); err != nil {
		return err
	}
	if err := p.openState(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	p.running.Go(func() { p.expireForever(ctx) })
	return nil
}

func (p *cardinalityProcessor) shutdown(context.Context) error {
	if p.stop != nil {
		p.stop()
	}
	p.running.Wait()
	p.telemetry.Shutdown()
	return p.closeState()
}

// expireForever removes stale series, one share at a time, until the context ends.
func (p *cardinalityProcessor) expireForever(ctx context.Context) {
	share := uint64(0)
	periodic.Run(ctx, max(p.config.MaxStale/series.Sweeps/series.Sweeps, time.Second), func(now time.Time) {
		p.expire(ctx, now, share%series.Sweeps)
		share++
	})
}

// expire removes stale series of one share and counts the lost points.
func (p *cardinalityProcessor) expire(ctx context.Context, now time.Time, share uint64) {
	p.telemetry.drop(ctx, series.DroppedRefused, p.store.Expire(now, share))
	if share == 0 {
		p.tracker.Expire(now)
	}
}

// process processes one batch by the policy of its context. The part of it that is audited is processed as a copy,
// which is discarded, so that the counts are the same as in enforce mode. That part itself is only bounded.
func (p *cardinalityProcessor) process(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	before, r := md.ResourceMetrics().Len(), p.user.Of(ctx)
	policy.Metrics.Split(md, r.policy,
		func(part pmetric.Metrics) { p.processPart(ctx, r, part, false) },
		func(part pmetric.Metrics) { p.processPart(ctx, r, part, true) })
	if emptied(before, md.ResourceMetrics().Len()) {
		return md, processorhelper.ErrSkipProcessingData
	}
	return md, nil
}

func (p *cardinalityProcessor) processPart(ctx context.Context, r *rules, md pmetric.Metrics, audited bool) {
	w := r.walks.Get().(*walk)
	w.audited = audited
	w.begin(r.policy.Costs().Wanted())
	w.bound(md, p.boundsLog)
	if audited {
		work := pmetric.NewMetrics()
		md.CopyTo(work)
		md = work
	}
	w.identify(md)
	delivery, ok := ctx.Value(deliveryKey{}).(*delivery)
	if ok = ok && !audited; ok {
		p.turns.Wait(&w.merges)
		delivery.turn = w.merges
	}
	w.look(ctx)
	w.merge(md)
	if ok && len(w.batch.Sent) > 0 {
		delivery.sent = slices.Clone(w.batch.Sent)
	}
	if ok {
		delivery.owners = w.sentOwners
	}
	p.telemetry.add(ctx, &w.tally, &w.batch)
	for _, warning := range w.batch.Warnings {
		p.warnings.log(w.batch.Now, warning)
	}
	w.end()
	r.walks.Put(w)
}

// delivery is what process returns about a batch to the caller of the next component.
type delivery struct {
	turn   series.TurnSet // to end when the next component has the batch
	sent   []series.Sent  // to take back if it refuses the batch
	owners owners.Sent
}

type deliveryKey struct{}

// retried is the processor that the pipeline calls. If the next component refuses a batch,
// the sender repeats it, but then its points are late. So retried takes the merged values
// back, and the next points of their outputs include them. Until then no other batch changes
// these outputs, or its later points could arrive first.
type retried struct {
	processor.Metrics
	processor *cardinalityProcessor
}

// ConsumeMetrics processes a batch and sends it to the next component.
func (r retried) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	var d delivery
	defer func() { r.processor.turns.End(&d.turn) }()
	err := r.Metrics.ConsumeMetrics(context.WithValue(r.processor.user.Pin(ctx), deliveryKey{}, &d), md)
	if err != nil {
		r.processor.telemetry.drop(ctx, series.DroppedRefused, series.TakeBack(d.sent))
		r.processor.tracker.TakeBack(d.owners)
	}
	return err
}
