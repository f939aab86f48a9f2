// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/serviceextension"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/snapshot"
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
		// The collector creates a processor for each pipeline, all with the same id.
		return nil, fmt.Errorf("storage: must be used in one pipeline only: name the processor of another %s/other (got %q): %w", p.id.Type(), p.config.Storage, err)
	}
	return opened, nil
}

// load restores the series of the last shutdown. It deletes the snapshot: if this process is
// killed, the snapshot is out of date and the next process must not use it.
func (p *cardinalityProcessor) load(ctx context.Context) {
	data, err := p.storage.Get(ctx, snapshotKey)
	if err == nil && data == nil {
		return
	}
	err = errors.Join(err, p.storage.Delete(ctx, snapshotKey))
	var state *series.State
	if err == nil {
		state, err = snapshot.Decode(data)
	}
	if err == nil && state.Rules != p.rules {
		p.logger.Info("Series start anew: settings that identify series have changed")
		return
	}
	if err == nil {
		if services := state.KeepModes(time.Now(), p.policy.Audit); services > 0 {
			p.logger.Info("Series of services start anew: their mode has changed", zap.Int("services", services))
		}
		err = snapshot.Load(p.store, state, p.plans, len(p.config.AttributeLimits))
	}
	if err != nil {
		p.logger.Warn("Series start anew: the stored snapshot cannot be read", zap.Error(err))
		p.store.Reset()
	}
}

// save stores the series.
func (p *cardinalityProcessor) save(ctx context.Context) error {
	state, err := snapshot.Save(p.store, p.rules)
	if err != nil {
		return err
	}
	state.SetModes(p.policy.Audit)
	data, err := snapshot.Encode(state)
	if err != nil {
		return err
	}
	return p.storage.Set(ctx, snapshotKey, data)
}

// rulesOf returns a hash of all settings that the identities of series depend on.
func rulesOf(cfg *Config, p *policy.Policy) string {
	var ids [][]conventions.AttributeRule
	for _, pack := range p.Packs() {
		ids = append(ids, pack.Attributes)
	}
	type keys struct {
		Metric     string
		Drop, Keep []string
	}
	var overrides []keys
	for _, o := range cfg.Overrides {
		overrides = append(overrides, keys{o.Metric, o.DropAttributes, o.KeepAttributes})
	}
	limited := slices.Sorted(maps.Keys(cfg.AttributeLimits))
	text, err := json.Marshal([]any{cfg.DropAttributes, overrides, limited, ids})
	if err != nil {
		panic(err) // strings, numbers and bools can always be encoded
	}
	return fmt.Sprintf("%016x", xxh3.Hash(text))
}
