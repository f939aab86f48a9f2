// SPDX-License-Identifier: Apache-2.0

package page

import (
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// TargetName is the name of the metric with the attributes of resources.
const TargetName = "target_info"

// Target shows the attributes of a target's resource. The identity is the key of job and
// instance, and key that of the sealed labels. A target has only one such series, the last one
// received, so that queries can join it with others.
func (p *Page) Target(identity, key labels.Key, set *labels.Set, now time.Time) sample.Reason {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.targets[identity]
	if before != nil && before.key == key {
		before.updated = now
		return sample.Shown
	}
	if before != nil {
		p.remove(before)
	}
	point := Point{
		Name: TargetName, Help: "Target metadata", Kind: dto.MetricType_GAUGE,
		Key: key, Labels: set, Shape: Shape{Lines: 1},
	}
	s, why := p.put(&point, now, func(*sample.Stream) (*dto.Metric, sample.Reason) {
		return &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(1)}}, sample.Shown
	})
	if why != sample.Shown {
		return why
	}
	delete(p.targets, s.target) // another target with the same labels, which differ only in invalid UTF-8
	s.target = identity
	p.targets[identity] = s
	return sample.Shown
}
