// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// maxIDs limits the keys that are suspected to hold ids.
const maxIDs = 200

// suspect is a key that is suspected to hold ids, in the metric with the most values.
type suspect struct {
	key, metric    string
	values, series int
}

// attributes writes the section attributes: the keys that are suspected to hold ids.
func (d *draft) attributes() {
	suspects := d.suspects()
	if len(suspects) > 0 {
		d.line("")
		d.line("attributes:")
		d.line("  # Data points lose these attributes, and their series are added up: remove the lines of those that are no ids.")
		for _, s := range suspects {
			d.line("  - {key: %s, id: true} # %d values in %d series of %s", paste.Scalar(s.key), s.values, s.series, shown(s.metric))
		}
	}
	if len(d.keys) > 0 {
		d.line("")
		d.line("# The general rules make these keys:")
		var lines []string
		for _, f := range d.keys {
			lines = append(lines, fmt.Sprintf("%s becomes %s", shown(f.Original), shown(f.Suggestion)))
		}
		d.list("# ", lines)
	}
}

// suspects returns the keys that are suspected to hold ids, those with the most values first.
func (d *draft) suspects() []suspect {
	byKey := map[string]suspect{}
	for _, m := range d.described {
		for _, a := range m.Attributes {
			if a.ID == conformance.IDSuspected && a.Values > byKey[a.Key].values {
				byKey[a.Key] = suspect{a.Key, m.Name, a.Values, m.Series}
			}
		}
	}
	var all []suspect
	for _, s := range byKey {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b suspect) int { return cmp.Or(b.values-a.values, strings.Compare(a.key, b.key)) })
	var usable []suspect
	for _, s := range all {
		if !paste.Exact(s.key) || len(usable) == maxIDs {
			d.decide("The attribute %s may hold ids: it has %d values in %s.", shown(s.key), s.values, shown(s.metric))
			continue
		}
		usable = append(usable, s)
	}
	return usable
}
