// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listedPackage is what go list says of a package.
type listedPackage struct {
	Dir      string
	Standard bool
	Module   *listedModule
}

type listedModule struct {
	Path, Version, Dir string
	Replace            *listedModule
}

// module returns the path and version of the module that the package's code is from.
func (p listedPackage) module() string {
	m := p.Module
	if m.Replace != nil {
		m = m.Replace
	}
	return m.Path + "@" + m.Version
}

// dirs are those that may hold a licence of the package.
func (p listedPackage) dirs() []string {
	if p.Standard {
		return []string{p.Module.Dir}
	}
	dirs := []string{p.Dir}
	for dir := p.Dir; len(dir) > len(p.Module.Dir); {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// listPackages returns all that the binary links, which depends on its system and tags.
func listPackages(info *buildinfo.BuildInfo, source string) ([]listedPackage, error) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	env := append(os.Environ(), "GOOS="+settings["GOOS"], "GOARCH="+settings["GOARCH"], "CGO_ENABLED="+settings["CGO_ENABLED"])
	root, err := goCommand(source, env, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	goRoot, goVersion, _ := strings.Cut(strings.TrimSpace(string(root)), "\n")
	standard := &listedModule{Path: standardLibrary, Version: strings.TrimPrefix(goVersion, "go"), Dir: goRoot}

	listed, err := goCommand(source, env, "list", "-deps", "-tags="+settings["-tags"], "-json=Dir,Standard,Module", ".")
	if err != nil {
		return nil, err
	}
	var packages []listedPackage
	for decoder := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Standard {
			p.Module = standard
		}
		packages = append(packages, p)
	}
}

func goCommand(dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, env
	output, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, exit.Stderr)
	}
	return output, err
}
