// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
)

// allowed are the licences under which code may be linked. All let a binary be handed on
// when their texts go with it; MPL-2.0 asks besides that its files can be had, which the
// module's path and version in the report tell.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// exceptions are licences that one module's files name, and why they do not matter.
var exceptions = map[string][]string{
	// Of a build script that is not linked.
	"github.com/apache/thrift": {"FSFAP"},
	// Of the documentation.
	"github.com/opencontainers/go-digest": {"CC-BY-SA-4.0"},
}

// check returns an error for each licence of a module that may not be linked.
func check(modules []module) error {
	var errs []error
	for _, m := range modules {
		for _, licence := range m.licences() {
			if !slices.Contains(allowed, licence) && !slices.Contains(exceptions[m.Path], licence) {
				errs = append(errs, fmt.Errorf("%s@%s: licence %s is not allowed", m.Path, m.Version, licence))
			}
		}
	}
	return errors.Join(errs...)
}
