//go:generate go tool mdatagen metadata.yaml

// Package wirelimitsextension refuses OTLP requests that would hurt once they are decoded.
// It is a middleware of the otlp receiver, for HTTP and for gRPC, and looks at the bytes
// before anything is made of them; package wire says how. It also bounds what all requests
// take together, and how long one over gRPC may take to come.
package wirelimitsextension
