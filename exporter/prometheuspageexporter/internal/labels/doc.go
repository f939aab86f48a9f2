// Package labels turns attributes into the labels of a series, by the compatibility
// specification of OpenTelemetry and Prometheus. No attribute makes a series invalid.
package labels
