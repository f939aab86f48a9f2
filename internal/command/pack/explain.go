// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// question is what explain is asked.
type question struct {
	name            string
	service, scope  string
	resource, given map[string]string
	signal          string
	packs, configs  []string
}

func newExplain(set Settings) *cobra.Command {
	var q question
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Shows what happens to a name: which pack, which rule, what comes out",
		Long: `Shows what happens to a name: which pack owns it, which rule decides, and what comes out.

NAME is the name of a metric or a span, the key of an attribute, or a line of a text log. It is tried as each,
unless --signal says what it is. The pack depends on where the telemetry comes from: see --service, --scope
and --resource.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.name = args[0]
			if q.service != "" {
				if q.resource == nil {
					q.resource = map[string]string{}
				}
				q.resource[serviceName] = q.service
			}
			c, err := cli.Policy(cmd.Context(), set.Providers, q.packs, q.configs)
			if err != nil {
				return err
			}
			return explain(cmd.OutOrStdout(), &q, c)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.service, "service", "", "service.name of the resource")
	flags.StringVar(&q.scope, "scope", "", "name of the instrumentation scope")
	flags.StringToStringVar(&q.resource, "resource", nil, "attributes of the resource, such as service.namespace=shop")
	flags.StringToStringVar(&q.given, "attribute", nil, "attributes of the span, such as rpc.service=shop.v1.Till")
	flags.StringVar(&q.signal, "signal", "", "metric, span, attribute or log")
	flags.StringSliceVar(&q.packs, "packs", nil, "the packs: names of built-in ones, files, builtin for all built-in ones (the default)")
	flags.StringArrayVar(&q.configs, "config", nil, "a configuration of the collector, whose packs are taken: a file, builtin:dev or another URI; later ones are merged over earlier ones")
	return cmd
}

const serviceName = "service.name"

// explainer answers a question.
type explainer struct {
	*question
	policy  *policy.Policy
	namer   *naming.Namer
	owner   *naming.System
	sources sources
}

// answer is what is known of a name as one signal.
type answer struct {
	signal string
	facts  []fact
	// Certain means that a rule is about this name. The general rules are about every name.
	certain bool
}

// fact is a line of an answer.
type fact struct{ what, text string }

func (a *answer) add(what, format string, args ...any) {
	a.facts = append(a.facts, fact{what, fmt.Sprintf(format, args...)})
}

func explain(out io.Writer, q *question, c *policy.Config) error {
	signals := map[string]func(*explainer) (*answer, error){
		"metric": (*explainer).metric, "span": (*explainer).span, "attribute": (*explainer).attribute, "log": (*explainer).log,
	}
	order := []string{"log", "metric", "span", "attribute"}
	if q.signal != "" {
		if signals[q.signal] == nil {
			return fmt.Errorf("--signal must be one of %s (got %q)", strings.Join(slices.Sorted(maps.Keys(signals)), ", "), q.signal)
		}
		order = []string{q.signal}
	}
	e, err := newExplainer(q, c)
	if err != nil {
		return err
	}
	var answers []*answer
	for _, signal := range order {
		a, err := signals[signal](e)
		if err != nil {
			return err
		}
		if a != nil {
			answers = append(answers, a)
		}
	}
	if slices.ContainsFunc(answers, func(a *answer) bool { return a.certain }) {
		answers = slices.DeleteFunc(answers, func(a *answer) bool { return !a.certain })
	}
	if len(answers) == 0 {
		fmt.Fprintf(out, "%s\n  nothing changes: no pack owns it, and no rule is about it\n", q.name)
	}
	for _, a := range answers {
		a.write(out, q.name)
	}
	if e.policy.Audit(q.resource[serviceName]) {
		fmt.Fprintln(out, "The mode of this service is audit: its data stays unchanged, and this is only counted.")
	}
	return nil
}

func newExplainer(q *question, c *policy.Config) (*explainer, error) {
	p, err := policy.New(*c)
	if err != nil {
		return nil, err
	}
	e := &explainer{question: q, policy: p, namer: p.Namer()}
	if e.sources, err = sourcesOf(c.Packs); err != nil {
		return nil, err
	}
	if q.name == "" {
		return nil, errors.New("NAME must not be empty")
	}
	e.owner = e.namer.Owner(e.attr, q.scope)
	return e, nil
}

// attr looks up a resource attribute.
func (e *explainer) attr(key string) (value string, ok bool) {
	value, ok = e.resource[key]
	return value, ok
}

func (a *answer) write(out io.Writer, name string) {
	fmt.Fprintf(out, "%s %s\n", a.signal, name)
	for _, f := range a.facts {
		fmt.Fprintf(out, "  %-11s %s\n", f.what, strings.ReplaceAll(f.text, "\n", "\n              "))
	}
}

// decide adds which pack and which rules decide.
func (e *explainer) decide(a *answer, owner *naming.System, rules []naming.Source) {
	if !owner.Owned() {
		a.add("pack", "none")
	} else {
		by := append(e.namer.OwnerSources(owner, e.attr, e.scope), rules...)
		var why []string
		for _, source := range by {
			if key := source.Path(); key[0] == "owns" && source.System == owner {
				why = append(why, e.sources.at(owner.Name(), key))
			}
		}
		a.add("pack", "%s: %s", owner.Name(), strings.Join(why, ", "))
	}
	for _, source := range rules {
		key := source.Path()
		if key[0] != "owns" {
			a.add("rule", "%s: %s", source.System.Name(), e.sources.at(source.System.Name(), key))
		}
		if !slices.Equal(key, defaultComponent) {
			a.certain = true
		}
	}
}

// defaultComponent is the key of a rule that is about every span of a system.
var defaultComponent = []string{"spans", "components", "default"}

// out adds what comes out: a new name, or that the name stays.
func (a *answer) out(before, after string) {
	if before == after {
		a.add("out", "%s, unchanged", after)
	} else {
		a.add("out", "%s", after)
	}
}
