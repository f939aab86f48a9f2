// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

const serviceNameKey = "service.name"

// Signal contains what differs between batches of traces, metrics and logs. It splits them by the modes of their
// services.
type Signal[D batch[D], S resources[R], R resource[R]] struct {
	empty     func() D
	resources func(D) S
}

// batch is traces, metrics or logs.
type batch[D any] interface{ CopyTo(D) }

// The signals.
var (
	Traces  = Signal[ptrace.Traces, ptrace.ResourceSpansSlice, ptrace.ResourceSpans]{ptrace.NewTraces, ptrace.Traces.ResourceSpans}
	Metrics = Signal[pmetric.Metrics, pmetric.ResourceMetricsSlice, pmetric.ResourceMetrics]{pmetric.NewMetrics, pmetric.Metrics.ResourceMetrics}
	Logs    = Signal[plog.Logs, plog.ResourceLogsSlice, plog.ResourceLogs]{plog.NewLogs, plog.Logs.ResourceLogs}
)

// Process has a batch processed. The part that is audited is processed as a copy, which is discarded: the counts equal
// those of enforce mode, and the data stays unchanged.
func (s Signal[D, S, R]) Process(data D, p *Policy, process func(part D, audited bool)) {
	s.Split(data, p, func(part D) { process(part, false) }, func(part D) {
		copied := s.empty()
		part.CopyTo(copied)
		process(copied, true)
	})
}

// Split calls enforce with the part of a batch that may change, and audit with the part whose changes must be
// discarded. A part without resources gets no call, and a batch without resources is enforced or audited as services
// without a name are. A batch of one mode, which is the common case, is not split.
//
// Both functions may remove resources from their part, and add some. Afterwards the batch has the resources of both
// parts in the order in which they came, and then those that were added.
func (s Signal[D, S, R]) Split(data D, p *Policy, enforce, audit func(D)) {
	all := s.resources(data)
	audited, split := modesOf(all, p)
	if !split {
		whole(data, p, audited, enforce, audit)
		return
	}
	toEnforce, toAudit := s.empty(), s.empty()
	move(all, audited, s.resources(toEnforce), s.resources(toAudit), func() {
		enforce(toEnforce)
		audit(toAudit)
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

// modesOf returns for each resource of a batch whether it is audited, and whether the batch has both kinds. If
// all services have the same mode it returns nil, and reads no resource.
func modesOf[S resources[R], R resource[R]](all S, p *Policy) (audited []bool, both bool) {
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
func whole[D any](data D, p *Policy, audited []bool, enforce, audit func(D)) {
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
