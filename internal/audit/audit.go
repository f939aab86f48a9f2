// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

const serviceNameKey = "service.name"

// Traces calls enforce with the part of a batch that may change, and audit with the part whose changes must
// be discarded. A part without resources gets no call, and a batch without resources is enforced or audited
// as services without a name are.
//
// Both functions may remove resources from their part, and add some. Afterwards the batch has the resources
// of both parts in the order in which they came, and then those that were added.
func Traces(td ptrace.Traces, p *policy.Policy, enforce, audit func(ptrace.Traces)) {
	parts, split := split(td.ResourceSpans(), p)
	if !split {
		whole(td, p, parts, enforce, audit)
		return
	}
	enforced, audited := ptrace.NewTraces(), ptrace.NewTraces()
	move(td.ResourceSpans(), parts, enforced.ResourceSpans(), audited.ResourceSpans(), func() {
		enforce(enforced)
		audit(audited)
	})
}

// Metrics does for metrics what Traces does for spans.
func Metrics(md pmetric.Metrics, p *policy.Policy, enforce, audit func(pmetric.Metrics)) {
	parts, split := split(md.ResourceMetrics(), p)
	if !split {
		whole(md, p, parts, enforce, audit)
		return
	}
	enforced, audited := pmetric.NewMetrics(), pmetric.NewMetrics()
	move(md.ResourceMetrics(), parts, enforced.ResourceMetrics(), audited.ResourceMetrics(), func() {
		enforce(enforced)
		audit(audited)
	})
}

// Logs does for log records what Traces does for spans.
func Logs(ld plog.Logs, p *policy.Policy, enforce, audit func(plog.Logs)) {
	parts, split := split(ld.ResourceLogs(), p)
	if !split {
		whole(ld, p, parts, enforce, audit)
		return
	}
	enforced, audited := plog.NewLogs(), plog.NewLogs()
	move(ld.ResourceLogs(), parts, enforced.ResourceLogs(), audited.ResourceLogs(), func() {
		enforce(enforced)
		audit(audited)
	})
}

// resources is the resources of a batch.
type resources[R any] interface {
	Len() int
	At(i int) R
	AppendEmpty() R
	RemoveIf(remove func(R) bool)
}

// resource is a resource with its telemetry.
type resource[R any] interface {
	comparable
	Resource() pcommon.Resource
	MoveTo(to R)
}

// split returns for each resource of a batch whether it is audited, and whether the batch has both kinds. If
// all services have the same mode it returns nil, and reads no resource.
func split[S resources[R], R resource[R]](all S, p *policy.Policy) (audited []bool, both bool) {
	if !p.Mixed() {
		return nil, false
	}
	audited = make([]bool, all.Len())
	for i := range audited {
		audited[i] = p.Audit(attributes.Text(all.At(i).Resource().Attributes(), serviceNameKey))
		both = both || audited[i] != audited[0]
	}
	return audited, both
}

// whole calls the function of a batch that has one mode.
func whole[D any](data D, p *policy.Policy, audited []bool, enforce, audit func(D)) {
	is := p.Audit("")
	if len(audited) > 0 {
		is = audited[0]
	}
	if is {
		audit(data)
	} else {
		enforce(data)
	}
}

// move moves the resources of a batch into its parts, has them processed, and moves them back in order.
func move[S resources[R], R resource[R]](all S, isAudited []bool, enforced, audited S, process func()) {
	places := make(map[R]int, len(isAudited))
	for i, is := range isAudited {
		part := enforced
		if is {
			part = audited
		}
		moved := part.AppendEmpty()
		all.At(i).MoveTo(moved)
		places[moved] = i
	}
	process()
	type placed struct {
		place    int
		resource R
	}
	back := make([]placed, 0, len(isAudited))
	for _, part := range [...]S{enforced, audited} {
		for i := range part.Len() {
			r := part.At(i)
			place, ok := places[r]
			if !ok {
				place = len(isAudited) // it was added
			}
			back = append(back, placed{place, r})
		}
	}
	slices.SortStableFunc(back, func(a, b placed) int { return a.place - b.place })
	all.RemoveIf(func(R) bool { return true })
	for _, b := range back {
		b.resource.MoveTo(all.AppendEmpty())
	}
}
