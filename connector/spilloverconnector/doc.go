// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package spilloverconnector passes data on while the next component accepts it, and keeps it in a queue
// on disk while it does not.
//
// Package batcher merges requests that wait and splits large ones. direct.go sends a batch to the next component
// or adds it to the queue. drain.go takes groups of records out of the queue. settle.go sends them, and decides
// what is set aside. Package diskqueue is the queue, and package deadletter keeps what was refused for good.
// signal.go and cut.go have what differs between traces, metrics and logs.
package spilloverconnector
