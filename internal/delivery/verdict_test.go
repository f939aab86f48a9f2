// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kerr"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/multierr"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// overHTTP is what the otlp_http exporter returns for a status that it does not retry.
func overHTTP(code codes.Code, http int) error {
	return consumererror.NewPermanent(status.Errorf(code, "request to http://backend responded with HTTP Status Code %d, Message=, Details=[]", http))
}

func overGRPC(code codes.Code, message string) error {
	return consumererror.NewPermanent(status.Error(code, message))
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want Verdict
	}{
		{"no error", nil, ForNow},
		{"no answer", errNow, ForNow},
		{"429 and 503", status.Error(codes.Unavailable, "HTTP Status Code 503"), ForNow},
		{"nothing said, as by remote write", errEver, Unsaid},
		{"400", overHTTP(codes.InvalidArgument, 400), Bad},
		{"413", overHTTP(codes.Unknown, 413), Bad},
		{"422", overHTTP(codes.Unknown, 422), Bad},
		{"401", overHTTP(codes.Unauthenticated, 401), State},
		{"403", overHTTP(codes.PermissionDenied, 403), State},
		{"404", overHTTP(codes.Unimplemented, 404), State},
		{"408", overHTTP(codes.Unknown, 408), State},
		{"500", overHTTP(codes.Unknown, 500), State},
		{"501", overHTTP(codes.Unknown, 501), State},
		{"InvalidArgument", overGRPC(codes.InvalidArgument, "bad"), Bad},
		{"Unimplemented", overGRPC(codes.Unimplemented, "unknown service"), State},
		{"Internal", overGRPC(codes.Internal, "panic"), State},
		{"a quota", overGRPC(codes.ResourceExhausted, "quota"), State},
		{"too large", overGRPC(codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 4)"), Bad},
		{"OutOfRange, which exporters try again", status.Error(codes.OutOfRange, "too old"), Unsaid},
		{"Kafka, too large", consumererror.NewPermanent(fmt.Errorf("topic: %w", kerr.MessageTooLarge)), Bad},
		{"Kafka, rights", consumererror.NewPermanent(fmt.Errorf("topic: %w", kerr.TopicAuthorizationFailed)), State},
		{"Kafka, away", fmt.Errorf("topic: %w", kerr.NotLeaderForPartition), ForNow},
		{"as exporterhelper wraps it", fmt.Errorf("not retryable error: %w", overHTTP(codes.InvalidArgument, 400)), Bad},
		{"with the data", consumererror.NewTraces(overHTTP(codes.InvalidArgument, 400), ptrace.NewTraces()), Bad},
		{"one of two can accept it", multierr.Append(errEver, errNow), ForNow},
		{"the same, wrapped", fmt.Errorf("not retryable error: %w", errors.Join(errEver, errNow)), ForNow},
		{"all parts refused", consumererror.NewPermanent(errors.Join(status.Error(codes.InvalidArgument, "a"), status.Error(codes.InvalidArgument, "b"))), Bad},
		{"one part for a state", consumererror.NewPermanent(errors.Join(status.Error(codes.InvalidArgument, "a"), status.Error(codes.Internal, "b"))), State},
	} {
		assert.Equal(t, test.want, Judge(test.err), test.name)
	}
}

func TestTooLarge(t *testing.T) {
	for _, err := range []error{
		overHTTP(codes.Unknown, 413), kerr.MessageTooLarge, kerr.RecordListTooLarge, errors.New("http: request body too large"),
		status.Error(codes.ResourceExhausted, "grpc: received message larger than max (9 vs. 4)"),
	} {
		assert.True(t, TooLarge(err), "%v", err)
	}
	assert.False(t, TooLarge(overHTTP(codes.InvalidArgument, 400)))
}
