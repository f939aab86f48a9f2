package wirelimitsextension

import "sync"

// inFlight adds up what the requests take that are being decoded and processed. It is safe
// for concurrent use.
type inFlight struct {
	limit int // 0 is none

	mu  sync.Mutex
	sum int // guarded by mu

	// What has come of a message over gRPC lies in memory as well, and nobody is told of it
	// before it is whole. So it is the messages that are coming, as long as they were of
	// late. Both guarded by mu.
	coming, usual int
}

// usualOf is of how many messages their usual length is, more or less.
const usualOf = 8

// begin notes that a message is coming.
func (f *inFlight) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.coming++
}

// end notes that it has come whole or never will. The length is 0 unless it was
// accepted, or may come again.
func (f *inFlight) end(length int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.coming--
	if length > 0 {
		f.usual += (length - f.usual) / usualOf
	}
}

// reserved returns what the messages that are coming are expected to take: at most half of
// the limit, since calls that send nothing cost their client nothing. The caller holds mu.
func (f *inFlight) reserved() int {
	return min(f.coming*f.usual, f.limit/2)
}

// total returns what all requests take now.
func (f *inFlight) total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sum
}

// share is what one request takes. It is not safe for concurrent use.
type share struct {
	of   *inFlight
	held int
}

// grow makes the share so large, if the limit allows it, or gives it back as a whole: of
// two requests that are half in, and have no room together, one goes on. A request that is
// alone always has room.
func (s *share) grow(size int) bool {
	if size <= s.held {
		return true
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	others := s.of.sum - s.held
	fits := s.of.limit == 0 || others == 0 || others+size+s.of.reserved() <= s.of.limit
	if !fits {
		size = 0
	}
	s.of.sum, s.held = others+size, size
	return fits
}

// release gives the share back. It may be called more than once.
func (s *share) release() {
	if s.held == 0 {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.sum -= s.held
	s.held = 0
}
