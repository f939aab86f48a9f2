package namingprocessor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
)

// rehearsing says what the processor would do, to those who fold points before they are
// decoded. It is safe for concurrent use.
type rehearsing struct{ *namingProcessor }

var _ wirefold.Namer = rehearsing{}

// openWire tells the processor that folds points on the wire what we do. It stands behind
// us, so that it has started already.
func (p *namingProcessor) openWire(id component.ID, wire component.ID) component.StartFunc {
	return func(_ context.Context, host component.Host) error {
		registry, err := serviceextension.Find[wirefold.Registry](host, "wire", wire, "a wire_limits extension")
		if err != nil {
			return err
		}
		folder := registry.Folder()
		if folder == nil {
			return fmt.Errorf("wire: must be set in the cardinality processor behind this one as well (got %q)", wire)
		}
		return folder.UseNamer(id, rehearsing{p})
	}
}

// Rehearse implements wirefold.Namer.
func (p rehearsing) Rehearse(md pmetric.Metrics) *naming.System {
	w := p.walks.Get().(*walk)
	w.rehearsal = true
	w.metrics(md)
	owner := w.claimants[0].System
	w.rehearsal = false
	w.leave()
	return owner
}

// Attribute implements wirefold.Namer.
func (p rehearsing) Attribute(owner *naming.System, key string) *naming.AttributeDecision {
	return p.decisions.attribute(owner, key)
}

// Value implements wirefold.Namer.
func (p rehearsing) Value(owner *naming.System, decision *naming.AttributeDecision, value pcommon.Value) {
	w := p.walks.Get().(*walk)
	w.value(decision, value, owner)
	w.leave()
}

// MaxValueBytes implements wirefold.Namer.
func (p rehearsing) MaxValueBytes() int { return p.maxValueBytes }

// Changes implements wirefold.Namer.
func (p rehearsing) Changes() uint64 { return p.decisions.claims.Changes() }
