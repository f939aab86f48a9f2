// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	xpipeline "go.opentelemetry.io/collector/pipeline"
)

// pipeline is a pipeline of the service, without undeclared components.
type pipeline struct {
	id                               xpipeline.ID
	receivers, processors, exporters []declared

	// next are the pipelines that receive this pipeline's data unchanged.
	next []*pipeline
}

// path returns the path of a setting of the pipeline.
func (p *pipeline) path(setting ...string) []string {
	return below([]string{"service", "pipelines", p.id.String()}, setting...)
}

// connect reads the pipelines of the service and connects them.
func (c *configuration) connect() {
	var (
		receiving  = slices.Concat(c.declared(receivers), c.declared(connectors))
		processing = c.declared(processors)
		exporting  = slices.Concat(c.declared(exporters), c.declared(connectors))
	)
	for id, config := range c.Service.Pipelines {
		p := &pipeline{id: id}
		if config != nil {
			p.receivers = named(receiving, config.Receivers)
			p.processors = named(processing, config.Processors)
			p.exporters = named(exporting, config.Exporters)
		}
		c.pipelines = append(c.pipelines, p)
	}
	slices.SortFunc(c.pipelines, func(a, b *pipeline) int { return strings.Compare(a.id.String(), b.id.String()) })
	for _, p := range c.pipelines {
		for _, to := range c.pipelines {
			if slices.ContainsFunc(p.exporters, func(d declared) bool { return forwards(d) && to.receivesFrom(d) }) {
				p.next = append(p.next, to)
			}
		}
	}
}

// forwards reports whether a connector forwards its input. Other connectors create new data. Those of other
// distributions are known by their names.
func forwards(d declared) bool {
	return d.section == connectors && isOf("forward", "spillover", "routing", "failover", "roundrobin", "round_robin")(d)
}

// derived reports whether all data of the pipeline is made by connectors from other data, such as metrics
// from spans. Their sums are in memory, so that a killed process begins again from zero in any case.
func (p *pipeline) derived() bool {
	made := func(d declared) bool { return d.section == connectors && !forwards(d) }
	return len(p.receivers) > 0 && !slices.ContainsFunc(p.receivers, func(d declared) bool { return !made(d) })
}

// named returns the components with these names, in the order of the names.
func named(all []declared, ids []component.ID) []declared {
	var found []declared
	for _, id := range ids {
		if i := slices.IndexFunc(all, func(d declared) bool { return d.id == id }); i >= 0 {
			found = append(found, all[i])
		}
	}
	return found
}

func (p *pipeline) receivesFrom(connector declared) bool {
	return slices.ContainsFunc(p.receivers, connector.is)
}

// has reports whether the component is part of the pipeline.
func (p *pipeline) has(d declared) bool {
	return slices.ContainsFunc(slices.Concat(p.receivers, p.processors, p.exporters), d.is)
}

func (d declared) is(other declared) bool { return d.section == other.section && d.id == other.id }

// isOf returns a function that reports whether a component has one of these types.
func isOf(types ...string) func(declared) bool {
	return func(d declared) bool { return slices.Contains(types, d.typ.String()) }
}

// reach returns this pipeline and all pipelines that its data reaches. Cycles are possible, because the
// service refuses them only at its start.
func (p *pipeline) reach() []*pipeline {
	reached := []*pipeline{p}
	for i := 0; i < len(reached); i++ {
		for _, next := range reached[i].next {
			if !slices.Contains(reached, next) {
				reached = append(reached, next)
			}
		}
	}
	return reached
}

// destinations returns the exporters that the pipeline's data reaches, each once.
func (p *pipeline) destinations() []declared { return destinations(p.reach()) }

// destinations returns the exporters of several pipelines, each once.
func destinations(pipelines []*pipeline) []declared {
	var all []declared
	for _, reached := range pipelines {
		for _, d := range reached.exporters {
			if d.section == exporters && !slices.ContainsFunc(all, d.is) {
				all = append(all, d)
			}
		}
	}
	return all
}

// after returns the processors that the pipeline's data reaches after the one at index.
func (p *pipeline) after(index int) []declared {
	behind := slices.Clone(p.processors[index+1:])
	for _, reached := range p.reach()[1:] {
		behind = append(behind, reached.processors...)
	}
	return behind
}
