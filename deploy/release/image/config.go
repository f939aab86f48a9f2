// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

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
