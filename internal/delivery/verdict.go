// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"errors"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Verdict is what an error says about the data that was not accepted.
type Verdict uint8

// The verdicts, from the one that says least against the data.
const (
	// ForNow means that the exporter itself would try again.
	ForNow Verdict = iota
	// State means that the exporter gives up because of the state of the next hop or of its settings, such as
	// credentials, a route, or an internal error. The same data can be accepted later.
	State
	// Unsaid means that the exporter gives up, and nothing says why.
	Unsaid
	// Bad means that the next hop refuses this very request.
	Bad
)

// Judge returns the verdict of an error. Of joined errors, the one that says least against the data counts.
func Judge(err error) Verdict {
	for permanent := false; err != nil; {
		if parts, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // goes through the tree itself
			least := Bad
			for _, part := range parts.Unwrap() {
				if permanent {
					part = consumererror.NewPermanent(part)
				}
				least = min(least, Judge(part))
			}
			return least
		}
		inner := errors.Unwrap(err)
		if consumererror.IsPermanent(err) && !consumererror.IsPermanent(inner) {
			permanent = true
		}
		switch cause := err.(type) { //nolint:errorlint // goes through the chain itself
		case interface{ GRPCStatus() *status.Status }:
			return ofStatus(cause.GRPCStatus(), permanent)
		case *kerr.Error:
			return ofKafka(cause, permanent)
		}
		if inner == nil && permanent {
			return Unsaid
		}
		err = inner
	}
	return ForNow
}

// ofStatus judges a status of gRPC. The otlp_http exporter has one too, with the status of HTTP in its message.
func ofStatus(s *status.Status, permanent bool) Verdict {
	overHTTP := func(code string) bool { return strings.Contains(s.Message(), "HTTP Status Code "+code) }
	switch code := s.Code(); {
	case code == codes.OutOfRange:
		return Unsaid // exporters try it again, and the next hop will hardly change its mind
	case !permanent:
		return ForNow
	case code == codes.InvalidArgument,
		code == codes.ResourceExhausted && TooLarge(s.Err()),
		overHTTP("413"), overHTTP("422"):
		return Bad
	}
	return State
}

func ofKafka(err *kerr.Error, permanent bool) Verdict {
	switch {
	case !permanent:
		return ForNow
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge),
		errors.Is(err, kerr.InvalidRecord), errors.Is(err, kerr.InvalidTimestamp):
		return Bad
	}
	return State
}

// TooLarge reports whether an error says that a request is too large, so that a part of it may be accepted.
func TooLarge(err error) bool {
	text, says := strings.ToLower(err.Error()), []string{"too large", "too_large", "larger than max", "max_decoded_mib", "http status code 413"}
	return slices.ContainsFunc(says, func(part string) bool { return strings.Contains(text, part) })
}

// Refused reports whether an exporter gave up for a reason that is not the state of the next hop, so that a retry
// cannot succeed.
func Refused(err error) bool { return consumererror.IsPermanent(err) && Judge(err) >= Unsaid }

// The errors by which an exporter tells readiness that none of its endpoints ever connected. They are in the error of
// a component status.
var (
	// ErrUnreachable means that no endpoint answers: it is not there yet, or cannot be reached.
	ErrUnreachable = errors.New("none of the endpoints ever connected")
	// ErrMisconfigured means that an endpoint answers and the settings do not fit, such as those of TLS.
	ErrMisconfigured = errors.New("none of the endpoints ever connected, and the settings of the connection do not fit")
)
