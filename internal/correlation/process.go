// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// A rule for the logs of one process adds that process to its keys. So a log finds no span of
// another process, whatever has come and whatever has not.
//
// A span has a key for each identity of its process: the service instance, and the process id in
// its place. A log uses the more certain one that it has.

// AddInstance adds the service instance of a resource, and reports whether it has one. An instance
// id need only be unique within its service.
func (w *Writer) AddInstance(resource pcommon.Map) bool {
	id, ok := resource.Get("service.instance.id")
	if !ok || IsNull(id.AsString()) {
		return false
	}
	w.Add("service.instance.id")
	w.addAny(id)
	service, ok := resource.Get("service.name")
	if !ok {
		service = noValue
	}
	w.addAny(service)
	return true
}

// AddProcess adds the process id and the place where it is unique, and reports whether both are
// known. The attributes of an item come before those of its resource.
func (w *Writer) AddProcess(item, resource pcommon.Map) bool {
	pid, ok := item.Get("process.pid")
	if !ok {
		pid, ok = resource.Get("process.pid")
	}
	if !ok || !w.addPlace(resource, processID(pid)) {
		return false
	}
	w.addAny(pid)
	return true
}

// minHostPID is the least process id that a host gives to programs started after its boot: Linux
// keeps smaller ones for itself when its count starts again. Smaller ones are common in containers,
// where several processes of one host have the same.
const minHostPID = 300

// addPlace adds the smallest place that is known. Its name is a part of the key, so that a
// container and a host never meet.
func (w *Writer) addPlace(resource pcommon.Map, pid uint64) bool {
	if pid == 0 {
		return false
	}
	if container, ok := text(resource, "container.id"); ok {
		w.Add("container.id")
		w.Add(container)
		return true
	}
	if pod, ok := text(resource, "k8s.pod.uid"); ok {
		container, ok := text(resource, "k8s.container.name")
		w.Add("k8s.pod.uid")
		w.Add(pod)
		w.Add(container)
		return ok || pid >= minHostPID
	}
	host, ok := text(resource, "host.name")
	if !ok || pid < minHostPID || strings.HasPrefix(host, "localhost") {
		return false
	}
	w.Add("host.name")
	w.Add(host)
	return true
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
