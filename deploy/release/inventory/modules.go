// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	dirs, err := linkedDirs(info, source)
	if err != nil {
		return nil, err
	}
	modules := []module{{Path: standardLibrary, Version: strings.TrimPrefix(info.GoVersion, "go"), Dirs: dirs[standardLibrary]}}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		modules = append(modules, module{Path: dep.Path, Version: dep.Version, Sum: dep.Sum, Dirs: dirs[dep.Path+"@"+dep.Version]})
	}
	slices.SortFunc(modules, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	for i, m := range modules {
		if len(m.Dirs) == 0 {
			return nil, fmt.Errorf("%s@%s is in the binary, but %s is built without it: build the binary again", m.Path, m.Version, source)
		}
		slices.Sort(m.Dirs)
		modules[i].Dirs = slices.Compact(m.Dirs)
	}
	return modules, nil
}

// packageFormat has go list print the module, the module's folder and the folder of each package. One package stands for
// all of the standard library.
const packageFormat = `{{if eq .ImportPath "runtime"}}` + standardLibrary + `	{{.Root}}	{{.Root}}{{else if not .Standard}}{{with .Module}}` +
	`{{with .Replace}}{{.Path}}@{{.Version}}{{else}}{{.Path}}@{{.Version}}{{end}}	{{.Dir}}{{end}}	{{.Dir}}{{end}}`

// linkedDirs returns the folders that may hold a licence of what the binary links, by module. What it links depends on
// its system and tags.
func linkedDirs(info *buildinfo.BuildInfo, source string) (map[string][]string, error) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	cmd := exec.Command("go", "list", "-deps", "-tags="+settings["-tags"], "-f", packageFormat, ".")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOOS="+settings["GOOS"], "GOARCH="+settings["GOARCH"], "CGO_ENABLED="+settings["CGO_ENABLED"])
	listed, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("go list: %w: %s", err, exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	dirs := map[string][]string{}
	for line := range strings.Lines(string(listed)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		module, root := fields[0], fields[1]
		for dir := fields[2]; len(dir) >= len(root); dir = filepath.Dir(dir) {
			dirs[module] = append(dirs[module], dir)
		}
	}
	return dirs, nil
}
