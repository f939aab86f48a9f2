// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
