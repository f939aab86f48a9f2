// SPDX-License-Identifier: Apache-2.0

package storageguardextension

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/front"
	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/internal/boltcheck"
)

// guard checks a directory once. Whatever it finds, the collector starts: errors are logged and counted.
type guard struct {
	config    *Config
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder

	checked, damaged, skipped int64
}

func (g *guard) run(ctx context.Context) {
	begin := time.Now()
	entries, err := os.ReadDir(g.config.Directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.skipped++ // counted as one, because the number of files is unknown
		g.logger.Error("Cannot read the directory of stored files. Files that are not listed are not checked.", zap.Error(err))
	}
	var files []string
	for _, entry := range entries {
		path := filepath.Join(g.config.Directory, entry.Name())
		// bbolt accepts an empty file as a new database.
		info, err := os.Stat(path)
		if isClientFile(entry.Name()) && (err != nil || info.Mode().IsRegular() && info.Size() > 0) {
			files = append(files, path)
		}
	}
	for _, result := range boltcheck.Check(ctx, files) {
		g.handle(result)
	}
	g.telemetry.StorageGuardCheckTime.Record(ctx, time.Since(begin).Seconds())
	g.telemetry.StorageGuardCheckedFiles.Add(ctx, g.checked)
	g.telemetry.StorageGuardDamagedFiles.Add(ctx, g.damaged)
	g.telemetry.StorageGuardSkippedFiles.Add(ctx, g.skipped)
}

// restore keeps the order of a queue over the restart.
func (g *guard) restore(file zap.Field) {
	requests, err := front.Restore(file.String)
	switch {
	case err != nil:
		g.logger.Error("Cannot put requests back to the front of their queue. They are sent last.", file, zap.Error(err))
	case requests > 0:
		g.logger.Info("Requests that were being sent are again the first of their queue.", file, zap.Int("requests", requests))
	}
}

// handle renames a damaged file.
func (g *guard) handle(result boltcheck.Result) {
	file, damage := zap.String("file", result.File), zap.String("damage", result.Damage)
	if result.Unknown != "" {
		g.skipped++
		g.logger.Error("Cannot check a stored file. It stays unchanged.", file, zap.String("error", result.Unknown))
		return
	}
	g.checked++
	if result.Damage == "" {
		g.restore(file)
		return
	}
	aside, err := setAside(result.File, time.Now(), g.config.Keep)
	if aside == "" {
		g.skipped++
		g.logger.Error("A stored file is damaged and cannot be set aside. Components that use it will fail.", file, damage, zap.Error(err))
		return
	}
	g.damaged++
	g.logger.Error("A stored file is damaged and was set aside. Its data is not delivered or restored.",
		file, zap.String("now", aside), damage)
	if err != nil {
		g.logger.Error("Cannot delete older damaged files.", zap.Error(err))
	}
}
