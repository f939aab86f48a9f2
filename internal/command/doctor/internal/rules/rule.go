// SPDX-License-Identifier: Apache-2.0

// Package rules finds settings that cause faults. A rule is a function over the facts of a configuration; a file has the
// rules of one kind.
package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/facts"
)

// Rule finds one kind of fault.
type Rule struct {
	ID string
	// Why is the consequence, shown in the command's help.
	Why  string
	find func(c *facts.Configuration, report reporter)
}

// reporter records a finding at a setting: the fault and the fix. Pipelines with the same fault are one finding, at
// the first of them, whose text has their names instead of inPipelines.
type reporter func(severity Severity, path []string, text, fix string, in ...*facts.Pipeline)

const inPipelines = "{pipelines}"

// All returns all rules.
func All() []Rule { return slices.Concat(refused, components, order, delivery, logFiles, servers) }

// Find returns the findings of all rules.
func Find(c *facts.Configuration) []Finding { return apply(All(), c) }

// Refused returns the findings that explain errors of validate.
func Refused(c *facts.Configuration) []Finding { return apply(refused, c) }

// apply returns the findings of rules, in order.
func apply(rules []Rule, c *facts.Configuration) []Finding {
	findings := UnsetVariables(c.Sources)
	for _, rule := range rules {
		if rule.find == nil {
			continue
		}
		var found []*finding
		same := map[[3]string]*finding{} // those in pipelines, by what they say
		rule.find(c, func(severity Severity, path []string, text, fix string, in ...*facts.Pipeline) {
			if c.IsTemplate(path) {
				return
			}
			says := [3]string{string(severity), text, fix}
			f := same[says]
			if f == nil {
				f = &finding{Finding: Finding{Position: c.Sources.Position(path), Severity: severity, Rule: rule.ID, Text: oneLine(text), Fix: oneLine(fix)}}
				found = append(found, f)
			}
			for _, p := range in {
				f.pipelines = append(f.pipelines, strconv.Quote(p.ID.String()))
				same[says] = f
			}
		})
		for _, f := range found {
			findings = append(findings, f.named())
		}
	}
	return sorted(findings)
}

// finding is a finding with its pipelines.
type finding struct {
	Finding
	pipelines []string
}

func (f *finding) named() Finding {
	name := "pipeline "
	if len(f.pipelines) > 1 {
		name = "pipelines "
	}
	f.Text = strings.ReplaceAll(f.Text, inPipelines, name+strings.Join(f.pipelines, ", "))
	return f.Finding
}

// oneLine replaces line breaks, so that a value does not look like several findings.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
