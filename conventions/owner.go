// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// OwnerRule says that attributes of points are the current owner of what the points measure, such as the pod that has
// a GPU. It applies to the metrics that the pack owns, if the settings name the pack. Names and keys are conformant
// ones, or those that the system sends.
type OwnerRule struct {
	// Metrics have the attributes.
	Metrics []glob.Glob `yaml:"metrics"`
	// Identity are the attributes that identify a device.
	Identity []string `yaml:"identity"`
	// Attributes are those of the owner. A device without any of them is nobody's.
	Attributes []string `yaml:"attributes"`
	// Info is the name of the metric that has one series for each device and owner.
	Info string `yaml:"info"`
	// Counters are what is counted for each device and owner.
	Counters []OwnerCounter `yaml:"counters"`
}

// OwnerCounter counts what an owner uses. Without Increase and Integral it counts the time.
type OwnerCounter struct {
	Name string `yaml:"name"`
	Unit string `yaml:"unit"`
	// Identity are the attributes that identify what is measured, if it is more than a device. The owners of all devices
	// that are a part of it share it.
	Identity []string `yaml:"identity"`
	// Increase is the counter whose increase is counted.
	Increase *OwnerSource `yaml:"increase"`
	// Integral are gauges. The first that a device has is integrated over the time.
	Integral []OwnerSource `yaml:"integral"`
}

// OwnerSource is a metric that a counter is made of.
type OwnerSource struct {
	Metric string `yaml:"metric"`
	// Factor multiplies the values. 0 means 1.
	Factor float64 `yaml:"factor"`
}

// Sources returns the metrics that the counter is made of, and none for one that counts the time.
func (c *OwnerCounter) Sources() []OwnerSource {
	if c.Increase != nil {
		return []OwnerSource{*c.Increase}
	}
	return c.Integral
}

// Scale returns the number that multiplies the values.
func (s *OwnerSource) Scale() float64 { return cmp.Or(s.Factor, 1) }

// checkOwner reports keys that are both of the device and of the owner, metrics of one name, counters of what the rule
// does not select, and a rule that selects its own metrics.
func (c *checker) checkOwner() {
	rule := c.Owner
	if rule == nil {
		return
	}
	for i, key := range rule.Attributes {
		if slices.Contains(rule.Identity, key) {
			c.fault(path{"owner", "attributes", i}, "must not be in identity (got %q)", key)
		}
	}
	names := []string{rule.Info}
	c.checkOwnName(path{"owner", "info"}, rule.Info)
	for i, counter := range rule.Counters {
		place := path{"owner", "counters", i}
		c.checkOwnName(append(place, "name"), counter.Name)
		if slices.Contains(names, counter.Name) {
			c.fault(append(place, "name"), "must be the name of one metric of the rule (got %q)", counter.Name)
		}
		names = append(names, counter.Name)
		for j, key := range counter.Identity {
			if !slices.Contains(rule.Identity, key) {
				c.fault(append(place, "identity", j), "must be in owner.identity (got %q)", key)
			}
		}
		if counter.Increase != nil && counter.Integral != nil {
			c.fault(place, "must not have both increase and integral (got %q)", counter.Name)
		}
		for _, source := range counter.Sources() {
			if !rule.Selects(source.Metric) {
				c.fault(place, "must be made of a metric that owner.metrics matches (got %q)", source.Metric)
			}
		}
	}
}

// checkOwnName reports a metric of the rule that the rule would take apart again.
func (c *checker) checkOwnName(place path, name string) {
	if c.Owner.Selects(name) {
		c.fault(place, "must not match owner.metrics (got %q)", name)
	}
}

// Selects reports whether a metric has attributes of an owner. Names are those of the metric, original and conformant.
func (r *OwnerRule) Selects(names ...string) bool {
	return slices.ContainsFunc(names, glob.List(r.Metrics).Match)
}

// CheckOwners returns an error for a system whose pack is not among some, or has no rule for owners.
func CheckOwners(systems []string, packs []*Pack) error {
	var known []string
	for _, pack := range packs {
		if pack.Owner != nil {
			known = append(known, pack.System)
		}
	}
	for _, system := range systems {
		if !slices.Contains(known, system) {
			return fmt.Errorf("owners: must be packs with a rule owner: %s (got %q)", cmp.Or(strings.Join(known, ", "), "none of packs has one"), system)
		}
	}
	return nil
}
