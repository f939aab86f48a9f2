package main

import "github.com/otelcol-tc/otelcol-tc/internal/grpcframes"

// pdata's own codec, which this one calls, was registered by then. As with the memory limit,
// main takes nothing of this kind.
func init() { grpcframes.Register() }
