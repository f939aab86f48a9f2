package cardinalityprocessor

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puzpuzpuz/xsync/v4"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
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
	next         consumer.Metrics
	logger       *zap.Logger
	window       *window   // nil: merged points go out with their batch
	walks        sync.Pool // of *walk

	seed       uint64
	started    time.Time // epoch 0
	maxStale   uint32    // epochs
	touchEvery uint32    // epochs
	memory     memory
	families   *xsync.Map[identity, *family]
	services   *xsync.Map[identity, *service]
	// since is the time before which streams of a new family may have been counted
	// already: the start, or the last time of a family that was removed. Forgotten is
	// that of families which had merged streams; 0 for none.
	since, forgotten atomic.Uint64

	stop    context.CancelFunc
	running sync.WaitGroup
}

func newProcessor(set processor.Settings, cfg *Config, next consumer.Metrics) (*cardinalityProcessor, error) {
	sources, err := conventions.Sources(cfg.Packs)
	if err != nil {
		return nil, err
	}
	packs, err := conventions.Load(sources)
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
		offenders:    newOffenders(set.Logger, set.ID),
		next:         next,
		logger:       set.Logger,
		seed:         rand.Uint64(),
		started:      time.Now(),
		maxStale:     epochs(cfg.MaxStale),
		touchEvery:   epochs(cfg.MaxStale) / sweeps,
		// Half of it is the room that the garbage collector grows the heap by.
		memory:   memory{limit: int64(cfg.MemoryLimitMib) << 20 / 2},
		families: xsync.NewMap[identity, *family](),
		services: xsync.NewMap[identity, *service](),
	}
	if cfg.FlushInterval > 0 && !p.audit {
		p.window = newWindow()
	}
	p.since.Store(uint64(pcommon.NewTimestampFromTime(p.started)))
	p.walks.New = func() any { return &walk{cardinalityProcessor: p, first: map[*family]pmetric.Metric{}} }
	return p, p.observe()
}

// epochs is a duration in the seconds that series are aged by.
func epochs(d time.Duration) uint32 { return uint32(d / time.Second) }

func (p *cardinalityProcessor) epochOf(t time.Time) uint32 { return epochs(t.Sub(p.started)) }

func (p *cardinalityProcessor) start(context.Context, component.Host) error {
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
		p.flush(ctx)
	}
	p.telemetry.Shutdown()
	return nil
}

// process does one batch. In audit mode it does a copy, which is thrown away: the
// counts are enforce's by construction, and the data goes on untouched.
func (p *cardinalityProcessor) process(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	work := md
	if p.audit {
		work = pmetric.NewMetrics()
		md.CopyTo(work)
	}
	w := p.walks.Get().(*walk)
	before := work.ResourceMetrics().Len()
	w.batch(work)
	w.end(ctx)
	if emptied(before, md.ResourceMetrics().Len()) {
		return md, processorhelper.ErrSkipProcessingData
	}
	return md, nil
}
