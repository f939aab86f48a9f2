// SPDX-License-Identifier: Apache-2.0

// Program inventory tells what is linked into a Go binary:
//
//	inventory -source . -version 0.2.0 -output dist/linux-amd64 dist/linux-amd64/otelcol-tc
//
// It writes licences.csv and licences.txt, which have to travel with the binary, and
// sbom.cdx.json, a bill of materials in CycloneDX's format. It fails when a module has no
// licence, one that is not known, or one that is not allowed.
package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/licenseclassifier/v2/assets"

	"github.com/otelcol-tc/otelcol-tc/deploy/release/internal/epoch"
)

func main() {
	source := flag.String("source", ".", "folder of the binary's main package")
	version := flag.String("version", "", "version of the binary")
	output := flag.String("output", ".", "folder to write to")
	flag.Parse()
	if err := run(*source, *version, *output, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "inventory:", err)
		os.Exit(1)
	}
}

func run(source, version, output string, args []string) error {
	if len(args) != 1 || version == "" {
		return errors.New("needs -version and one binary")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	modules, err := linkedModules(info, source)
	if err != nil {
		return err
	}
	known, err := assets.DefaultClassifier()
	if err != nil {
		return err
	}
	var errs []error
	for i, m := range modules {
		modules[i].Texts, err = readTexts(m, known)
		errs = append(errs, err)
	}
	if err := errors.Join(append(errs, check(modules))...); err != nil {
		return err
	}
	built, err := epoch.Time()
	if err != nil {
		return err
	}
	sbom, err := billOfMaterials(args[0], info.Main.Path, version, built, modules)
	if err != nil {
		return err
	}
	csv, err := table(modules)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"licences.csv": csv, "licences.txt": texts(modules), "sbom.cdx.json": sbom} {
		if err := os.WriteFile(filepath.Join(output, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
