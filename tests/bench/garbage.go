// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"slices"
	"strings"
)

// garbage is the setting of Go's garbage collector in a target.
type garbage struct{ name, gogc, limit string }

var (
	// unset leaves it to the binary.
	unset     = garbage{name: "as shipped"}
	byDefault = garbage{"GOGC=100", "100", "off"}
	// equalRoom gives a target with a large live heap no rarer collections.
	equalRoom = garbage{"GOGC=off, GOMEMLIMIT=512MiB", "off", "512MiB"}
)

// environment is ours, with these settings alone.
func (g garbage) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GOGC=") || strings.HasPrefix(variable, "GOMEMLIMIT=") || strings.HasPrefix(variable, "GOMAXPROCS=")
	})
	if g.gogc == "" {
		return env
	}
	return append(env, "GOGC="+g.gogc, "GOMEMLIMIT="+g.limit)
}
