// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/poison"
	"github.com/otelcol-tc/otelcol-tc/extension/wirelimitsextension/internal/wire"
)

// Start implements component.Component. It opens the journal before receivers start. If that fails, the
// collector runs without a journal.
func (m *middleware) Start(ctx context.Context, _ component.Host) error {
	if m.config.Directory == "" {
		return nil
	}
	journal, died, err := poison.Open(m.config.Directory, m.set.BuildInfo.Version, m.set.TelemetrySettings)
	if err != nil {
		m.logger.Error("directory: cannot record which requests are handled. A request that kills the process will not be set aside.", zap.Error(err))
		return nil
	}
	m.journal = journal
	m.telemetry.WireLimitsUnfinishedRequests.Add(ctx, int64(died))
	if died > 0 {
		m.logger.Warn("The process died while it handled requests. If they arrive again, they are handled one at a time, and set aside after the third death.",
			zap.Int("requests", died))
	}
	return nil
}

// handled is a request that is about to be handled.
type handled struct {
	signal    wire.Signal
	transport string
	extension string // of the file if it is set aside
}

// enter adds a request to the journal, or returns a refusal.
func (m *middleware) enter(ctx context.Context, h handled, f poison.Fingerprint, bytes func() []byte) (*poison.Entry, *refusal) {
	entry, verdict := m.journal.Begin(ctx, f)
	switch verdict {
	case poison.Later:
		return nil, &refusal{"suspect", "suspect: the process died while it handled this request; another such request is being handled", codes.Unavailable}
	case poison.Poison:
		if err := m.setAside(ctx, h, f, bytes); err != nil {
			m.logger.Error("A request that kills the process cannot be written to a file. Its client will send it again.", zap.Error(err))
			return nil, &refusal{"poison", "poison: the process died each time that it handled this request; it cannot be set aside now", codes.Unavailable}
		}
		return nil, &refusal{"poison", "poison: the process died each time that it handled this request; it was set aside", codes.InvalidArgument}
	}
	return entry, nil
}

// setAside writes a request to a file, once.
func (m *middleware) setAside(ctx context.Context, h handled, f poison.Fingerprint, bytes func() []byte) error {
	path, err := m.journal.SetAside(time.Now(), f, h.signal.String(), h.extension, bytes)
	if path == "" {
		return err
	}
	m.telemetry.WireLimitsSetAsideRequests.Add(ctx, 1, metric.WithAttributes(
		attribute.String("signal", h.signal.String()), attribute.String("transport", h.transport)))
	m.logger.Error("A request was set aside, since the process died each time that it handled it. It is not handled any more.",
		zap.String("file", path), zap.NamedError("older files", err))
	return nil
}

// final reports whether the client does not send a request again after a status code.
func final(code codes.Code) bool {
	switch code {
	case codes.OK, codes.InvalidArgument, codes.Internal, codes.Unknown, codes.NotFound,
		codes.AlreadyExists, codes.FailedPrecondition, codes.Unimplemented:
		return true
	default: // the request can be retried, or was refused before it was handled, as without a token
		return false
	}
}
