package rendezvousexporter

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// verdict is what became of items at an endpoint.
type verdict int

const (
	// taken: the endpoint answered that it has them.
	taken verdict = iota
	// refused: the endpoint answered that it will never take them.
	refused
	// busy: the endpoint lives and does not take them now. They wait for it, unless it
	// says so for long.
	busy
	// timeout: nobody knows whether the endpoint took them. Sent to another they would
	// come twice just as likely as sent to it again, and it may notice that they do.
	timeout
	// away: there is no endpoint that answers. Another takes them at once.
	away
)

// The values of the metrics' label cause.
var causes = map[verdict]string{busy: "busy", timeout: "timeout", away: "away"}

// reply is what came of sending items to an endpoint.
type reply struct {
	verdict verdict
	err     error         // nil when they were taken
	reason  string        // of err, a gRPC status code
	delay   time.Duration // that the endpoint asked for

	answered bool // by the endpoint
	unsure   bool // they were sent, and no answer came
	gone     bool // the caller left, which says nothing of the endpoint

	// Items that the endpoint did not take although it took the others, and what it said.
	rejected int
	message  string
}

// judge reads a failed call. Unavailable alone does not tell a gateway that is away from
// one whose memory limiter refuses or whose queue is full: it is what a stock receiver
// answers then. Whether the call went out and was answered does. Nor does a code that
// cannot be retried mean a refusal by itself: gRPC makes them of streams that a proxy
// resets, and of credentials that could not be had.
func judge(err error, sent, answered bool) reply {
	s := status.Convert(err)
	info, delay := retryInfo(s)
	r := reply{
		err:      err,
		reason:   s.Code().String(),
		delay:    delay,
		answered: answered,
		unsure:   sent && !answered,
	}
	switch code := s.Code(); {
	case answered && retryable(code, info):
		r.verdict = busy
	case answered:
		r.verdict = refused
	case code == codes.Unavailable, code == codes.DeadlineExceeded && !sent:
		r.verdict = away
	case sent, code == codes.Canceled:
		r.verdict = timeout
	default:
		r.verdict = busy
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
