// SPDX-License-Identifier: Apache-2.0

// Package inference tests the built binary with the systems of scenario.KeptNames(), whose names the world
// knows: their pages, the canonical metrics of engines, the dashboards about them, and their prompts.
package inference
