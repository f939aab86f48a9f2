// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/metadatatest"
	"github.com/otelcol-tc/otelcol-tc/internal/boltcheck"
)

// runIfChild is called by TestMain, because the guard's child processes run the test binary.
func runIfChild() {
	if len(os.Args) > 1 && os.Args[1] == boltcheck.CommandName {
		cmd := boltcheck.NewCommand()
		cmd.SetArgs(os.Args[2:])
		if cmd.Execute() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// client opens the file of a component with this name.
func client(t testing.TB, directory, name string) (storage.Client, error) {
	t.Helper()
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory = directory
	ext, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	require.NoError(t, err)
	return ext.(storage.Extension).GetClient(t.Context(), component.KindExporter,
		component.MustNewIDWithName("otlp", name), "traces")
}

// fileOf returns the name of that file.
func fileOf(name string) string { return "exporter_otlp_" + name + "_traces" }

// store fills such a file like a queue that was longer before.
func store(t testing.TB, directory, name string, items, size int) {
	t.Helper()
	c, err := client(t, directory, name)
	require.NoError(t, err)
	for i := range items {
		require.NoError(t, c.Set(t.Context(), fmt.Sprint(i), make([]byte, 1+(i*7919)%size)))
	}
	for i := range items / 3 {
		require.NoError(t, c.Delete(t.Context(), fmt.Sprint(i)))
	}
	require.NoError(t, c.Close(t.Context()))
}

// runGuard creates the extension, which checks the files.
func runGuard(t testing.TB, directory string) (*componenttest.Telemetry, *observer.ObservedLogs) {
	t.Helper()
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.WithoutCancel(t.Context()))) })
	core, logs := observer.New(zap.InfoLevel)
	set := metadatatest.NewSettings(telemetry)
	set.Logger = zap.New(core)
	var ext extension.Extension
	ext, err := NewFactory().Create(t.Context(), set, &Config{Directory: directory, Keep: 3})
	require.NoError(t, err)
	require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, ext.Shutdown(t.Context()))
	require.Equal(t, metadata.Type, NewFactory().Type())
	return telemetry, logs
}

// usedDirectory is the variable with the directory for the process that useAll starts.
const usedDirectory = "TC_STORAGE_GUARD_USED"

// useAll opens all files of a directory in a child process, because the failure of bbolt on a damaged file
// ends the process.
func useAll(t testing.TB, directory string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUseAllInThisProcess$", "-test.v")
	cmd.Env = append(os.Environ(), usedDirectory+"="+directory)
	all, err := cmd.CombinedOutput()
	return string(all), err
}

func TestUseAllInThisProcess(t *testing.T) {
	directory := os.Getenv(usedDirectory)
	if directory == "" {
		t.Skip("started by useAll")
	}
	files, err := filepath.Glob(filepath.Join(directory, fileOf("*")))
	require.NoError(t, err)
	for _, file := range files {
		var name string
		base := filepath.Base(file)
		name = base[len("exporter_otlp_") : len(base)-len("_traces")]
		t.Log("using", name)
		c, err := client(t, directory, name)
		require.NoError(t, err)
		var keys []string
		require.NoError(t, c.(storage.Walker).Walk(t.Context(), func(key string, value []byte) ([]*storage.Operation, error) {
			keys = append(keys, key)
			if len(value) > 0 && value[len(value)-1] == 'x' { // reads the last page
				t.Log(key)
			}
			return nil, nil
		}))
		for i := range 100 {
			require.NoError(t, c.Set(t.Context(), fmt.Sprint("new", i), make([]byte, 1000)))
		}
		for _, key := range keys {
			require.NoError(t, c.Delete(t.Context(), key))
		}
		require.NoError(t, c.Close(t.Context()))
	}
}
