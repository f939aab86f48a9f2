package cardinalityprocessor

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puzpuzpuz/xsync/v4"
	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
)

// wire folds points before they are decoded: those of families that the processor has
// made already, by the same code. It is safe for concurrent use.
type wire struct {
	*cardinalityProcessor
	namer    wirefold.Namer // nil: there is no naming
	maxValue int            // the longest text that naming leaves as it is
	folds    sync.Pool      // of *wireFold

	plans   *xsync.Map[identity, *wirePlan]
	renewed atomic.Int64 // when the plans were made anew: nanoseconds since epoch 0

	mu     sync.Mutex
	shapes map[shapesKey]*shapes // guarded by mu
}

type shapesKey struct {
	owner *naming.System
	rules *keyRules
}

// maxPlanAge is how long plans are believed.
const maxPlanAge = 10 * time.Minute

// openWire has the configured extension ask us.
func (p *cardinalityProcessor) openWire(host component.Host) error {
	registry, err := serviceextension.Find[wirefold.Registry](host, "wire", *p.config.Wire, "a wire_limits extension")
	if err != nil {
		return err
	}
	p.wire = newWire(p)
	return registry.UseFolder(p.id, p.wire)
}

func newWire(p *cardinalityProcessor) *wire {
	w := &wire{
		cardinalityProcessor: p, maxValue: math.MaxInt,
		plans: xsync.NewMap[identity, *wirePlan](), shapes: map[shapesKey]*shapes{},
	}
	w.folds.New = func() any { return &wireFold{wire: w, times: map[identity]int{}} }
	return w
}

// UseNamer implements wirefold.Folder. It is called before any request comes.
func (w *wire) UseNamer(id component.ID, namer wirefold.Namer) error {
	if w.namer != nil {
		return fmt.Errorf("wire: must be of one pipeline only: another naming processor goes before %q already (got %q)", w.id, id)
	}
	w.namer = namer
	w.maxValue = namer.MaxValueBytes()
	return nil
}

// Fold implements wirefold.Folder.
func (w *wire) Fold(request []byte, decode func([]byte) error) (wirefold.Batch, error) {
	s := w.folds.Get().(*wireFold)
	defer s.end()
	batch, folded := s.fold(request)
	decoded := request
	if folded {
		decoded = s.out.bytes
	}
	s.wireBytes[0], s.wireBytes[1] = int64(len(request)), int64(len(decoded))
	err := decode(decoded)
	switch {
	case batch == nil:
		return nil, err
	case err != nil:
		batch.Settle(context.Background(), err)
		return nil, err
	}
	return batch, nil
}

// namerChanges counts what naming has decided otherwise.
func (w *wire) namerChanges() uint64 {
	if w.namer == nil {
		return 0
	}
	return w.namer.Changes()
}

// renew forgets the plans from time to time.
func (w *wire) renew(now time.Time) {
	at, since := int64(now.Sub(w.started)), w.renewed.Load()
	if at-since > int64(maxPlanAge) && w.renewed.CompareAndSwap(since, at) {
		w.plans.Clear()
	}
}

// forgetPlans forgets what may not be so any more.
func (w *wire) forgetPlans() {
	w.plans.Clear()
	w.telemetry.CardinalityWireResets.Add(context.Background(), 1)
}

// shapesOf returns the shapes of the points of a plan's metric.
func (w *wire) shapesOf(plan *wirePlan, rules *keyRules) *shapes {
	if known := plan.shapes.Load(); known != nil && known.rules == rules {
		return known
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	key := shapesKey{plan.owner, rules}
	known, ok := w.shapes[key]
	if !ok {
		if len(w.shapes) >= maxKeyRules {
			clear(w.shapes)
		}
		known = &shapes{owner: plan.owner, rules: rules}
		w.shapes[key] = known
	}
	plan.sure.Store(0)
	plan.shapes.Store(known)
	return known
}
