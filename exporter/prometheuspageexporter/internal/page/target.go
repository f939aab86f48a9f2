package page

import (
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/reason"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// TargetName is the metric with the attributes of resources.
const TargetName = "target_info"

// Target shows what is known of a target: its job and instance, which identity is of, and the
// other attributes of its resource, which the sealed labels have too. A target has one series,
// so that others can be joined with it: the last one that came.
func (p *Page) Target(identity, key labels.Key, set *labels.Set, now time.Time) reason.Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.targets[identity]
	if before != nil && before.key == key {
		before.updated = now
		return reason.Shown
	}
	if before != nil {
		p.remove(before) // and gives its place
	}
	point := Point{
		Name: TargetName, Help: "Target metadata", Kind: dto.MetricType_GAUGE,
		Key: key, Labels: set, Shape: Shape{Lines: 1},
	}
	s, why := p.put(&point, now, func(*sample.Stream) (*dto.Metric, reason.Reason) {
		return &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(1)}}, reason.Shown
	})
	if why != reason.Shown {
		return why
	}
	delete(p.targets, s.target) // whose labels are the same, by what was not UTF-8
	s.target = identity
	p.targets[identity] = s
	return reason.Shown
}
