// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"crypto/sha256"
	"math/bits"
	"path"
	"strconv"
	"strings"
	"unicode"

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
	threadID  = 't' // the id of a process or of a thread, wherever it runs
	threadOn  = 'x' // the host that a thread states
	container = 'c'
	pod       = 'u'
	hostName  = 'h'
	role      = 'r' // a word of the rule's roles
	named     = 'n' // an instance: its id alone, or a part of a path
	folder    = 'd' // of a log file
	file      = 'f' // a log file
	source    = 's' // the file of the program that wrote a line, or else the log file's name
)

// statementSize is the size of a statement: its kind and 8 bytes of its hash.
const statementSize = 1 + 8

// The attributes that state something of a process.
const (
	instanceKey    = "service.instance.id"
	serviceKey     = "service.name"
	processIDKey   = "process.pid"
	ThreadIDKey    = "tc.thread.pid"
	threadLabelKey = "tc.thread.label"
	threadHostKey  = "tc.host.id"
	roleKey        = "tc.role"
	FilePathKey    = "log.file.path"
	fileNameKey    = "log.file.name"
	sourceKey      = "code.file.path"
	hostKey        = "host.name"
)

// statements collects what an item states.
type statements struct {
	w   *Writer
	all []byte
}

func (s *statements) add(kind byte, parts ...string) {
	s.w.Begin("process")
	for _, part := range parts {
		s.w.Add(part)
	}
	hash := sha256.Sum256(s.w.text)
	s.all = append(append(s.all, kind), hash[:statementSize-1]...)
}

// ProcessOf returns the process of an item as the rule needs it. The attributes of the item come before those of its
// resource.
func (r *Rule) ProcessOf(w *Writer, item, resource pcommon.Map) Process {
	s := statements{w: w}
	at := placeOf(resource)
	// An instance id need only be unique within its service.
	if id, ok := text(resource, instanceKey); ok && id != containerInstance(resource) {
		s.add(instance, id, attributes.Text(resource, serviceKey))
		s.add(named, id)
	}
	if at.container != "" {
		s.add(container, at.container)
	}
	if at.pod != "" {
		s.add(pod, at.pod)
	}
	if at.host != "" {
		s.add(hostName, at.host)
	}
	if number := processOf(item, resource); number != 0 {
		text := strconv.FormatUint(number, 10)
		if name := at.smallest(number); name != "" {
			s.add(processAt, name, text)
		}
		if number >= minHostPID {
			s.add(threadID, text)
		}
		if host, ok := item.Get(threadHostKey); ok {
			s.add(threadOn, host.AsString())
		}
	}
	if word := r.roleOf(item, resource); word != "" {
		s.add(role, word)
	}
	s.addFile(item, &at)
	return Process(s.all)
}

// processOf returns the id of an item's process or thread, or 0.
func processOf(item, resource pcommon.Map) uint64 {
	for _, key := range [...]string{processIDKey, ThreadIDKey} {
		if pid, ok := item.Get(key); ok {
			return processID(pid)
		}
	}
	if pid, ok := resource.Get(processIDKey); ok {
		return processID(pid)
	}
	return 0
}

// roleOf returns the role that a file's path, or else the names of a span, its thread or its resource state. What states two
// roles states none.
func (r *Rule) roleOf(item, resource pcommon.Map) string {
	if len(r.Roles) == 0 {
		return ""
	}
	for _, key := range [...]string{FilePathKey, fileNameKey, roleKey, threadLabelKey} {
		if word := r.roleIn(attributes.Text(item, key)); word != "" {
			return word
		}
	}
	for _, key := range [...]string{instanceKey, "k8s.pod.name", hostKey, serviceKey} {
		if word := r.roleIn(attributes.Text(resource, key)); word != "" {
			return word
		}
	}
	return ""
}

func (r *Rule) roleIn(text string) string {
	found := ""
	lower := strings.ToLower(text)
	for _, word := range r.Roles {
		if strings.Contains(lower, word) {
			if found != "" {
				return ""
			}
			found = word
		}
	}
	return found
}

// addFile adds what the log file of an item states. Files of one path in two places differ.
func (s *statements) addFile(item pcommon.Map, at *place) {
	filePath := attributes.Text(item, FilePathKey)
	if filePath == "" {
		return
	}
	directory, name := path.Split(strings.ReplaceAll(filePath, "\\", "/"))
	directory = strings.TrimRight(directory, "/")
	parts := strings.Split(directory, "/")
	for _, part := range append(parts[max(0, len(parts)-maxNamed+1):], strings.TrimSuffix(name, path.Ext(name))) {
		if part != "" {
			s.add(named, part)
		}
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(name, path.Ext(name)), "_") {
		if strings.ContainsFunc(word, unicode.IsLetter) && strings.ContainsFunc(word, unicode.IsDigit) {
			s.add(named, word) // mixed-0 of fastdeploy_mixed-0_trace.log
		}
	}
	// A runtime archives its logs into folders of one day.
	for directory != "" && !strings.ContainsFunc(path.Base(directory), unicode.IsLetter) {
		directory = strings.TrimRight(path.Dir(directory), "/.")
	}
	s.add(folder, at.container, at.pod, at.host, directory)
	s.add(file, at.container, at.pod, at.host, filePath)
	if from := attributes.Text(item, sourceKey); from != "" {
		name = from
	}
	s.add(source, name)
}

