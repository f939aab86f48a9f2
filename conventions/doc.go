// SPDX-License-Identifier: Apache-2.0

// Package conventions contains the naming rules of each known system, one YAML pack for each system, and
// the strict loader of packs.
//
// A pack is data, not code. It describes which telemetry a system owns and how its metric, span and
// attribute names become conformant. schema.json defines the format: the loader validates packs against
// it, and editors use it for completion.
//
// The packages glob, layout, linking and weaver below parse the parts of a pack. Package naming uses packs
// to decide names, and package logformat to parse log lines.
package conventions
