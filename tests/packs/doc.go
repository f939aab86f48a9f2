// SPDX-License-Identifier: Apache-2.0

// Package packs tests the commands for convention packs, and packs that they draft, in a collector.
package packs
