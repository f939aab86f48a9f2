// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package spilloverconnector passes data on while the next component accepts it, and keeps it in a queue
// on disk while it does not.
//
// Package batcher merges requests that wait and splits large ones. direct.go sends a batch to the next component
// or adds it to the queue. drain.go takes groups of records out of the queue. settle.go sends them, and decides
// what is set aside. Package diskqueue is the queue, and package deadletter keeps what was refused for good.
// signal.go and cut.go have what differs between traces, metrics and logs.
//
// # Invariants
//
// TestExplore of rendezvousexporter plays them with crashes between any two system calls:
//
//   - What was accepted is delivered, in the queue, or a dead letter. With fsync, also after a power failure.
//   - It comes twice only if somebody had no answer, was told that not all was accepted, or died with it under way.
//   - The items of a sender that waits for its answers arrive in order, each for the first time, but for what was
//     refused or set aside. What a process sent before it died may arrive at any time, also after it was set aside.
//   - A dead letter was refused for good, or the process died of it.
//   - Start does not fail because of what an earlier process left.
//   - When faults end, the queue becomes empty once something else is accepted.
//   - The queue and the dead letters stay within their limits, and a group of at most batch::max_size is in memory.
package spilloverconnector
