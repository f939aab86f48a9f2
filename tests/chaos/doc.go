// SPDX-License-Identifier: Apache-2.0

// Package chaos holds the binary to what shared/design/operations.md promises of
// each fault. Every test starts otelcol-tc with a shipped profile, offers it items
// with an id each, breaks something, and counts what a backend was given:
//
//	offered    items that clients sent
//	accepted   items of requests that were answered with success
//	delivered  items that the backend has answered with success, each once
//	doubled    deliveries of items that the backend already had
//	dropped    items accepted and not delivered
//
// Each test adds a line to the table that the package prints at its end. The longer
// ones run with TC_CHAOS=1, which is what `make chaos` and `make refusals` set.
package chaos
