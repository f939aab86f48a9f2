package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
)

// snapshotKey is the snapshot's key in the storage.
const snapshotKey = "series"

// openStorage returns the client of the configured storage extension.
func (p *cardinalityProcessor) openStorage(ctx context.Context, host component.Host) (storage.Client, error) {
	extension, err := serviceextension.FindStorage(host, *p.config.Storage)
	if err != nil {
		return nil, err
	}
	opened, err := extension.GetClient(ctx, component.KindProcessor, p.id, "")
	if err != nil {
		// Each pipeline has a processor of its own, all under one name.
		return nil, fmt.Errorf("storage: must be of one pipeline only: name the processor of another %s/other (got %q): %w", p.id.Type(), p.config.Storage, err)
	}
	return opened, nil
}

// load restores the series of the last shutdown. A snapshot serves once: should
// this process be killed, then what it has sent since is in none, and the next one
// must not count from there.
func (p *cardinalityProcessor) load(ctx context.Context) {
	data, err := p.storage.Get(ctx, snapshotKey)
	if err == nil && data == nil {
		return
	}
	err = errors.Join(err, p.storage.Delete(ctx, snapshotKey))
	var s *snapshot
	if err == nil {
		s, err = decodeSnapshot(data)
	}
	if err == nil && s.Rules != p.rules {
		p.logger.Info("Series start anew, since the settings that tell them apart have changed")
		return
	}
	if err == nil {
		err = p.restore(s)
	}
	if err != nil {
		p.logger.Warn("Series start anew, since what was stored of them cannot be read", zap.Error(err))
		p.forget()
	}
}

// save stores the series.
func (p *cardinalityProcessor) save(ctx context.Context) error {
	data, err := p.state().encode()
	if err != nil {
		return err
	}
	return p.storage.Set(ctx, snapshotKey, data)
}
