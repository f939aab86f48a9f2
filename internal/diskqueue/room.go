// SPDX-License-Identifier: Apache-2.0

package diskqueue

// Empty reports whether the queue has no records.
func (q *Queue) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.segments) == 0
}

// Room returns the error that Append would return at this moment for want of room, for a payload of some
// bytes: ErrFull, ErrNoSpace, or nil.
func (q *Queue) Room(payloadBytes int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.admit(headerBytes + int64(payloadBytes))
}
