// SPDX-License-Identifier: Apache-2.0

// Package library tests what docs/library.md says: our components in a collector that somebody else builds.
package library
