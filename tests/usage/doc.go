// SPDX-License-Identifier: Apache-2.0

// Package usage runs the settings that otelcol-tc usage writes, and compares what queries say.
package usage
