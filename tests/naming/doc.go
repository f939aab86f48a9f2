// SPDX-License-Identifier: Apache-2.0

// Package naming tests the names that the convention makes of hostile ones.
package naming
