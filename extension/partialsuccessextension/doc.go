//go:generate go tool mdatagen metadata.yaml

// Package partialsuccessextension counts the items that a backend rejected although it accepted
// the request: the partial success of OTLP's specification, which the stock exporters only log.
// It is a client middleware, over HTTP and gRPC.
package partialsuccessextension
