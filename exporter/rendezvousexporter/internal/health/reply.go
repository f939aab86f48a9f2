package health

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Verdict is what became of items at an endpoint.
type Verdict int

// The verdicts.
const (
	// Taken: the endpoint answered that it has them.
	Taken Verdict = iota
	// Refused: the endpoint answered that it will never take them.
	Refused
	// Busy: the endpoint lives and does not take them now. They wait for it, unless it
	// says so for long.
	Busy
	// Timeout: nobody knows whether the endpoint took them. Sent to another they would
	// come twice just as likely as sent to it again, and it may notice that they do.
	Timeout
	// Away: there is no endpoint that answers. Another takes them at once.
	Away
)

// String returns the value of the metrics' label cause.
func (v Verdict) String() string {
	return [...]string{"taken", "refused", "busy", "timeout", "away"}[v]
}

// Reply is what came of sending items to an endpoint.
type Reply struct {
	Verdict Verdict
	Err     error         // nil when they were taken
	Reason  string        // of Err, a gRPC status code
	Delay   time.Duration // that the endpoint asked for

	Answered bool // by the endpoint
	Unsure   bool // they were sent, and no answer came
	Gone     bool // the caller left, which says nothing of the endpoint

	// Items that the endpoint did not take although it took the others, and what it said.
	Rejected int
	Message  string
}

// Judge reads a failed call. Unavailable alone does not tell a gateway that is away from
// one whose memory limiter refuses or whose queue is full: it is what a stock receiver
// answers then. Whether the call went out and was answered does. Nor does a code that
// cannot be retried mean a refusal by itself: gRPC makes them of streams that a proxy
// resets, and of credentials that could not be had.
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

// retryable is the table of OTLP's specification, and credentials: a gateway that does not
// accept them yet, or no longer, while they are changed, will accept those that come.
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

// maxDelay bounds what an endpoint may ask for, so that one answer cannot hold a batch,
// and a consumer of the queue, for hours.
const maxDelay = time.Minute

func retryInfo(s *status.Status) (found bool, delay time.Duration) {
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return true, min(info.GetRetryDelay().AsDuration(), maxDelay)
		}
	}
	return false, 0
}
