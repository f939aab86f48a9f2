// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package prometheuspageexporter exports metrics as a page for Prometheus to scrape, with the
// latest value of each series. Package internal/page holds the series within memory limits,
// internal/sample converts data points to samples, and internal/labels converts attributes to
// labels. This package walks through the batches and serves the page.
package prometheuspageexporter
