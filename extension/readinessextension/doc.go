//go:generate go tool mdatagen metadata.yaml

// Package readinessextension tells whether the collector should get work, and all that speaks
// against it, over HTTP and as metrics.
package readinessextension
