package report

import "github.com/otelcol-tc/otelcol-tc/conventions/naming"

// Owner tells the items of packs from those that no pack owns. Names of the latter stay as they are, unless
// the service is adopted, so they have scores of their own.
type Owner uint8

// The owners.
const (
	OwnerPack Owner = iota
	OwnerNone
	Owners
)

var owners = [Owners]string{"pack", noSystem}

// noSystem is the system of telemetry that no pack owns.
const noSystem = "none"

// OwnerOf returns who owns the items of a system.
func OwnerOf(system *naming.System) Owner {
	if system.Name() == noSystem {
		return OwnerNone
	}
	return OwnerPack
}

// String returns the label owner of scores.
func (o Owner) String() string { return owners[o] }
