// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// testImage looks at the image as those who pull it see it: its config, its files, and
// whether it runs.
func testImage(t *testing.T, folder string) {
	certificates := filepath.Join(t.TempDir(), "ca-certificates.crt")
	require.NoError(t, os.WriteFile(certificates, []byte(releaseTool(t, nil, "certificates")), 0o644))
	built := buildImage(t, folder, certificates)
	blobs := readFolder(t, built)
	image := readImage(t, blobs)

	t.Run("config is the Dockerfile's", func(t *testing.T) {
		got := image.config
		want := readDockerfile(t, "../../deploy/container/Dockerfile")
		assert.Equal(t, want, got)
		assert.Equal(t, releaseVersion(t), got.Labels["org.opencontainers.image.version"])
		assert.Equal(t, []string{"/otelcol-tc"}, got.Entrypoint)
		assert.Equal(t, "65532:65532", got.User)
		assert.Subset(t, got.ExposedPorts, map[string]struct{}{"4317/tcp": {}, "4318/tcp": {}, "13133/tcp": {}})
	})

	t.Run("files, modes and owners", func(t *testing.T) {
		var got []string
		for _, f := range image.files {
			got = append(got, fmt.Sprintf("%s %04o %d:%d", f.header.Name, f.header.Mode, f.header.Uid, f.header.Gid))
		}
		slices.Sort(got)
		// Nothing but the two directories can be written to by the user, and nothing is setuid.
		assert.Equal(t, []string{
			"etc/ 0755 0:0",
			"etc/group 0644 0:0",
			"etc/passwd 0644 0:0",
			"etc/ssl/ 0755 0:0",
			"etc/ssl/certs/ 0755 0:0",
			"etc/ssl/certs/ca-certificates.crt 0644 0:0",
			"otelcol-tc 0755 0:0",
			"tmp/ 1777 0:0",
			"usr/ 0755 0:0",
			"usr/share/ 0755 0:0",
			"usr/share/doc/ 0755 0:0",
			"usr/share/doc/otelcol-tc/ 0755 0:0",
			"usr/share/doc/otelcol-tc/LICENSE 0644 0:0",
			"usr/share/doc/otelcol-tc/NOTICE 0644 0:0",
			"usr/share/doc/otelcol-tc/licences.csv 0644 0:0",
			"usr/share/doc/otelcol-tc/licences.txt 0644 0:0",
			"var/ 0755 0:0",
			"var/lib/ 0755 0:0",
			"var/lib/otelcol-tc/ 0750 65532:65532",
		}, got)
		binary, err := os.ReadFile(collectortest.Binary(t))
		require.NoError(t, err)
		assert.Equal(t, sha256.Sum256(binary), sha256.Sum256(image.file(t, "otelcol-tc")))
		assert.Contains(t, string(image.file(t, "etc/passwd")), ":x:65532:65532:")
		assert.Contains(t, string(image.file(t, "etc/group")), ":x:65532:")
	})

	t.Run("certificate authorities", func(t *testing.T) {
		count := 0
		for rest := image.file(t, "etc/ssl/certs/ca-certificates.crt"); ; count++ {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				assert.Empty(t, rest)
				break
			}
			certificate, err := x509.ParseCertificate(block.Bytes)
			require.NoError(t, err)
			assert.True(t, certificate.IsCA, certificate.Subject)
		}
		assert.Greater(t, count, 50)
	})

	t.Run("same input, same digest", func(t *testing.T) {
		copied := t.TempDir()
		require.NoError(t, os.CopyFS(copied, os.DirFS(folder)))
		require.NoError(t, os.Chmod(filepath.Join(copied, "otelcol-tc"), 0o700))
		again := readFolder(t, buildImage(t, copied, certificates))
		assert.Equal(t, blobs["index.json"], again["index.json"], "it has the digest")
	})

	t.Run("runs", func(t *testing.T) {
		root := t.TempDir()
		image.extract(t, root)
		env := map[string]string{}
		for _, variable := range image.config.Env {
			key, value, _ := strings.Cut(variable, "=")
			env[key] = value
		}
		maps.Copy(env, ownEndpoints())
		j := newJail(t, root, image.config.User, env, "/tmp", "/var/lib/otelcol-tc")
		env["OTELCOL_TC_STATE"] = j.path("/var/lib/otelcol-tc")
		command := append(slices.Clone(image.config.Entrypoint), image.config.Cmd...)
		j.requireRuns(t, command[0], command[1:]...)
	})
}
