// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package partialsuccessextension counts the items that a backend rejects in a successful
// response: the partial success of OTLP's specification, which the stock exporters only log. It
// is a client middleware of OTLP exporters, for HTTP and gRPC, and needs no configuration.
package partialsuccessextension
