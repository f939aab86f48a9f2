// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package namingprocessor makes names follow the convention: tc_* metric names, <Component>/<Operation>
// span names and tc.* attribute keys. Package conventions/naming decides what a name should be, and
// internal/known caches the decisions. This package walks the batches, applies the decisions and counts
// the changes.
package namingprocessor