// maxNamed is how many parts of a path can name an instance: the last.
const maxNamed = 4

// place is where a process runs, as far as it is known.
type place struct{ container, pod, host string }

// containerInstance returns the instance id that Kubernetes' metadata give to all of a container. What states it beside
// an id of an SDK's own would look like another process.
func containerInstance(resource pcommon.Map) string {
	pod := attributes.Text(resource, "k8s.pod.name")
	if pod == "" {
		return ""
	}
	return attributes.Text(resource, "k8s.namespace.name") + "." + pod + "." + attributes.Text(resource, "k8s.container.name")
}

func placeOf(resource pcommon.Map) place {
	var p place
	p.pod, _ = text(resource, "k8s.pod.uid")
	if id, ok := text(resource, "container.id"); ok {
		p.container = id
	} else if name, ok := text(resource, "k8s.container.name"); ok && p.pod != "" {
		p.container = p.pod + "/" + name
	}
	if host, ok := text(resource, hostKey); ok && !strings.HasPrefix(host, "localhost") {
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

// Evidence is what two items have in common that shows that they come from one process or from its parts.
type Evidence uint8

// The kinds of Evidence, as bits, the most certain last.
const (
	SamePod Evidence = 1 << iota
	SameFolder
	SameFile
	SameRole
	SameContainer
	SameThread // the same number of a process or thread, wherever it runs
	SameProcess
)

// evidenceNames are what reports call each kind of Evidence, after what a key alone is called.
var evidenceNames = [...]string{"key", "pod", "folder", "file", "role", "container", "thread", "process"}

// String returns the name of the last kind, which is the most certain one.
func (e Evidence) String() string { return evidenceNames[bits.Len8(uint8(e))] }

// IsCertain reports whether the process of a line is of a trace, so that it shows where the process writes.
func (e Evidence) IsCertain() bool { return e&(SameThread|SameProcess) != 0 }

// With compares what two items state. It returns what agrees, and whether the rest contradicts that both are one process.
// Other process ids or hosts are no contradiction of an equal statement: an instance can have several processes, and a
// pod's host has two names.
func (p Process) With(other Process) (same Evidence, contradicts bool) {
	placed := p.find(processAt) != "" && other.find(processAt) != ""
	mayDiffer := false
	for i := 0; i+statementSize <= len(p); i += statementSize {
		statement := p[i : i+statementSize]
		kind := statement[0]
		theirs := other.find(kind)
		if kind == named && other.has(statement) {
			same |= SameProcess
		}
		if theirs == "" || kind == named || kind == threadID && placed {
			continue
		}
		equal := theirs == statement
		switch kind {
		case instance, container, pod, role:
			contradicts = contradicts || !equal
		case hostName, processAt:
			mayDiffer = mayDiffer || !equal
		}
		if equal {
			same |= evidenceOf[kind]
		}
	}
	return same, contradicts || mayDiffer && same&^SameRole == 0
}

// evidenceOf is the evidence of an equal statement of a kind.
var evidenceOf = map[byte]Evidence{
	instance: SameProcess, processAt: SameProcess, threadID: SameThread, container: SameContainer, pod: SamePod,
	role: SameRole, folder: SameFolder, file: SameFile,
}

// find returns the first statement of a kind, or "".
func (p Process) find(kind byte) Process {
	for i := 0; i+statementSize <= len(p); i += statementSize {
		if p[i] == kind {
			return p[i : i+statementSize]
		}
	}
	return ""
}

func (p Process) has(statement Process) bool {
	for i := 0; i+statementSize <= len(p); i += statementSize {
		if p[i:i+statementSize] == statement {
			return true
		}
	}
	return false
}

// agree reports whether two processes make an equal statement of a kind, and differ whether their statements differ.
func (p Process) agree(other Process, kind byte) bool {
	return p.find(kind) != "" && p.find(kind) == other.find(kind)
}

func (p Process) differ(other Process, kind byte) bool {
	return p.find(kind) != "" && other.find(kind) != "" && p.find(kind) != other.find(kind)
}

// HasFile reports whether a line states the file that it is from.
func (p Process) HasFile() bool { return p.find(folder) != "" }

// HasThread reports whether the threads of a trace can show that it is of a process.
func (p Process) HasThread() bool { return p.find(processAt) != "" || p.find(threadID) != "" }

// kept returns a process without what only a span is compared with.
func (p Process) kept() Process {
	var all []byte
	for i := 0; i+statementSize <= len(p); i += statementSize {
		if p[i] != named {
			all = append(all, p[i:i+statementSize]...)
		}
	}
	return Process(all)
}
