package cardinalityprocessor

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/puzpuzpuz/xsync/v4"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// cardinalityProcessor bounds the series of metrics. It is safe for concurrent use.
type cardinalityProcessor struct {
	id           component.ID
	config       *Config
	audit        bool
	dropOverflow bool
	planner      *planner
	limited      []limitedAttribute
	telemetry    *telemetry
	offenders    *offenders
	boundsLog    *boundsLog
	next         consumer.Metrics
	logger       *zap.Logger
	window       *window         // nil: merged points go out with their batch
	refused      pmetric.Metrics // by the next component, of the last window
	walks        sync.Pool       // of *walk

	storage storage.Client // nil: nothing survives
	rules   string         // what decides identities

	seed       uint64
	started    time.Time // epoch 0
	maxStale   uint32    // epochs
	touchEvery uint32    // epochs
	memory     memory
	families   *xsync.Map[attrhash.Hash, *family]
	services   *xsync.Map[attrhash.Hash, *service]
	// since is when counting began: a stream that started before may have been counted
	// by another.
	since pcommon.Timestamp
	left  watermarks // of families that were removed

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
	p := &cardinalityProcessor{
		id:           set.ID,
		config:       cfg,
		audit:        cfg.Mode == modeAudit,
		dropOverflow: cfg.OnOverflow == overflowDrop,
		planner:      newPlanner(cfg, packs),
		limited:      limitedAttributes(cfg.AttributeLimits),
		telemetry:    telemetry,
		offenders:    newOffenders(set.Logger, set.ID, cfg),
		boundsLog:    &boundsLog{logger: set.Logger},
		next:         next,
		logger:       set.Logger,
		maxStale:     epochs(cfg.MaxStale),
		touchEvery:   epochs(cfg.MaxStale) / sweeps,
		// Half of it is the room that the garbage collector grows the heap by.
		memory:   memory{limit: int64(cfg.MemoryLimitMib) << 20 / 2},
		families: xsync.NewMap[attrhash.Hash, *family](),
		services: xsync.NewMap[attrhash.Hash, *service](),
	}
	if cfg.FlushInterval > 0 && !p.audit {
		p.window, p.refused = newWindow(int(p.memory.limit/windowShare)), pmetric.NewMetrics()
	}
	p.rules = rulesOf(cfg, packs)
	p.forget()
	p.walks.New = func() any { return &walk{cardinalityProcessor: p, first: map[*family]pmetric.Metric{}} }
	return p, p.observe()
}

// forget begins without any series.
func (p *cardinalityProcessor) forget() {
	p.seed, p.started = rand.Uint64(), time.Now()
	p.families.Clear()
	p.services.Clear()
	p.memory.used.Store(0)
	p.since = pcommon.NewTimestampFromTime(p.started)
	p.left.set(nil)
}

// windowShare is which part of the memory for series a window may take besides. A
// window that is refused is kept for a second time.
const windowShare = 8

// epochs is a duration in the seconds that series are aged by.
func epochs(d time.Duration) uint32 { return uint32(d / time.Second) }

func (p *cardinalityProcessor) epochOf(t time.Time) uint32 { return epochs(max(0, t.Sub(p.started))) }

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

// process does one batch. In audit mode it does a copy, which is thrown away: the
// counts are enforce's by construction, and the data goes on untouched, but for what
// exporters cannot take.
func (p *cardinalityProcessor) process(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	work := md
	if p.audit {
		work = pmetric.NewMetrics()
		md.CopyTo(work)
	}
	w := p.walks.Get().(*walk)
	before := work.ResourceMetrics().Len()
	w.begin()
	if w.bound(work) && p.audit {
		md = pmetric.NewMetrics()
		work.CopyTo(md)
	}
	w.do(work)
	if sent, ok := ctx.Value(sentBatchKey{}).(*sentBatch); ok && len(w.sent) > 0 && !p.audit {
		sent.outputs = slices.Clone(w.sent)
	}
	w.end(ctx)
	if emptied(before, md.ResourceMetrics().Len()) {
		return md, processorhelper.ErrSkipProcessingData
	}
	return md, nil
}
