// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package conventionsextension is the one place for what all components of this distribution have in
// common: packs, prefix, exemptions and modes. Package policy defines the settings and how components
// get them.
package conventionsextension
