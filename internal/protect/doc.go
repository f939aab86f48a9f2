// SPDX-License-Identifier: Apache-2.0

// Package protect replaces values that must not travel on. Package conventions/content decides which ones,
// and by what. The package walks all places of a batch where attributes are: of resources, scopes, spans,
// events, links, data points, exemplars and log records, maps and lists inside them, and the bodies of
// logs.
package protect
