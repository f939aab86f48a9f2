// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strconv"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Owner tells the items that follow the convention from those that no pack owns. The names of the latter
// pass as they are, so they have scores of their own.
type Owner uint8

// The owners.
const (
	// Owned is for items that a pack owns, and for those of services whose names are repaired without one.
	Owned Owner = iota
	// Unowned is for items whose names pass.
	Unowned
	Owners
)

// Label returns the label owned of scores.
func (o Owner) Label() string { return strconv.FormatBool(o == Owned) }

// noSystem is the system of telemetry that no pack owns.
const noSystem = "none"

// OwnerOf returns the owner of a service's items.
func (s *ServiceCounts) OwnerOf(system *naming.System, k Kind) Owner {
	if system.Owned() || s.repaired[k] {
		return Owned
	}
	return Unowned
}

// repaired returns the kinds of a service's items whose names are repaired though no pack owns them.
// Records have no names: they belong to the rest.
func (s *Settings) repaired(service string) (kinds [Kinds]bool) {
	if s.Repairs == nil {
		return kinds
	}
	repairs := s.Repairs(service)
	kinds[KindMetric], kinds[KindSpan], kinds[KindAttribute] = repairs.Metrics, repairs.Spans, repairs.Attributes
	kinds[KindLog] = repairs != naming.Unowned{}
	return kinds
}
