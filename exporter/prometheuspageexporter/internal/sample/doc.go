// Package sample turns data points into what Prometheus shows of them, and adds delta points up.
// It is told the time at which points come: a sender whose clock is ahead must not keep the
// points after it off the page.
package sample
