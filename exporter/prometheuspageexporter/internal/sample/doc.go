// Package sample turns data points into what Prometheus shows of them, and adds delta points up.
package sample
