// SPDX-License-Identifier: Apache-2.0

// Package configs holds the configurations that ship inside the binary.
// `--config builtin:<name>` selects the file <name>.yaml.
//
// The files of fragments/ are merged over agent.yaml or gateway.yaml, as the
// first word of their name says:
// `--config builtin:gateway --config builtin:fragments/gateway-jaeger`.
// The others are values: `${builtin:fragments/span-metrics}`.
package configs

import "embed"

// FS contains every file of this folder and of fragments/ whose name ends in .yaml.
//
//go:embed *.yaml fragments/*.yaml
var FS embed.FS
