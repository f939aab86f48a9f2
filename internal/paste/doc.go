// SPDX-License-Identifier: Apache-2.0

// Package paste writes configuration that a person pastes into theirs: it sets what it says, and loses nothing that
// is set. Names in it come from telemetry.
package paste
