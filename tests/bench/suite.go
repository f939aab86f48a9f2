// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// suite is a number of trials that show one thing.
type suite struct {
	name   string
	title  string // of its table
	trials func(ctx context.Context, s scope) ([]trial, error)
}

// scope is what of the suites is asked for.
type scope struct {
	signals    []string
	attributes []int
}

var allSignals = []string{"metrics", "traces", "logs"}

// suites are those that compare pipelines, in the order of the page.
var suites = []suite{
	{"shipped", "As shipped, against stock pass-through with Go's default garbage collection", shippedTrials},
	{"files", "Lines of files", fileTrials},
	{"unowned", "What no pack owns, against an agent that only forwards", unownedTrials},
}

// suitesNamed returns the suites of a list of names.
func suitesNamed(names string) (found []suite, err error) {
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(suites, func(s suite) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("--suite: must be profiles or latency, or of %s (got %q)", suiteNames(), name)
		}
		found = append(found, suites[i])
	}
	return found, nil
}

func suiteNames() string {
	var names []string
	for _, s := range suites {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// signalsNamed returns the signals of a list of names.
func signalsNamed(names string) ([]string, error) {
	found := strings.Split(names, ",")
	for _, name := range found {
		if !slices.Contains(allSignals, name) {
			return nil, fmt.Errorf("--signals: must be of %s (got %q)", strings.Join(allSignals, ", "), name)
		}
	}
	return found, nil
}

// each gathers the trials of all signals and numbers of attributes.
func (s scope) each(ctx context.Context, trialsOf func(ctx context.Context, signal string, attributes int) ([]trial, error)) (all []trial, err error) {
	for _, signal := range s.signals {
		for _, attributes := range s.attributes {
			some, err := trialsOf(ctx, signal, attributes)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}
