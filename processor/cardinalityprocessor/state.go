// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/snapshot"
)

// stateName and ownersName are the names of the snapshots. A snapshot of another format needs another name.
const (
	stateName  = "series"
	ownersName = "owners"
)

// openState opens the state directory, if there is one, and restores the series of the last shutdown.
func (p *cardinalityProcessor) openState() (err error) {
	if p.config.StateDirectory == "" {
		return nil
	}
	// A snapshot that is deleted must not come back, or its values would count twice.
	p.state, err = statefile.Open(statefile.Settings{Path: p.config.StateDirectory, Sync: true, Telemetry: p.set})
	if err != nil {
		// The collector creates a processor for each pipeline, all with the same settings.
		return fmt.Errorf("state_directory: must be used in one pipeline only: name the processor of another %s/other: %w", p.id.Type(), err)
	}
	if err := p.loadOwners(); err != nil {
		p.set.Logger.Warn("Owners start anew: the stored snapshot cannot be read", zap.Error(err))
	}
	if err := p.load(); err != nil {
		p.set.Logger.Warn("Series start anew: the stored snapshot cannot be read", zap.Error(err))
		p.store.Reset()
	}
	return nil
}

// take returns a snapshot of the last shutdown, or nil, and deletes it: if this process is killed, the snapshot is out
// of date and the next process must not use it.
func (p *cardinalityProcessor) take(name string) ([]byte, error) {
	data, err := p.state.Read(name)
	if err == nil && data == nil {
		return nil, nil
	}
	return data, errors.Join(err, p.state.Remove(name))
}

// loadOwners restores the owners of the last shutdown.
func (p *cardinalityProcessor) loadOwners() error {
	data, err := p.take(ownersName)
	if err != nil || data == nil {
		return err
	}
	return p.tracker.Decode(data, time.Now())
}

// load restores the series of the last shutdown.
func (p *cardinalityProcessor) load() error {
	data, err := p.take(stateName)
	if err != nil || data == nil {
		return err
	}
	state, err := snapshot.Decode(data)
	if err != nil {
		return err
	}
	r := p.user.Current()
	if state.Rules != r.hash {
		p.set.Logger.Info("Series start anew: settings that identify series have changed")
		return nil
	}
	if services := state.KeepModes(time.Now(), r.policy.Audit); services > 0 {
		p.set.Logger.Info("Series of services start anew: their mode has changed", zap.Int("services", services))
	}
	return snapshot.Load(p.store, state, r.plans, len(p.config.AttributeLimits))
}

// closeState stores the series.
func (p *cardinalityProcessor) closeState() error {
	if p.state == nil {
		return nil
	}
	return errors.Join(p.save(), p.saveOwners(), p.state.Close())
}

func (p *cardinalityProcessor) saveOwners() error {
	data, err := p.tracker.Encode()
	if err != nil || data == nil {
		return err
	}
	return p.state.Write(ownersName, data)
}

func (p *cardinalityProcessor) save() error {
	r := p.user.Current()
	p.store.ReplanAll(r.plans, r.policy.Audit, time.Now())
	state, err := snapshot.Save(p.store, r.hash)
	if err != nil {
		return err
	}
	state.SetModes(r.policy.Audit)
	data, err := snapshot.Encode(state)
	if err != nil {
		return err
	}
	return p.state.Write(stateName, data)
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
