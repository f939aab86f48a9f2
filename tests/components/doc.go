// SPDX-License-Identifier: Apache-2.0

// Package components tests the stock components of the binary that no profile has, end to end.
package components
