// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// inputs are the files that all architectures share.
type inputs struct {
	version, certificates, accounts string
	licence                         string // the folder of LICENSE and NOTICE
	built                           time.Time
}

// image builds the image of one architecture from dir, which holds the binary and its
// inventory. What changes least comes first: those who have that layer need not pull it.
func image(arch, dir string, in inputs) (v1.Image, error) {
	const doc = "/usr/share/doc/otelcol-tc/"
	layers := []struct {
		createdBy string
		files     []file
	}{
		{"accounts, certificate authorities and writable directories", []file{
			{path: "/etc/passwd", mode: 0o644, source: filepath.Join(in.accounts, "passwd")},
			{path: "/etc/group", mode: 0o644, source: filepath.Join(in.accounts, "group")},
			{path: "/etc/ssl/certs/ca-certificates.crt", mode: 0o644, source: in.certificates},
			{path: "/tmp", mode: 0o1777},
			{path: stateDir, mode: 0o750, owner: userID},
		}},
		{"licences", []file{
			{path: doc + "LICENSE", mode: 0o644, source: filepath.Join(in.licence, "LICENSE")},
			{path: doc + "NOTICE", mode: 0o644, source: filepath.Join(in.licence, "NOTICE")},
			{path: doc + "licences.csv", mode: 0o644, source: filepath.Join(dir, "licences.csv")},
			{path: doc + "licences.txt", mode: 0o644, source: filepath.Join(dir, "licences.txt")},
		}},
		{"binary", []file{
			{path: "/otelcol-tc", mode: 0o755, source: filepath.Join(dir, "otelcol-tc")},
		}},
	}

	c, err := config(arch, in.version, in.built)
	if err != nil {
		return nil, err
	}
	configured, err := mutate.ConfigFile(empty.Image, c)
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(configured, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, l := range layers {
		packed, err := layer(l.files, in.built)
		if err != nil {
			return nil, err
		}
		history := v1.History{Created: v1.Time{Time: in.built}, CreatedBy: "make image: " + l.createdBy}
		if img, err = mutate.Append(img, mutate.Addendum{Layer: packed, History: history}); err != nil {
			return nil, err
		}
	}
	return img, nil
}

// The user of the image. A number, so that Kubernetes can tell that it is not root.
const userID = 65532

// stateDir holds queues and positions.
const stateDir = "/var/lib/otelcol-tc"

// configJSON is the config of all architectures, as the Dockerfile has it, which says why.
//
//go:embed config.json
var configJSON []byte

func config(arch, version string, built time.Time) (*v1.ConfigFile, error) {
	c := &v1.ConfigFile{}
	if err := json.Unmarshal(configJSON, c); err != nil {
		return nil, err
	}
	c.Architecture, c.Created = arch, v1.Time{Time: built}
	c.Config.Labels["org.opencontainers.image.version"] = version
	return c, nil
}
