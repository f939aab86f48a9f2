// SPDX-License-Identifier: Apache-2.0

// Package durability tests that nothing is lost or sent twice over restarts, damaged files, deadly requests, and
// gateways and backends that are away.
package durability
