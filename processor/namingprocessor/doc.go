//go:generate go tool mdatagen metadata.yaml

// Package namingprocessor makes names follow the convention: tc_* metric names,
// <Component>/<Operation> span names and tc.* attribute keys. What a name should
// be is decided in package conventions/naming; this package walks the data,
// remembers decisions and counts.
package namingprocessor
