// SPDX-License-Identifier: Apache-2.0

// Package scale simulates the third example of docs/sizing.md, with 5,000 nodes and 200,000 pods, by the
// project's own parts: agents' exporters choose gateways and write to Kafka, and cardinality and the index hold
// what one gateway gets, with the settings of the profiles. The tests check what the page says, by default with a
// sixteenth of the load against a sixteenth of the budgets:
//
//	go test -v ./tests/scale                            what gives way first, sums, what a rollout moves, bytes of Kafka
//	TC_SCALE=1 TC_MEASURE=1 go test -v ./tests/scale    the whole of it, and the heap and Redis as well: minutes
package scale
