// SPDX-License-Identifier: Apache-2.0

//go:build race

package namingprocessor

// raced reports whether the race detector is on, which makes tests fifty times slower.
const raced = true
