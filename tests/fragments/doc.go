// SPDX-License-Identifier: Apache-2.0

// Package fragments tests the configurations that are merged over the profiles, against real backends.
package fragments
