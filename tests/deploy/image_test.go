// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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

// buildImage returns the folder with the image for this machine's architecture.
func buildImage(t *testing.T, folder, certificates string) string {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	releaseTool(t, []string{"SOURCE_DATE_EPOCH=1700000000"}, "image", "-version", releaseVersion(t), "-certificates", certificates,
		"-accounts", "deploy/container/rootfs/etc", "-licence", ".", "-output", image, runtime.GOARCH+"="+folder)
	return image
}

// imageConfig is what an image tells its runtime.
type imageConfig struct {
	User         string
	WorkingDir   string
	Entrypoint   []string
	Cmd          []string
	Env          []string
	ExposedPorts map[string]struct{}
	Labels       map[string]string
}

type imageFile struct {
	header  *tar.Header
	content []byte
}

type containerImage struct {
	config imageConfig
	files  []imageFile
}

// readFolder returns the content of each file below a folder.
func readFolder(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = os.ReadFile(filepath.Join(folder, name))
		return err
	}))
	return files
}

func readTar(t *testing.T, from io.Reader) []imageFile {
	t.Helper()
	var files []imageFile
	for r := tar.NewReader(from); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		files = append(files, imageFile{header, content})
	}
}

// descriptor points at a blob of an image layout.
type descriptor struct {
	Digest   string
	Size     int
	Platform struct{ OS, Architecture string }
}

// readImage follows a layout from its index to the files, as a runtime does.
func readImage(t *testing.T, blobs map[string][]byte) containerImage {
	t.Helper()
	blob := func(d descriptor) []byte {
		content, ok := blobs["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
		require.True(t, ok, "no blob %s", d.Digest)
		sum := sha256.Sum256(content)
		require.Equal(t, d.Digest, "sha256:"+hex.EncodeToString(sum[:]))
		require.Len(t, content, d.Size)
		return content
	}
	only := func(index []byte) descriptor {
		var list struct{ Manifests []descriptor }
		require.NoError(t, json.Unmarshal(index, &list))
		require.Len(t, list.Manifests, 1)
		return list.Manifests[0]
	}
	require.JSONEq(t, `{"imageLayoutVersion": "1.0.0"}`, string(blobs["oci-layout"]))
	image := only(blob(only(blobs["index.json"])))
	assert.Equal(t, "linux", image.Platform.OS)
	assert.Equal(t, runtime.GOARCH, image.Platform.Architecture)

	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	require.NoError(t, json.Unmarshal(blob(image), &manifest))
	var config struct {
		OS, Architecture string
		Config           imageConfig
		RootFS           struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	require.NoError(t, json.Unmarshal(blob(manifest.Config), &config))
	assert.Equal(t, image.Platform.OS, config.OS)
	assert.Equal(t, image.Platform.Architecture, config.Architecture)
	require.Len(t, config.RootFS.DiffIDs, len(manifest.Layers))

	result := containerImage{config: config.Config}
	seen := map[string]bool{}
	for i, layer := range manifest.Layers {
		unpacked, err := gzip.NewReader(bytes.NewReader(blob(layer)))
		require.NoError(t, err)
		content, err := io.ReadAll(unpacked)
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		require.Equal(t, config.RootFS.DiffIDs[i], "sha256:"+hex.EncodeToString(sum[:]))
		for _, f := range readTar(t, bytes.NewReader(content)) {
			// A directory is in each layer that has something in it.
			if !seen[f.header.Name] {
				result.files = append(result.files, f)
			}
			seen[f.header.Name] = true
		}
	}
	return result
}

func (i containerImage) file(t *testing.T, name string) []byte {
	t.Helper()
	for _, f := range i.files {
		if f.header.Name == name {
			return f.content
		}
	}
	t.Fatalf("the image has no %s", name)
	return nil
}

// extract lays the image's files out below root, with their owners where the test may.
func (i containerImage) extract(t *testing.T, root string) {
	t.Helper()
	for _, f := range i.files {
		path := filepath.Join(root, f.header.Name)
		if f.header.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(path, 0o755))
		} else {
			require.NoError(t, os.WriteFile(path, f.content, 0o600))
		}
		if os.Getuid() == 0 {
			require.NoError(t, os.Chown(path, f.header.Uid, f.header.Gid))
		}
		require.NoError(t, os.Chmod(path, f.header.FileInfo().Mode()))
	}
}

// readDockerfile returns what the last stage tells the runtime. It knows the instructions
// that this Dockerfile has, in the forms that it has them in.
func readDockerfile(t *testing.T, path string) imageConfig {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	_, stage, ok := strings.Cut(string(content), "\nFROM scratch\n")
	require.True(t, ok, "no last stage from scratch")
	config := imageConfig{ExposedPorts: map[string]struct{}{}, Labels: map[string]string{}}
	list := func(encoded string) (words []string) {
		require.NoError(t, json.Unmarshal([]byte(encoded), &words))
		return words
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(stage, "\\\n", " "), "\n") {
		instruction, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch instruction {
		case "", "#", "COPY":
		case "USER":
			config.User = rest
		case "WORKDIR":
			config.WorkingDir = rest
		case "ENTRYPOINT":
			config.Entrypoint = list(rest)
		case "CMD":
			config.Cmd = list(rest)
		case "ENV":
			config.Env = quotedPairs(rest)
		case "LABEL":
			for _, pair := range quotedPairs(rest) {
				key, value, _ := strings.Cut(pair, "=")
				config.Labels[key] = value
			}
		case "EXPOSE":
			for port := range strings.FieldsSeq(rest) {
				config.ExposedPorts[port+"/tcp"] = struct{}{}
			}
		default:
			t.Fatalf("%s: instruction %s is not known to this test", path, instruction)
		}
	}
	return config
}

// quotedPair is key="value", as in ENV and LABEL.
var quotedPair = regexp.MustCompile(`(\S+)="([^"]*)"`)

func quotedPairs(s string) []string {
	var pairs []string
	for _, found := range quotedPair.FindAllStringSubmatch(s, -1) {
		pairs = append(pairs, found[1]+"="+found[2])
	}
	return pairs
}
