//go:generate go tool mdatagen metadata.yaml

// Package prometheuspageexporter shows the latest value of each series on a page for
// Prometheus to scrape.
package prometheuspageexporter
