package page

import (
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/reason"
)

// Target shows what is known of a target: its job and instance, which identity is of, and the
// other attributes of its resource, which the sealed labels have too. A target has one series,
// so that others can be joined with it: the last one that came.
func (p *Page) Target(identity, key labels.Key, set *labels.Set, now time.Time) reason.Reason {
	const name, help = "target_info", "Target metadata"
	if s := p.targets[identity]; s != nil && s.key == key && s.at != hidden {
		s.updated = now
		return reason.Shown
	}
	f, why := p.Family(name, dto.MetricType_GAUGE, help)
	if why != reason.Shown {
		return why
	}
	s, why := p.Series(f, key, set)
	if why != reason.Shown {
		return why
	}
	// The one before leaves first, so that its place is free.
	if before := p.targets[identity]; before != nil && before != s {
		p.remove(before)
		// The family may have gone with it.
		if f, why = p.Family(name, dto.MetricType_GAUGE, help); why != reason.Shown {
			return why
		}
		s.family = f
	}
	c, why := p.Fits(s, Shape{Lines: 1})
	if why != reason.Shown {
		return why
	}
	s.target = identity
	p.Show(s, &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(1)}}, c, now)
	p.targets[identity] = s
	return reason.Shown
}
