// SPDX-License-Identifier: Apache-2.0

// Program image builds the container image without a container engine:
//
//	image -version 0.2.0 -certificates ca-certificates.crt -accounts deploy/container/rootfs/etc \
//		-licence . -output dist/image amd64=dist/linux-amd64 arm64=dist/linux-arm64
//
// Each folder holds a binary and its inventory. The output is a folder with an OCI image
// layout with one index, whose archive skopeo, podman, docker and containerd load. The digest
// is printed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/otelcol-tc/otelcol-tc/deploy/release/internal/epoch"
)

func main() {
	var in inputs
	flag.StringVar(&in.version, "version", "", "version of the binary, which becomes the tag")
	flag.StringVar(&in.certificates, "certificates", "", "file of certificate authorities, as PEM")
	flag.StringVar(&in.accounts, "accounts", "", "folder of passwd and group")
	flag.StringVar(&in.licence, "licence", "", "folder of LICENSE and NOTICE")
	output := flag.String("output", "", "folder to write")
	flag.Parse()
	if err := run(in, *output, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(in inputs, output string, args []string) (err error) {
	if in.version == "" || in.certificates == "" || in.accounts == "" || in.licence == "" || output == "" || len(args) == 0 {
		return errors.New("needs -version, -certificates, -accounts, -licence, -output and a folder for each architecture")
	}
	if in.built, err = epoch.Time(); err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arg := range args {
		arch, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("an architecture must be of the form arch=folder (got %q)", arg)
		}
		img, err := image(arch, dir, in)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	// The layout's own index has one entry, which is what tools load: with all architectures.
	tagged := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add:        index,
		Descriptor: v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": in.version}},
	})
	if _, err := layout.Write(output, tagged); err != nil {
		return err
	}
	fmt.Println(digest)
	return nil
}
