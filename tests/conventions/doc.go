// SPDX-License-Identifier: Apache-2.0

// Package conventions tests that the conventions extension is the one place for what all components go by.
package conventions
