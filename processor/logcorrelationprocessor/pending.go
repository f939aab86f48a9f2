package logcorrelationprocessor

import (
	"context"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
)

// pending is what is to be done about a batch when the next component has accepted the
// rest of it, or refused it: then its sender sends all of it again.
type pending struct {
	claimed []xxh3.Uint128 // for not being duplicates
	held    []*held
}

type pendingKey struct{}

// pendingOf returns nil where nothing is to be done.
func pendingOf(ctx context.Context) *pending {
	p, _ := ctx.Value(pendingKey{}).(*pending)
	return p
}

// outer is the processor as the pipeline sees it, where it remembers or holds records.
type outer struct {
	processor.Logs
	deduplicator *deduplicator // nil: records that come twice stay
	keeper       *keeper       // nil: nothing is held
}

// ConsumeLogs does a batch and passes it on.
func (o outer) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	p := &pending{}
	if err := o.Logs.ConsumeLogs(context.WithValue(ctx, pendingKey{}, p), ld); err != nil {
		if o.deduplicator != nil {
			// They must not be taken for their own duplicates.
			o.deduplicator.memory.forget(p.claimed)
		}
		return err
	}
	if o.keeper != nil {
		o.keeper.hold(ctx, p.held)
	}
	return nil
}
