// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import "sync"

// inFlight adds up the memory of the requests that are being decoded and processed. It is safe
// for concurrent use.
type inFlight struct {
	limit int // in bytes; 0 means no limit

	mu  sync.Mutex
	sum int // guarded by mu

	// The parts of a gRPC message that have arrived take memory as well, but gRPC reports a
	// message only when it is complete. Messages that are being received therefore count with
	// the typical length of recent messages. Both fields are guarded by mu.
	receiving, typical int
}

// typicalOver is the number of messages over which the typical length is averaged.
const typicalOver = 8

// begin counts a message that is being received.
func (f *inFlight) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.receiving++
}

// end removes a message that is complete or failed. The length is 0 unless the message was
// accepted, or the client may send it again.
func (f *inFlight) end(length int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.receiving--
	if length > 0 {
		f.typical += (length - f.typical) / typicalOver
	}
}

// reserved returns the expected memory of the messages that are being received. It is at most
// half of the limit, because calls that send nothing cost their client nothing. The caller
// holds mu.
func (f *inFlight) reserved() int {
	return min(f.receiving*f.typical, f.limit/2)
}

// total returns the memory of all requests in bytes.
func (f *inFlight) total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sum
}

// share is the memory of one request. It is not safe for concurrent use.
type share struct {
	total *inFlight
	held  int
}

// grow sets the size of the share if the limit allows it. Otherwise it releases the whole
// share: of two partly received requests that do not fit together, one can continue. A single
// request always fits.
func (s *share) grow(size int) bool {
	if size <= s.held {
		return true
	}
	s.total.mu.Lock()
	defer s.total.mu.Unlock()
	rest := s.total.sum - s.held
	fits := s.total.limit == 0 || rest == 0 || rest+size+s.total.reserved() <= s.total.limit
	if !fits {
		size = 0
	}
	s.total.sum, s.held = rest+size, size
	return fits
}

// release releases the share. It can be called more than once.
func (s *share) release() {
	if s.held == 0 {
		return
	}
	s.total.mu.Lock()
	defer s.total.mu.Unlock()
	s.total.sum -= s.held
	s.held = 0
}
