package conventions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// LinkRules reads rules that a component's setting holds, in the form that packs have
// them. Errors name the key, the rule and the value.
func LinkRules(setting string, rules []any) ([]LinkRule, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	var doc yaml.Node
	text, err := yaml.Marshal(rules)
	if err == nil {
		err = yaml.Unmarshal(text, &doc)
	}
	if err == nil {
		err = checkAgainst(&doc, linkRulesSchema(), setting)
	}
	var read []LinkRule
	if err == nil {
		err = doc.Decode(&read)
	}
	if err != nil {
		return nil, withoutLines(err)
	}
	for i := range read {
		if isNamedBefore(read, i) {
			return nil, fmt.Errorf("%s.%d.name: %q is the name of an earlier rule", setting, i, read[i].Name)
		}
		if err := read[i].check(); err != nil {
			return nil, fmt.Errorf("%s.%d.%w", setting, i, err)
		}
	}
	return read, nil
}

func isNamedBefore(rules []LinkRule, i int) bool {
	return slices.ContainsFunc(rules[:i], func(r LinkRule) bool { return r.Name == rules[i].Name })
}

// withoutLines is for what has no lines that anybody could look at.
func withoutLines(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, withoutLines(e))
		}
		return errors.Join(all...)
	}
	var at *lineError
	if errors.As(err, &at) {
		return at.err
	}
	return err
}

// checkLinks reports rules that cannot link anything, and two of one name.
func (p *Pack) checkLinks(doc *yaml.Node) []*lineError {
	var faults []*lineError
	for i := range p.Links {
		rule := &p.Links[i]
		node := child(child(doc.Content[0], "links"), strconv.Itoa(i))
		if isNamedBefore(p.Links, i) {
			faults = append(faults, &lineError{child(node, "name").Line, fmt.Errorf(
				"links.%d.name: %q is the name of an earlier rule", i, rule.Name)})
		}
		if err := rule.check(); err != nil {
			faults = append(faults, &lineError{node.Line, fmt.Errorf("links.%d.%w", i, err)})
		}
	}
	return faults
}

// check holds what the schema cannot say about a rule. The error begins with the key.
func (r *LinkRule) check() error {
	switch {
	case len(r.Stages) > 0 && (r.From != nil || r.To != nil):
		return fmt.Errorf("stages: must stand in place of from and to (got both in %q)", r.Name)
	case len(r.Stages) > 0 && r.Topology != TopologyChain:
		return fmt.Errorf("topology: must be chain where a rule has stages (got %q)", r.Topology)
	case len(r.Stages) == 0 && r.From == nil:
		return fmt.Errorf("from: must be there, or else stages (got neither in %q)", r.Name)
	case len(r.Stages) == 0 && r.To == nil && len(r.From.Logs) > 0:
		return fmt.Errorf("to: must be there where from is about logs, for no other span has the key (got none in %q)", r.Name)
	case len(r.Stages) == 0 && r.To == nil && r.Hold > 0:
		return fmt.Errorf("hold: must not be there without to, for nothing is linked (got %s)", time.Duration(r.Hold))
	case len(r.Stages) == 0 && r.To == nil && len(r.Logs) == 0:
		return fmt.Errorf("to: must be there, or logs that make use of the key (got neither in %q)", r.Name)
	}
	if err := checkStage("from", r.From, r, true); err != nil {
		return err
	}
	if err := checkStage("to", r.To, r, false); err != nil {
		return err
	}
	for i := range r.Stages {
		if err := checkStage("stages."+strconv.Itoa(i), &r.Stages[i], r, false); err != nil {
			return err
		}
	}
	if r.Key != nil {
		if err := r.Key.check("key"); err != nil {
			return err
		}
	}
	for i, log := range r.Logs {
		if err := log.check("logs." + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

func checkStage(at string, stage *LinkStage, rule *LinkRule, first bool) error {
	switch {
	case stage == nil:
		return nil
	case len(stage.Logs) > 0 && !first:
		return fmt.Errorf("%s.logs: must be in from: a log that comes later cannot carry a link (got %d)", at, len(stage.Logs))
	case len(stage.Logs) > 0 && (len(stage.SpanName) > 0 || stage.Kind != "" || len(stage.Attributes) > 0 || stage.Key != nil):
		return fmt.Errorf("%s.logs: must stand alone but for service: it is about logs, the others are about spans (got %q)", at, rule.Name)
	case len(stage.Logs) > 0 && rule.Topology == TopologyChain:
		return fmt.Errorf("%s.logs: must not be in a chain (got %q)", at, rule.Name)
	case len(stage.Logs) == 0 && stage.Key == nil && rule.Key == nil:
		return fmt.Errorf("%s.key: must be there where the rule has none (got %q)", at, rule.Name)
	}
	for i, log := range stage.Logs {
		if log.IDs != "" {
			return fmt.Errorf("%s.logs.%d.ids: must be in the logs of the rule: these have ids (got %q)", at, i, log.IDs)
		}
		if err := log.check(at + ".logs." + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	if stage.Key != nil {
		return stage.Key.check(at + ".key")
	}
	return nil
}

func (k *LinkKey) check(at string) error {
	if given := count(k.SpanAttribute != "", k.ResourceAttribute != "", k.EventAttribute != "", len(k.All) > 0); given != 1 {
		return fmt.Errorf("%s: must have one of span_attribute, resource_attribute, event_attribute and all (got %d)", at, given)
	}
	if n := k.Normalise; len(k.All) > 0 && (len(n.Prefixes) > 0 || len(n.NumberedSuffixes) > 0 || n.Integer) {
		return fmt.Errorf("%s.normalise: must be in the parts of all (got it beside them)", at)
	}
	for i, part := range k.All {
		if given := count(part.SpanAttribute != "", part.ResourceAttribute != ""); given != 1 {
			return fmt.Errorf("%s.all.%d: must have one of span_attribute and resource_attribute (got %d)", at, i, given)
		}
	}
	return nil
}

func count(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

const keyPlaceholder = "{key}"

func (l LogKey) check(at string) error {
	if (l.Attribute == "") == (l.Body == "") {
		return fmt.Errorf("%s: must have one of attribute and body (got %q and %q)", at, l.Attribute, l.Body)
	}
	if l.Body != "" && (strings.Count(l.Body, keyPlaceholder) != 1 || l.Body == keyPlaceholder) {
		return fmt.Errorf("%s.body: must be text with one %s in it (got %q)", at, keyPlaceholder, l.Body)
	}
	return nil
}

// BodyAround is the text before and after the key in a body. It is of LogKeys that
// have a Body.
func (l LogKey) BodyAround() (before, after string) {
	before, after, _ = strings.Cut(l.Body, keyPlaceholder)
	return before, after
}
