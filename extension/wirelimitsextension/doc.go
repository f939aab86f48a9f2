// SPDX-License-Identifier: Apache-2.0

//go:generate go tool mdatagen metadata.yaml

// Package wirelimitsextension refuses OTLP requests that would take too much memory or stack
// once they are decoded. It is a middleware of the otlp receiver, for HTTP and gRPC, and checks
// the encoded bytes with package wire. It also bounds the memory of all concurrent requests,
// and the time to receive a request over gRPC. With a directory, it sets requests aside that
// repeatedly kill the process (package journal).
package wirelimitsextension
