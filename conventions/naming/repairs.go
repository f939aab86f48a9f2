// SPDX-License-Identifier: Apache-2.0

package naming

// Repairs returns the kinds of names that the general rules repair in telemetry that no pack owns.
func (n *Namer) Repairs(service string) Unowned {
	for _, s := range n.services {
		if s.match.Match(service) {
			return n.repairs(s.system)
		}
	}
	return n.unowned
}
