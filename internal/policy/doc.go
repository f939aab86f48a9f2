// SPDX-License-Identifier: Apache-2.0

// Package policy holds what all components of this distribution have in common: which convention packs
// apply, the prefix of metric names, the names that stay as they are, what happens to telemetry that no
// pack owns, and which services are only audited.
//
// The conventions extension has one Policy for the whole collector. Components call For when they start
// and get that policy, or one of their own settings if there is no such extension.
package policy
