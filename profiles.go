//go:build !cpuprofile

package main

// serveProfiles does nothing: only a binary that is built for it serves profiles of itself.
func serveProfiles() error { return nil }
