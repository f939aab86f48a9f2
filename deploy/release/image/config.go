// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// The user of the image. A number, so that Kubernetes can tell that it is not root.
const userID, user = 65532, "65532:65532"

// stateDir holds queues and positions.
const stateDir = "/var/lib/otelcol-tc"

// config is the same as the Dockerfile's, to which tests/deploy/image_test.go holds it.
func config(arch, version string, built time.Time) v1.ConfigFile {
	return v1.ConfigFile{
		Architecture: arch,
		OS:           "linux",
		Created:      v1.Time{Time: built},
		RootFS:       v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:       user,
			WorkingDir: stateDir,
			Entrypoint: []string{"/otelcol-tc"},
			// The profile that starts anywhere; an agent needs its node.
			Cmd: []string{"--config", "builtin:gateway"},
			// The network of a container decides who reaches it. The page stays on loopback: it shows
			// what services there are, without authentication.
			Env: []string{
				"OTELCOL_TC_OTLP_GRPC_ENDPOINT=0.0.0.0:4317",
				"OTELCOL_TC_OTLP_HTTP_ENDPOINT=0.0.0.0:4318",
				"OTELCOL_TC_PROMETHEUS_ENDPOINT=0.0.0.0:9464",
				"OTELCOL_TC_HEALTH_ENDPOINT=0.0.0.0:13133",
				"OTELCOL_TC_READINESS_ENDPOINT=0.0.0.0:13134",
				"OTELCOL_TC_TELEMETRY_HOST=0.0.0.0",
			},
			ExposedPorts: map[string]struct{}{
				"4317/tcp": {}, "4318/tcp": {}, "8888/tcp": {}, "9464/tcp": {}, "13133/tcp": {}, "13134/tcp": {},
			},
			Labels: map[string]string{
				"org.opencontainers.image.title":       "otelcol-tc",
				"org.opencontainers.image.description": "OpenTelemetry Collector distribution for tensor and model-serving clusters",
				"org.opencontainers.image.source":      "https://github.com/otelcol-tc/otelcol-tc",
				"org.opencontainers.image.version":     version,
				"org.opencontainers.image.licenses":    "Apache-2.0",
			},
		},
	}
}
