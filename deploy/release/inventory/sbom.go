// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/package-url/packageurl-go"
)

// billOfMaterials is sbom.cdx.json: the binary and all that is linked into it.
func billOfMaterials(binary, mainModule, version string, built time.Time, modules []module) ([]byte, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	purl := packageURL(mainModule, version)
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: built.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef:     purl,
			Type:       cyclonedx.ComponentTypeApplication,
			Name:       mainModule,
			Version:    version,
			PackageURL: purl,
			Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		},
	}
	var components []cyclonedx.Component
	for _, m := range modules {
		c, err := component(m)
		if err != nil {
			return nil, err
		}
		components = append(components, c)
	}
	bom.Components = &components

	var out bytes.Buffer
	err = cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return out.Bytes(), err
}

func component(m module) (cyclonedx.Component, error) {
	purl := packageURL(m.Path, m.Version)
	c := cyclonedx.Component{
		BOMRef:     purl,
		Type:       cyclonedx.ComponentTypeLibrary,
		Name:       m.Path,
		Version:    m.Version,
		Scope:      cyclonedx.ScopeRequired,
		PackageURL: purl,
	}
	var licences cyclonedx.Licenses
	for _, name := range m.licences() {
		licences = append(licences, cyclonedx.LicenseChoice{License: &cyclonedx.License{ID: name}})
	}
	c.Licenses = &licences
	if m.Sum != "" {
		encoded, ok := strings.CutPrefix(m.Sum, "h1:")
		sum, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil {
			return c, fmt.Errorf("%s@%s: sum %q is not of the form h1:base64", m.Path, m.Version, m.Sum)
		}
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c, nil
}

// packageURL identifies a module for the databases of vulnerabilities.
func packageURL(path, version string) string {
	namespace, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		namespace, name = path[:i], path[i+1:]
	}
	return packageurl.NewPackageURL(packageurl.TypeGolang, namespace, name, version, nil, "").ToString()
}
