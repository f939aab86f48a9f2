package doctor

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	xpipeline "go.opentelemetry.io/collector/pipeline"
)

// pipeline is one of the service's, without components that are not declared.
type pipeline struct {
	id                               xpipeline.ID
	receivers, processors, exporters []declared

	// next are the pipelines that get the same data from this one.
	next []*pipeline
}

// path is where the pipeline is declared.
func (p *pipeline) path(setting ...string) []string {
	return below([]string{"service", "pipelines", p.id.String()}, setting...)
}

// connect finds the pipelines of the service, and which pass data to which.
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
			if slices.ContainsFunc(p.exporters, func(d declared) bool { return passesOn(d) && to.receivesFrom(d) }) {
				p.next = append(p.next, to)
			}
		}
	}
}

// passesOn reports whether a connector passes on the data that it gets. Other connectors
// make other data of it.
func passesOn(d declared) bool { return d.section == connectors && d.typ.String() == "forward" }

// named returns the components of these names, in their order.
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

// isOf returns a test for components of these types.
func isOf(types ...string) func(declared) bool {
	return func(d declared) bool { return slices.Contains(types, d.typ.String()) }
}

// reach returns this pipeline and those that its data come to. There can be
// circles: the service refuses them only when it starts.
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

// destinations returns the exporters that the pipeline's data come to, each once.
func (p *pipeline) destinations() []declared {
	var all []declared
	for _, reached := range p.reach() {
		for _, d := range reached.exporters {
			if d.section == exporters && !slices.ContainsFunc(all, d.is) {
				all = append(all, d)
			}
		}
	}
	return all
}

// after returns the processors that the pipeline's data come to behind the one at index.
func (p *pipeline) after(index int) []declared {
	behind := slices.Clone(p.processors[index+1:])
	for _, reached := range p.reach()[1:] {
		behind = append(behind, reached.processors...)
	}
	return behind
}
