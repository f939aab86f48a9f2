// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
)

// counts are what became of the items that a target got.
type counts struct {
	in, out int64
	// hits are log records that got ids, or links that spans got.
	hits int64
}

// mergeText is how many items became one; empty when nobody counts what goes out.
func (c counts) mergeText() string {
	if c.out == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(c.in)/float64(c.out))
}

// hitText is the share of the items that got what they were looked at for.
func (c counts) hitText() string {
	if c.hits == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*float64(c.hits)/float64(c.in))
}

// hitCounters count the hits of one processor or the other.
var hitCounters = []string{"otelcol_span_link_matched{", "otelcol_log_correlation_enriched{"}

// counted asks the target what it made of the items that it got. The last processor of a
// chain counts what goes out; exporters do not.
func (t *target) counted(ctx context.Context, p pipeline) (c counts, err error) {
	from, ok := t.feed.(*sender)
	if !ok || p.last == "" {
		return c, nil
	}
	c.in = from.accepted.Load()
	page, err := scrape(ctx, t.telemetry)
	if err != nil {
		return c, err
	}
	if c.out, err = sumOf(page, fmt.Sprintf("otelcol_processor_outgoing_items{otel_signal=%q,processor=%q", from.load.signal, p.last)); err != nil {
		return c, err
	}
	for _, counter := range hitCounters {
		hits, sumErr := sumOf(page, counter)
		c.hits += hits
		err = errors.Join(err, sumErr)
	}
	return c, err
}
