// SPDX-License-Identifier: Apache-2.0

package tail

// Reason is why a file that a pattern matches is not read.
type Reason string

// The reasons. Each is the value of a metric attribute.
const (
	NamedPipe   Reason = "named_pipe"
	Socket      Reason = "socket"
	Device      Reason = "device"
	LinkOutside Reason = "link_outside" // the link leads out of its directory, and not into Config.Roots
	LinkLoop    Reason = "link_loop"
	Unreadable  Reason = "unreadable"
	TooMany     Reason = "too_many"  // too many entries in a directory, or too many files
	Deleted     Reason = "deleted"   // deleted before it was read, because it took too much disk space
	Damaged     Reason = "damaged"   // an archive that cannot be decompressed to its end
	TooLarge    Reason = "too_large" // an archive that decompresses to more than is allowed
	Gone        Reason = "gone"      // of the last run, and not there any more, though its directory is
)

// Reasons lists all reasons.
var Reasons = []Reason{NamedPipe, Socket, Device, LinkOutside, LinkLoop, Unreadable, TooMany, Deleted, Damaged, TooLarge, Gone}

// skipped records the skipped paths, so that each is reported once.
type skipped struct {
	report    func(path string, reason Reason, err error)
	last, now map[string]Reason
}

func (s *skipped) begin() { s.last, s.now = s.now, map[string]Reason{} }

// add records a skipped path. The error may be nil.
func (s *skipped) add(path string, reason Reason, err error) {
	if s.last[path] != reason && s.now[path] != reason {
		s.report(path, reason, err)
	}
	s.now[path] = reason
}
