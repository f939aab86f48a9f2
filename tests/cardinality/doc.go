// SPDX-License-Identifier: Apache-2.0

// Package cardinality tests the series that metrics become: how many there are, and what hostile points make
// of them.
package cardinality
