// SPDX-License-Identifier: Apache-2.0

package page

import (
	"maps"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"
)

// Gather returns all families, sorted by name. The samples belong to the page and must not be
// changed.
func (p *Page) Gather() ([]*dto.MetricFamily, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	families := make([]*dto.MetricFamily, 0, len(p.families))
	for _, name := range slices.Sorted(maps.Keys(p.families)) {
		f := p.families[name]
		if len(f.shown) == 0 {
			continue
		}
		metrics := make([]*dto.Metric, len(f.shown))
		for i, s := range f.shown {
			metrics[i] = s.metric
		}
		families = append(families, &dto.MetricFamily{
			Name: proto.String(f.name), Help: proto.String(f.help), Type: f.kind.Enum(), Metric: metrics,
		})
	}
	return families, nil
}
