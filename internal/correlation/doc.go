// SPDX-License-Identifier: Apache-2.0

// Package correlation contains what the correlation_index extension and its users have in common:
// keys, their members, and requests about them. Package linking contains the rules themselves.
package correlation
