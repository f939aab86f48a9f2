// SPDX-License-Identifier: Apache-2.0

// Package conformance tests the conformance connector, its page in a browser, and the dashboards and alerts
// of a collector that works and of one with every fault.
package conformance
