package tail

// Reason is why a file that a pattern matches is not read.
type Reason string

// The reasons. Each is a label of a metric.
const (
	NamedPipe   Reason = "named_pipe"
	Socket      Reason = "socket"
	Device      Reason = "device"
	LinkOutside Reason = "link_outside" // a link that leads out of its directory, and into none of the further roots
	LinkLoop    Reason = "link_loop"
	Unreadable  Reason = "unreadable"
	TooMany     Reason = "too_many" // entries of one directory, or files
	Deleted     Reason = "deleted"  // before it was read, with too much room on disk
)

// Reasons are all reasons.
var Reasons = []Reason{NamedPipe, Socket, Device, LinkOutside, LinkLoop, Unreadable, TooMany, Deleted}

// skipped remembers what is skipped, so that each path is reported once.
type skipped struct {
	report    func(path string, reason Reason, err error)
	last, now map[string]Reason
}

func (s *skipped) begin() { s.last, s.now = s.now, map[string]Reason{} }

// add notes a path that is skipped. The error may be nil.
func (s *skipped) add(path string, reason Reason, err error) {
	if s.last[path] != reason && s.now[path] != reason {
		s.report(path, reason, err)
	}
	s.now[path] = reason
}
