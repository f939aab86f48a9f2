// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/conventions/internal/document"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// LinkRules parses the link rules in a component's setting, which have the form of those in packs. Errors
// name the key, the rule and the value.
func LinkRules(setting string, rules []any) ([]linking.Rule, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	text, err := yaml.Marshal(rules)
	if err != nil {
		return nil, err
	}
	root, err := document.Read(setting, text)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(root, linkRulesSchema(), setting); err != nil {
		return nil, err
	}
	var read []linking.Rule
	if err := root.Decode(&read); err != nil {
		return nil, err
	}
	for i := range read {
		if isNamedBefore(read, i) {
			return nil, fmt.Errorf("%s.%d.name: %q is the name of an earlier rule", setting, i, read[i].Name)
		}
		if err := read[i].Check(); err != nil {
			return nil, fmt.Errorf("%s.%d.%w", setting, i, err)
		}
	}
	return read, nil
}

func isNamedBefore(rules []linking.Rule, i int) bool {
	return slices.ContainsFunc(rules[:i], func(r linking.Rule) bool { return r.Name == rules[i].Name })
}

// checkLinks reports invalid link rules, and rules with equal names.
func (c *checker) checkLinks() {
	for i := range c.Links {
		if isNamedBefore(c.Links, i) {
			c.fault(path{"links", i, "name"}, "%q is the name of an earlier rule", c.Links[i].Name)
		}
		if err := c.Links[i].Check(); err != nil {
			line := document.Find(c.root, "links", fmt.Sprint(i)).Line
			c.faults = append(c.faults, document.Fault{Line: line, Err: fmt.Errorf("links.%d.%w", i, err)})
		}
		if read, why := c.hides(&c.Links[i]); why != "" {
			c.fault(append(path{"links", i}, read.Path...), "%s", why)
		}
	}
}
