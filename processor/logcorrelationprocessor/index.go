package logcorrelationprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// indexing is how records find their spans by key. It is safe for concurrent use after
// Start.
type indexing struct {
	id    component.ID
	index correlation.Index // set by Start
	// looks are the keys of records that belong to a span with the key, and witnesses
	// those of records that stand for the span they were written in. The earlier ones
	// decide.
	looks, witnesses logKeySet
	traceIDs         bool // set by Start: the index knows whole trace ids
	hold             time.Duration
}

// newIndexing returns nil if the settings name no index.
func newIndexing(cfg *Config) (*indexing, error) {
	if cfg.Index == nil {
		return nil, nil
	}
	rules, err := correlation.LoadRules(cfg.Rules, cfg.Packs, cfg.Scope)
	if err != nil {
		return nil, err
	}
	var looks, witnesses []logKey
	for _, rule := range rules {
		looks = append(looks, logKeys(rule, rule.Logs, nil)...)
		if rule.From != nil {
			witnesses = append(witnesses, logKeys(rule, rule.From.Logs, rule.From.Service)...)
		}
	}
	return &indexing{
		id: *cfg.Index, hold: cfg.Hold,
		looks: newLogKeySet(looks), witnesses: newLogKeySet(witnesses),
	}, nil
}

func (x *indexing) start(_ context.Context, host component.Host) error {
	index, err := correlation.Find(host, x.id)
	if err != nil {
		return err
	}
	x.index, x.traceIDs = index, index.TraceIDs()
	return nil
}
