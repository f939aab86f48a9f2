// SPDX-License-Identifier: Apache-2.0

// Package sample converts data points to the samples that Prometheus shows, and sums delta
// points. A Stream holds the state of one series; each of its methods takes one kind of data
// point. The time of arrival limits the times of points: a sender whose clock is ahead must not
// keep later points off the page.
package sample
