// SPDX-License-Identifier: Apache-2.0

// Package scenario makes the telemetry that TensorCast, TuFT, PyTango,
// FastDeploy and the engines and exporters around them really put on the wire, with the faults it really has: names that
// break the convention, ids in metric labels, traces that fall apart, logs that
// lost their span. Beside the data a Batch carries the truth that the faults
// hide, so that a reader can measure how much of it a collector recovers.
//
// What a system sends is a file in systems, which systems/README.md explains. A player renders it for each scenario.
//
// A generator is deterministic: the same seed, start and sequence of times give
// the same bytes. It holds the state behind cumulative metrics, so it is not
// safe for concurrent use; only its Gatherer is.
package scenario
