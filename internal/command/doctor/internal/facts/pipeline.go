// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	xpipeline "go.opentelemetry.io/collector/pipeline"
)

// Pipeline is a pipeline of the service, without undeclared components.
type Pipeline struct {
	ID                               xpipeline.ID
	Receivers, Processors, Exporters []*Component
	// Next are the pipelines that receive this pipeline's data unchanged.
	Next []*Pipeline
}

// Path returns the path of a setting of the pipeline.
func (p *Pipeline) Path(setting ...string) []string {
	return Below([]string{"service", "pipelines", p.ID.String()}, setting...)
}

// connect reads the pipelines of the service and connects them.
func (c *Configuration) connect() {
	for _, id := range c.service.Extensions {
		if extension := c.find(Extensions, id); extension != nil {
			extension.Used = true
		} else {
			c.fault([]string{"service", "extensions", id.String()}, "extensions::%s is not declared", id)
		}
	}
	for id, config := range c.service.Pipelines {
		p := &Pipeline{ID: id}
		c.Pipelines = append(c.Pipelines, p)
		if config == nil {
			c.fault(p.Path(), "pipeline %q has no receivers and no exporters", id)
			continue
		}
		if err := config.Validate(); err != nil {
			c.fault(p.Path(), "pipeline %q %v", id, err)
		}
		p.Receivers = c.named(p, Receivers, config.Receivers)
		p.Processors = c.named(p, Processors, config.Processors)
		p.Exporters = c.named(p, Exporters, config.Exporters)
	}
	slices.SortFunc(c.Pipelines, func(a, b *Pipeline) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	for _, p := range c.Pipelines {
		for _, r := range p.Receivers {
			r.feeds = append(r.feeds, p)
		}
		for _, e := range p.Exporters {
			e.fedBy = append(e.fedBy, p)
		}
	}
	for _, p := range c.Pipelines {
		for _, e := range p.Exporters {
			if Forwards(e) {
				p.Next = append(p.Next, e.feeds...)
			}
		}
	}
}

// named returns the components of a pipeline in the order of their names. A connector is a receiver or an exporter.
func (c *Configuration) named(p *Pipeline, section string, ids []component.ID) (found []*Component) {
	for _, id := range ids {
		declared := c.find(section, id)
		if declared == nil && section != Processors {
			declared = c.find(Connectors, id)
		}
		if declared == nil {
			c.fault(p.Path(section, id.String()), "%s::%s in pipeline %q is not declared", section, id, p.ID)
			continue
		}
		declared.Used = true
		found = append(found, declared)
	}
	return found
}

// Forwards reports whether a connector forwards its input. Other connectors create new data. Those of other
// distributions are known by their names.
func Forwards(c *Component) bool {
	return c.Section == Connectors && c.Is("forward", "spillover", "routing", "failover", "roundrobin", "round_robin")
}

// Derived reports whether all data of the pipeline is made by connectors from other data, such as metrics
// from spans. Their sums are in memory, so that a killed process begins again from zero in any case.
func (p *Pipeline) Derived() bool {
	received := func(c *Component) bool { return c.Section != Connectors || Forwards(c) }
	return len(p.Receivers) > 0 && !slices.ContainsFunc(p.Receivers, received)
}

// Reach returns this pipeline and all pipelines that its data reaches. Cycles are possible, because the
// service refuses them only at its start.
func (p *Pipeline) Reach() []*Pipeline {
	reached, seen := []*Pipeline{p}, map[*Pipeline]bool{p: true}
	for i := 0; i < len(reached); i++ {
		for _, next := range reached[i].Next {
			if !seen[next] {
				seen[next] = true
				reached = append(reached, next)
			}
		}
	}
	return reached
}

// Destinations returns the exporters of pipelines, each once.
func Destinations(pipelines []*Pipeline) (all []*Component) {
	seen := map[*Component]bool{}
	for _, p := range pipelines {
		for _, exporter := range p.Exporters {
			if exporter.Section == Exporters && !seen[exporter] {
				seen[exporter] = true
				all = append(all, exporter)
			}
		}
	}
	return all
}

// After returns the processors that the pipeline's data reaches after the one at index.
func (p *Pipeline) After(index int) []*Component {
	behind := slices.Clone(p.Processors[index+1:])
	for _, reached := range p.Reach()[1:] {
		behind = append(behind, reached.Processors...)
	}
	return behind
}
