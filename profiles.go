// SPDX-License-Identifier: Apache-2.0

//go:build !cpuprofile

package main

// serveProfiles does nothing. Only a binary built with the tag cpuprofile serves profiles.
func serveProfiles() error { return nil }
