// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// brokenStorage is a directory of file_storage with a file that is damaged, and one that
// another process, this one, has open.
func brokenStorage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	f := func(name string) (string, *bbolt.DB) {
		path := filepath.Join(dir, name)
		db, err := bbolt.Open(path, 0o600, nil)
		require.NoError(t, err)
		return path, db
	}
	damaged, db := f("exporter_otlp_http_backend_traces")
	require.NoError(t, db.Close())
	collectortest.Truncate(t, damaged, 2)
	_, held := f("exporter_otlp_http_backend_logs")
	t.Cleanup(func() { require.NoError(t, held.Close()) })
	return dir
}
