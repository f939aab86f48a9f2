// SPDX-License-Identifier: Apache-2.0

// Package labels converts attributes to the labels of a series, as OpenTelemetry's
// specification of Prometheus compatibility defines. No attribute makes a series invalid. A Set
// collects the labels of one point; Pairs returns them in the form of the page, and shares
// equal ones.
package labels
