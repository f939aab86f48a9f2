//go:generate go tool mdatagen metadata.yaml

// Package conformanceconnector says how well telemetry follows the convention. It asks
// package conventions/naming, as the naming processor does, what each name should be,
// looks at how traces hang together, and at what a pack expects and does not come. It
// sends scores as metrics and findings as log records, and changes nothing.
package conformanceconnector
