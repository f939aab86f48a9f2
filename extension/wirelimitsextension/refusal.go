package wirelimitsextension

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

const (
	// logEvery is how often a refused request is logged at most.
	logEvery = time.Minute
	// retryDelay is when a client that is told to come again may do so. Requests that are
	// in flight are gone by then, and HTTP knows whole seconds only.
	retryDelay = time.Second
)

// refusal is why a request is refused, and what its client is told.
type refusal struct {
	rule   string // the value of the attribute
	answer string
	code   codes.Code
}

// breaks returns the refusal of a request that would hurt whenever it came: clients do not
// try again.
func (m *middleware) breaks(broken wire.Rule) *refusal {
	switch broken {
	case wire.TooDeep:
		return &refusal{"max_depth", fmt.Sprintf("max_depth: messages must not be nested deeper than %d", m.config.MaxDepth), codes.InvalidArgument}
	case wire.TooLarge:
		return &refusal{"max_decoded_mib", fmt.Sprintf("max_decoded_mib: a request must not take more than %d MiB once decoded", m.config.MaxDecodedMib), codes.InvalidArgument}
	case wire.NotUTF8:
		return &refusal{"utf8", "utf8: JSON must be valid UTF-8", codes.InvalidArgument}
	default:
		return &refusal{"json", "json: the request must be valid JSON", codes.InvalidArgument}
	}
}

// busy returns the refusal of a request that came with too many others.
func (m *middleware) busy() *refusal {
	return &refusal{"max_in_flight_mib", fmt.Sprintf("max_in_flight_mib: requests must not take more than %d MiB together", m.config.MaxInFlightMib), codes.Unavailable}
}

// late returns the refusal of a request that did not come whole.
func (m *middleware) late() *refusal {
	return &refusal{"read_timeout", fmt.Sprintf("read_timeout: a request must have come whole after %s", m.config.ReadTimeout), codes.Canceled}
}

// slow is the refusal of a request over HTTP whose body the receiver's own read_timeout cut
// off. The receiver would answer 400, after which clients drop the data.
var slow = &refusal{"read_timeout", "read_timeout: the body did not come whole in time", codes.Unavailable}

// refuse counts a request and returns its answer.
func (m *middleware) refuse(ctx context.Context, r *refusal, transport, client string) error {
	m.telemetry.WireLimitsRefusedRequests.Add(ctx, 1, metric.WithAttributes(
		attribute.String("rule", r.rule), attribute.String("transport", transport)))
	now, logged := time.Now().UnixNano(), m.logged.Load()
	if now-logged >= int64(logEvery) && m.logged.CompareAndSwap(logged, now) {
		m.logger.Warn("A request was refused. Those of the next minute are only counted, by otelcol_wire_limits_refused_requests.",
			zap.String("reason", r.answer), zap.String("transport", transport), zap.String("client", client))
	}
	return r.err()
}

// err is what the client is told. The receiver makes 503 and Retry-After of it over HTTP,
// and 400 where there is nothing to come again for.
func (r *refusal) err() error {
	answer := status.New(r.code, r.answer)
	if r.code != codes.Unavailable {
		return answer.Err()
	}
	again, err := answer.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(retryDelay)})
	if err != nil {
		return answer.Err()
	}
	return again.Err()
}
