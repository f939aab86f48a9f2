// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"slices"
	"strings"
)

// standardLibrary is what vulnerability databases and package URLs call the part of a
// binary that comes with Go.
const standardLibrary = "std"

// module is one that is linked into the binary.
type module struct {
	Path, Version string
	// Sum is the one in go.sum; the standard library has none.
	Sum string
	// Dirs are those of the linked packages and of all above them. The module's own is first.
	Dirs []string
	// Texts are its licences and notices.
	Texts []text
}

// licences returns the SPDX identifiers of all texts, sorted.
func (m module) licences() []string {
	var names []string
	for _, t := range m.Texts {
		names = append(names, t.Licences...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// linkedModules returns what the binary was built from, sorted by path, without its main
// module. The binary's own build information is the list; source is the folder of the
// main module, from where go finds the files of each.
func linkedModules(info *buildinfo.BuildInfo, source string) ([]module, error) {
	packages, err := listPackages(info, source)
	if err != nil {
		return nil, err
	}
	dirs := map[string][]string{}
	for _, p := range packages {
		dirs[p.module()] = append(dirs[p.module()], p.dirs()...)
	}
	modules := []module{{Path: standardLibrary, Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		modules = append(modules, module{Path: dep.Path, Version: dep.Version, Sum: dep.Sum})
	}
	slices.SortFunc(modules, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	for i, m := range modules {
		found := dirs[m.Path+"@"+m.Version]
		if len(found) == 0 {
			return nil, fmt.Errorf("%s@%s is in the binary, but %s is built without it: build the binary again", m.Path, m.Version, source)
		}
		slices.Sort(found)
		modules[i].Dirs = slices.Compact(found)
	}
	return modules, nil
}
