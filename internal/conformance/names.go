// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

const (
	// MaxText is the number of bytes that are kept of a name from telemetry.
	MaxText = 256

	// UnknownService is the name for resources without service.name.
	UnknownService = "unknown"
)

// Kept returns the beginning of a text from telemetry, as valid UTF-8, which protobuf and JSON require.
func Kept(text string) string { return strings.ToValidUTF8(naming.Beginning(text, MaxText), "\ufffd") }

// ServiceName returns what reports call the service with the given service.name.
func ServiceName(text string) string {
	if text == "" {
		return UnknownService
	}
	return Kept(text)
}
