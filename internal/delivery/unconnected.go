// SPDX-License-Identifier: Apache-2.0

package delivery

import "errors"

// The errors by which an exporter tells readiness that none of its endpoints ever connected. They are in the error of
// a component status.
var (
	// ErrUnreachable means that no endpoint answers: it is not there yet, or cannot be reached.
	ErrUnreachable = errors.New("none of the endpoints ever connected")
	// ErrMisconfigured means that an endpoint answers and the settings do not fit, such as those of TLS.
	ErrMisconfigured = errors.New("none of the endpoints ever connected, and the settings of the connection do not fit")
)
