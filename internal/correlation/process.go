// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// Process is what an item states about the process that it comes from. It has a hash for each kind of statement, so that
// it fits into a member. The empty Process states nothing.
type Process string

// The kinds of statements.
const (
	instance  = 'i' // service.instance.id and service.name
	processAt = 'p' // the process id, and the place where it is unique
	container = 'c'
	pod       = 'u'
	hostName  = 'h'
)

// statementSize is the size of a statement: its kind and 8 bytes of its hash.
const statementSize = 1 + 8

// ProcessOf returns the process of an item. The attributes of the item come before those of its resource.
func (w *Writer) ProcessOf(item, resource pcommon.Map) Process {
	var all []byte
	add := func(kind byte, parts ...string) {
		w.Begin("process")
		for _, part := range parts {
			w.Add(part)
		}
		hash := sha256.Sum256(w.text)
		all = append(append(all, kind), hash[:statementSize-1]...)
	}
	// An instance id need only be unique within its service.
	if id, ok := resource.Get("service.instance.id"); ok && !IsNull(id.AsString()) {
		add(instance, id.AsString(), attributes.Text(resource, "service.name"))
	}
	at := placeOf(resource)
	if at.container != "" {
		add(container, at.container)
	}
	if at.pod != "" {
		add(pod, at.pod)
	}
	if at.host != "" {
		add(hostName, at.host)
	}
	pid, ok := item.Get("process.pid")
	if !ok {
		pid, ok = resource.Get("process.pid")
	}
	if ok {
		if number := processID(pid); number != 0 {
			if name := at.smallest(number); name != "" {
				add(processAt, name, strconv.FormatUint(number, 10))
			}
		}
	}
	return Process(all)
}

// place is where a process runs, as far as it is known.
type place struct{ container, pod, host string }

func placeOf(resource pcommon.Map) place {
	var p place
	p.pod, _ = text(resource, "k8s.pod.uid")
	if id, ok := text(resource, "container.id"); ok {
		p.container = id
	} else if name, ok := text(resource, "k8s.container.name"); ok && p.pod != "" {
		p.container = p.pod + "/" + name
	}
	if host, ok := text(resource, "host.name"); ok && !strings.HasPrefix(host, "localhost") {
		p.host = host
	}
	return p
}

// minHostPID is the least process id that a host gives to programs started after its boot: Linux
// keeps smaller ones for itself when its count starts again. Smaller ones are common in containers,
// where several processes of one host have the same.
const minHostPID = 300

// smallest returns the smallest known place in which a process id is unique, or "". Its kind is a part of the text,
// so that a container and a host never meet.
func (p *place) smallest(pid uint64) string {
	switch {
	case p.container != "":
		return "container " + p.container
	case pid < minHostPID:
		return ""
	case p.pod != "":
		return "pod " + p.pod
	case p.host != "":
		return "host " + p.host
	}
	return ""
}

// text returns an attribute that is a text and stands for something.
func text(from pcommon.Map, key string) (string, bool) {
	value, ok := attributes.Lookup(from, key)
	return value, ok && !IsNull(value)
}

// processID returns the number of a process, or 0.
func processID(value pcommon.Value) uint64 {
	switch value.Type() {
	case pcommon.ValueTypeInt:
		return uint64(max(value.Int(), 0))
	case pcommon.ValueTypeStr:
		pid, err := strconv.ParseUint(value.Str(), 10, 32)
		if err != nil {
			return 0
		}
		return pid
	default:
		return 0
	}
}

// Evidence is how certain it is that two items come from one process or from its parts.
type Evidence uint8

// The evidence of two items.
const (
	AnotherProcess Evidence = iota
	NoEvidence
	SamePod
	SameContainer
	SameProcess
	EvidenceCount
)

// With compares what two items state. Two statements that disagree are no evidence that both are one process. Other
// process ids or hosts are no disagreement with an equal statement: an instance can have several processes, and a pod's
// host has two names.
func (p Process) With(other Process) Evidence {
	same, differs, mayDiffer := NoEvidence, false, false
	for i := 0; i+statementSize <= len(p); i += statementSize {
		kind := p[i]
		theirs := other.find(kind)
		if theirs == "" {
			continue
		}
		equal := theirs == p[i:i+statementSize]
		switch kind {
		case instance, container, pod:
			differs = differs || !equal
		case hostName, processAt:
			mayDiffer = mayDiffer || !equal
		}
		if equal {
			same = max(same, evidenceOf(kind))
		}
	}
	if differs || mayDiffer && same == NoEvidence {
		return AnotherProcess
	}
	return same
}

func evidenceOf(kind byte) Evidence {
	switch kind {
	case instance, processAt:
		return SameProcess
	case container:
		return SameContainer
	case pod:
		return SamePod
	default:
		return NoEvidence
	}
}

// find returns the statement of a kind, or "".
func (p Process) find(kind byte) Process {
	for i := 0; i+statementSize <= len(p); i += statementSize {
		if p[i] == kind {
			return p[i : i+statementSize]
		}
	}
	return ""
}
