// SPDX-License-Identifier: Apache-2.0

package health

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Verdict is the outcome of sending items to an endpoint.
type Verdict int

// The possible outcomes.
const (
	// Accepted: the endpoint accepted the items.
	Accepted Verdict = iota
	// Refused: the endpoint refused the items permanently.
	Refused
	// Busy: the endpoint is up and does not accept the items now. They wait for it, unless it stays busy
	// for long.
	Busy
	// Timeout: it is unknown whether the endpoint accepted the items. A retry can duplicate them at any
	// endpoint, but only the same endpoint can recognise duplicates.
	Timeout
	// Away: the endpoint does not answer. The items go to another endpoint at once.
	Away
)

// String returns the value of the metrics' label cause.
func (v Verdict) String() string {
	return [...]string{"taken", "refused", "busy", "timeout", "away"}[v]
}

// Reply is the result of sending items to an endpoint.
type Reply struct {
	Verdict Verdict
	Err     error         // nil if the items were accepted
	Reason  string        // gRPC status code of Err
	Delay   time.Duration // requested by the endpoint

	Answered  bool // the endpoint answered
	Unsure    bool // the items were sent, and no answer came
	Cancelled bool // the caller cancelled, which says nothing about the endpoint

	// Rejected is the number of items that the endpoint rejected although it accepted the rest, and
	// Message is its explanation.
	Rejected int
	Message  string
}

// Judge returns the reply for a failed call. The code Unavailable has several causes: the gateway is away,
// its memory limiter refuses data, or its queue is full. Whether the call was sent and answered
// distinguishes them. Similarly, a code that is not retryable is no refusal by itself: gRPC also uses such
// codes when a proxy resets a stream or credentials are missing.
func Judge(err error, sent, answered bool) Reply {
	s := status.Convert(err)
	info, delay := retryInfo(s)
	r := Reply{
		Err:      err,
		Reason:   s.Code().String(),
		Delay:    delay,
		Answered: answered,
		Unsure:   sent && !answered,
	}
	switch code := s.Code(); {
	case answered && retryable(code, info):
		r.Verdict = Busy
	case answered:
		r.Verdict = Refused
	case code == codes.Unavailable, code == codes.DeadlineExceeded && !sent:
		r.Verdict = Away
	case sent, code == codes.Canceled:
		r.Verdict = Timeout
	default:
		r.Verdict = Busy
	}
	return r
}

// retryable returns true for the retryable codes of the OTLP specification, and for credential errors:
// during a rotation, a gateway will accept the credentials later.
func retryable(code codes.Code, info bool) bool {
	switch code {
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss,
		codes.Unauthenticated, codes.PermissionDenied:
		return true
	case codes.ResourceExhausted:
		return info
	}
	return false
}

// maxDelay limits the delay that an endpoint may ask for, so that one answer cannot block a batch and a
// queue consumer for hours.
const maxDelay = time.Minute

func retryInfo(s *status.Status) (found bool, delay time.Duration) {
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return true, min(info.GetRetryDelay().AsDuration(), maxDelay)
		}
	}
	return false, 0
}
