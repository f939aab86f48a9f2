// SPDX-License-Identifier: Apache-2.0

//go:build !race

package spanlinkprocessor

const slowdown = 1
