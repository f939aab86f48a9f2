// SPDX-License-Identifier: Apache-2.0

// Package pack provides the commands for convention packs: check reports their errors, test runs their
// examples, explain shows what happens to a name, and draft writes a pack for a service.
package pack
