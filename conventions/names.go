// SPDX-License-Identifier: Apache-2.0

package conventions

// Names is what the general rules do to the names of a system.
type Names string

// NamesKeep keeps the names of a system: only what its pack states changes them. With the zero
// value the general rules apply.
const NamesKeep Names = "keep"

// checkNames reports a choice without effect, because the pack owns no telemetry of its own.
func (c *checker) checkNames() {
	o := &c.Owns
	if c.Names != "" && len(o.Resource)+len(o.Scopes)+len(o.Metrics)+len(o.Spans) == 0 {
		c.fault(path{"names"}, "must be for telemetry of one system: owns has only all (got %q)", c.Names)
	}
}
