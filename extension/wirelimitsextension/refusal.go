// SPDX-License-Identifier: Apache-2.0

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
	// logEvery is the minimum time between log entries of refused requests.
	logEvery = time.Minute
	// retryDelay is when a client can send a refused request again. By then, the requests in
	// flight have ended. HTTP has only whole seconds.
	retryDelay = time.Second
)

// refusal is why a request is refused, and the response to the client.
type refusal struct {
	rule   string // the value of the attribute
	answer string
	code   codes.Code
}

// violation returns the refusal of a request that is refused each time, so clients do not send
// it again.
func (m *middleware) violation(broken wire.Rule) *refusal {
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

// busy returns the refusal of a request that exceeds the memory of concurrent requests.
func (m *middleware) busy() *refusal {
	return &refusal{"max_in_flight_mib", fmt.Sprintf("max_in_flight_mib: requests must not take more than %d MiB together", m.config.MaxInFlightMib), codes.Unavailable}
}

// late returns the refusal of a request that was not received in time.
func (m *middleware) late() *refusal {
	return &refusal{"read_timeout", fmt.Sprintf("read_timeout: a request must be received completely within %s", m.config.ReadTimeout), codes.Canceled}
}

// slow is the refusal of an HTTP request whose body exceeded the receiver's read_timeout. The
// receiver would respond with 400, after which clients drop the data.
var slow = &refusal{"read_timeout", "read_timeout: the body was not received in time", codes.Unavailable}

// refuse counts and logs a refused request, and returns the error for its client.
func (m *middleware) refuse(ctx context.Context, r *refusal, transport, client string) error {
	m.telemetry.WireLimitsRefusedRequests.Add(ctx, 1, metric.WithAttributes(
		attribute.String("rule", r.rule), attribute.String("transport", transport)))
	now, logged := time.Now().UnixNano(), m.logged.Load()
	if now-logged >= int64(logEvery) && m.logged.CompareAndSwap(logged, now) {
		m.logger.Warn("A request was refused. During the next minute, refused requests are only counted, by otelcol_wire_limits_refused_requests.",
			zap.String("reason", r.answer), zap.String("transport", transport), zap.String("client", client))
	}
	return r.err()
}

// err returns the status for the client. Over HTTP, the receiver converts it to 503 with
// Retry-After, or to 400 if the client must not send the request again.
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
