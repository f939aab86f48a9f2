// SPDX-License-Identifier: Apache-2.0

package holding

import (
	"context"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

// process releases and delivers a batch.
func (q *Queue[T]) process(ctx context.Context, batch []*item[T]) {
	all := values(batch)
	err := ctx.Err()
	if err == nil {
		q.notifyRelease(ctx, batch, all)
		err = q.deliver(ctx, all)
	}
	bytes := 0
	for _, i := range batch {
		bytes += i.bytes
	}
	q.mu.Lock()
	q.releasedSize.add(-len(batch), -bytes)
	q.mu.Unlock()
	if err == nil {
		return
	}
	if !delivery.Refused(err) {
		q.lost += len(all)
		if q.lostErr == nil {
			q.lostErr = err
		}
	}
	q.options.Lost(len(all), err)
}

// notifyRelease calls Options.Release for each run of values with the same reason.
func (q *Queue[T]) notifyRelease(ctx context.Context, batch []*item[T], all []T) {
	first := 0
	for n, i := range batch {
		if n+1 == len(batch) || batch[n+1].why != i.why {
			q.options.Release(ctx, all[first:n+1], i.why)
			first = n + 1
		}
	}
}

// deliver repeats a delivery until it is accepted or refused permanently, or ctx ends.
func (q *Queue[T]) deliver(ctx context.Context, all []T) error {
	err := q.options.Deliver(ctx, all)
	if err == nil || delivery.Refused(err) {
		return err
	}
	if q.options.Waits != nil {
		q.options.Waits(err)
	}
	return delivery.Retry(ctx, err, q.stop, func() error { return q.options.Deliver(ctx, all) })
}
