// SPDX-License-Identifier: Apache-2.0

package main

import (
	"embed"
	"fmt"
	"strings"
)

// build is one of the binaries that are compared.
type build string

const (
	// shipped is ours as it is released.
	shipped build = "ours"
	// base is the build of ours that --against names.
	base build = "base"
	// stock is built from peers/.
	stock build = "stock"
	// rotel is a collector in Rust, whose settings are variables.
	rotel build = "rotel"

	// builtin begins the name of a configuration inside the binary.
	builtin = "builtin:"
)

// binaries are where the builds are.
type binaries map[build]string

// pipeline is what a target runs: configurations, each merged over those before, in a binary.
type pipeline struct {
	name    string
	build   build
	configs []string
	env     []string // besides what its load asks for
	// maxOurs is the ratio to this pipeline's cost that is too much for the last one; 0 for none.
	maxOurs float64
}

func (p pipeline) String() string { return fmt.Sprintf("%s: %s", p.build, p.name) }

// oursAtMost is the pipeline with a limit on the ratio of the last one to it.
func (p pipeline) oursAtMost(ratio float64) pipeline {
	p.maxOurs = ratio
	return p
}

// running does what configurations say.
func (b build) running(name string, configs ...string) pipeline {
	return pipeline{name: name, build: b, configs: configs}
}

// command returns the arguments of a pipeline's program, and its environment, which has the configuration: nothing is
// left in a file.
func (p pipeline) command() (args, env []string) {
	if p.build == rotel {
		return []string{"start"}, p.env
	}
	env = p.env
	for i, text := range append([]string{config("common")}, p.configs...) {
		if strings.HasPrefix(text, builtin) {
			args = append(args, "--config", text)
			continue
		}
		variable := fmt.Sprint("BENCH_CONFIG_", i)
		args = append(args, "--config", "env:"+variable)
		env = append(env, variable+"="+text)
	}
	return args, env
}

// trial is a load, and the pipelines that are compared on it. The last is ours, whose cost is compared with that
// of the others.
type trial struct {
	load      *profileLoad
	pipelines []pipeline
}

// Each pipeline's configuration says at its top what it is.
//
//go:embed configs
var configs embed.FS

// config is the text of a file of configs/, which is a part of this program.
func config(name string) string {
	text, err := configs.ReadFile("configs/" + name + ".yaml")
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	return string(text)
}
