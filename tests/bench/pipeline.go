// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"time"
)

// pipeline is what a target runs: configurations, each merged over those before, in a binary,
// with a setting of Go's garbage collector.
type pipeline struct {
	name    string
	of      build
	gc      garbage
	configs []string
	env     []string // besides what its load asks for
	last    string   // the processor that counts what goes out, if one does
	// The cost that is too much; 0 for none.
	maxRatio float64       // of the first pipeline's
	maxOurs  float64       // of the last pipeline, as a ratio to this one's
	maxCPU   time.Duration // an item
}

func (p pipeline) String() string { return fmt.Sprintf("%s: %s", p.of, p.name) }

// atMost is the pipeline with a limit on its ratio to the first.
func (p pipeline) atMost(ratio float64) pipeline {
	p.maxRatio = ratio
	return p
}

// oursAtMost is the pipeline with a limit on the ratio of the last one to it.
func (p pipeline) oursAtMost(ratio float64) pipeline {
	p.maxOurs = ratio
	return p
}

// flavour is a binary and how its garbage collector runs.
type flavour struct {
	of build
	gc garbage
}

var (
	// asShipped has all that we do to be fast.
	asShipped = flavour{shipped, unset}
	// stockDefault is what everybody measures against.
	stockDefault = flavour{stock, byDefault}
	// The same room for garbage and no profile: only the work differs.
	oursEqual  = flavour{plain, equalRoom}
	stockEqual = flavour{stock, equalRoom}
)

// passThrough only receives and decodes.
func (f flavour) passThrough() pipeline { return f.pipeline("otlp → nop") }

// pipeline leads from the receiver through what configurations merged over it say.
func (f flavour) pipeline(name string, more ...string) pipeline {
	return pipeline{name: name, of: f.of, gc: f.gc, configs: append([]string{config("passthrough")}, more...)}
}

// through leads through processors in this order, as configurations say.
func (f flavour) through(signal string, processors []string, configs ...string) pipeline {
	p := f.pipeline("otlp → "+strings.Join(processors, " → ")+" → nop", append(configs, chain(signal, processors...))...)
	p.last = processors[len(processors)-1]
	return p
}

// files reads files, with what configurations say.
func (f flavour) files(name string, configs ...string) pipeline {
	return pipeline{name: name, of: f.of, gc: f.gc, configs: configs}
}

// trial is a load, and the pipelines that are compared on it. The first is what the others
// are measured against.
type trial struct {
	load      load
	pipelines []pipeline
}
