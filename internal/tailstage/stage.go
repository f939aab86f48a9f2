// SPDX-License-Identifier: Apache-2.0

package tailstage

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/livetail"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// Stage is a component in the pipelines of one signal. It is safe for concurrent use. A nil Stage shows nothing.
type Stage struct {
	policy     *policy.Policy
	hub        *livetail.Hub
	id, signal string
}

// New returns the stage of a component with a policy.
func New(p *policy.Policy, id component.ID, signal string) *Stage {
	return &Stage{p, p.Tail(), id.String(), signal}
}

// Watched reports whether a person watches any service. It costs one atomic load.
func (s *Stage) Watched() bool { return s != nil && s.hub.Watched() }

// Take returns how many of some items of a resource the caller must show.
func (s *Stage) Take(resource pcommon.Map, items int) int {
	return s.hub.Take(serviceOf(resource), s.id+" "+s.signal, items)
}

// serviceOf returns what the page calls the service of a resource.
func serviceOf(resource pcommon.Map) string {
	return conformance.ServiceName(attributes.Text(resource, "service.name"))
}

// Look writes an item as text, as it is when it is called. It reports false for an item that is no longer there.
type Look func(*Shown) (item livetail.Item, there bool)

// Span looks at a span.
func Span(resource pcommon.Resource, span ptrace.Span) Look {
	return func(of *Shown) (livetail.Item, bool) { return of.span(resource, span), true }
}

// Log looks at a log record.
func Log(resource pcommon.Resource, record plog.LogRecord) Look {
	return func(of *Shown) (livetail.Item, bool) { return of.log(resource, record), true }
}

// Shown is an item that is shown, as it came. Its service and owner are those of the item as it came too,
// because a component can rename what they were recognised by. A nil Shown is an item that is not shown.
type Shown struct {
	stage                *Stage
	service, scope       string
	owner, resourceOwner *naming.System
	before               livetail.Item
	look                 Look
}

// Begin returns an item as it is now. The caller has taken it, by Take.
func (s *Stage) Begin(resource pcommon.Resource, scope pcommon.InstrumentationScope, look Look) *Shown {
	attrs := resource.Attributes()
	of := &Shown{service: serviceOf(attrs), stage: s, scope: scope.Name(), look: look}
	lookup := func(key string) (string, bool) { return attributes.Lookup(attrs, key) }
	of.owner, of.resourceOwner = s.policy.Namer().Owner(lookup, of.scope), s.policy.Namer().Owner(lookup, "")
	of.before, _ = look(of)
	return of
}

// BeginOne is Begin and Take for one item. It returns nil for an item that is not shown.
func (s *Stage) BeginOne(resource pcommon.Resource, scope pcommon.InstrumentationScope, look Look) *Shown {
	if s.Take(resource.Attributes(), 1) == 0 {
		return nil
	}
	return s.Begin(resource, scope, look)
}

// move has Done look elsewhere: at a copy of the item, say, which is processed instead of it.
func (of *Shown) move(look Look) { of.look = look }

// Done shows the item as it came and as it is now.
func (of *Shown) Done(audited bool) { of.done(audited, true) }

// DoneIfChanged is Done for components that change few of their items.
func (of *Shown) DoneIfChanged(audited bool) {
	if of != nil {
		of.done(audited, false)
	}
}

func (of *Shown) done(audited, same bool) {
	pair := livetail.Pair{At: time.Now(), Stage: of.stage.id, Signal: of.stage.signal, Audited: audited}
	after, there := of.look(of)
	if !there {
		return
	}
	if pair.Compare(of.before, after) || same {
		of.stage.hub.Publish(of.service, pair)
	}
}
