package cardinalityprocessor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/turns"
)

// cardinalityProcessor limits the series of metrics. It is safe for concurrent use.
type cardinalityProcessor struct {
	id        component.ID
	config    *Config
	audit     bool
	plans     *plan.Planner
	store     *series.Store
	telemetry *telemetry
	warnings  *warnings
	boundsLog *boundsLog
	next      consumer.Metrics
	logger    *zap.Logger
	window    *window         // nil: merged points are sent with their batch
	refused   pmetric.Metrics // the last window, if the next component refused it
	walks     sync.Pool       // of *walk
	turns     turns.Turns     // of batches with merged points

	storage storage.Client // nil: no snapshots
	rules   string         // see rulesOf

	stop    context.CancelFunc
	running sync.WaitGroup
}

func newProcessor(set processor.Settings, cfg *Config, next consumer.Metrics) (*cardinalityProcessor, error) {
	packs, err := conventions.Load(cfg.Packs)
	if err != nil {
		return nil, err
	}
	telemetry, err := newTelemetry(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	audit := cfg.Mode == modeAudit
	// The garbage collector lets the heap grow to twice the live memory.
	memory := int64(cfg.MemoryLimitMib) << 20 / 2
	p := &cardinalityProcessor{
		id:     set.ID,
		config: cfg,
		audit:  audit,
		plans:  plan.New(packs, planSettings(cfg)),
		store: series.New(series.Settings{
			ServiceLimit: cfg.ServiceLimit, MaxStale: cfg.MaxStale,
			DropOverflow: cfg.OnOverflow == overflowDrop, Gathered: cfg.FlushInterval > 0 && !audit,
		}, memory),
		telemetry: telemetry,
		warnings:  newWarnings(set.Logger, set.ID, cfg),
		boundsLog: &boundsLog{logger: set.Logger},
		next:      next,
		logger:    set.Logger,
		rules:     rulesOf(cfg, packs),
	}
	if p.store.Gathered {
		p.window, p.refused = newWindow(int(memory/windowShare)), pmetric.NewMetrics()
	}
	p.walks.New = func() any {
		w := &walk{store: p.store, plans: p.plans, window: p.window, services: newServices(), first: map[*series.Metric]pmetric.Metric{}, looks: map[attrhash.Hash]*series.Look{}}
		w.batch.OfService = w.serviceMetric
		return w
	}
	return p, p.telemetry.observe(p.store)
}

// windowShare divides the memory for series to get the limit of a window, whose memory comes
// on top. A refused window is kept beside the next one.
const windowShare = 8

func (p *cardinalityProcessor) start(ctx context.Context, host component.Host) error {
	if p.config.Storage != nil {
		client, err := p.openStorage(ctx, host)
		if err != nil {
			return err
		}
		p.storage = client
		p.load(ctx)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	p.running.Go(func() { p.expireForever(ctx) })
	if p.window != nil {
		p.running.Go(func() { p.flushForever(ctx) })
	}
	return nil
}

func (p *cardinalityProcessor) shutdown(ctx context.Context) error {
	if p.stop != nil {
		p.stop()
	}
	p.running.Wait()
	if p.window != nil {
		p.flush(ctx, true)
	}
	p.telemetry.Shutdown()
	if p.storage == nil {
		return nil
	}
	return errors.Join(p.save(ctx), p.storage.Close(ctx))
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
}

// process processes one batch. In audit mode it processes a copy and discards it, so that the
// counts are the same as in enforce mode. The batch itself is only bounded.
func (p *cardinalityProcessor) process(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	work := md
	if p.audit {
		work = pmetric.NewMetrics()
		md.CopyTo(work)
	}
	w := p.walks.Get().(*walk)
	before := work.ResourceMetrics().Len()
	w.begin()
	if w.bound(work, p.boundsLog) && p.audit {
		md = pmetric.NewMetrics()
		work.CopyTo(md)
	}
	w.identify(work)
	delivery, ok := ctx.Value(deliveryKey{}).(*delivery)
	if ok = ok && !p.audit; ok {
		p.turns.Wait(&w.merges)
		delivery.turn = w.merges
	}
	w.look(originOf(ctx, work), work)
	w.merge(work)
	if ok && len(w.batch.Sent) > 0 {
		delivery.sent = slices.Clone(w.batch.Sent)
	}
	p.telemetry.add(ctx, &w.tally, &w.batch)
	for _, warning := range w.batch.Warnings {
		p.warnings.log(w.batch.Now, warning)
	}
	w.end()
	p.walks.Put(w)
	if emptied(before, md.ResourceMetrics().Len()) {
		return md, processorhelper.ErrSkipProcessingData
	}
	return md, nil
}

// delivery is what process returns about a batch to the caller of the next component.
type delivery struct {
	turn turns.Set     // to end when the next component has the batch
	sent []series.Sent // to take back if it refuses the batch
}

// deliveryKey is the context key of a *delivery.
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
	err := r.Metrics.ConsumeMetrics(context.WithValue(ctx, deliveryKey{}, &d), md)
	if err != nil {
		r.processor.telemetry.drop(ctx, series.DroppedRefused, series.TakeBack(d.sent))
	}
	return err
}
