// Package configs holds the configurations that ship inside the binary.
// `--config builtin:<name>` selects the file <name>.yaml.
package configs

import "embed"

// FS contains every file of this folder whose name ends in .yaml.
//
//go:embed *.yaml
var FS embed.FS
