package storageguardextension

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/storageguardextension/internal/metadata"
)

// guard goes through a directory once. Whatever it finds, the collector starts: errors are
// logged and counted.
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
		g.skipped++ // as one, since nobody knows how many are in it
		g.logger.Error("Cannot read the directory of stored files. Those that it does not list are not checked.", zap.Error(err))
	}
	for _, entry := range entries {
		if isClientFile(entry.Name()) {
			g.visit(filepath.Join(g.config.Directory, entry.Name()))
		}
	}
	g.telemetry.StorageGuardCheckTime.Record(ctx, time.Since(begin).Seconds())
	g.telemetry.StorageGuardCheckedFiles.Add(ctx, g.checked)
	g.telemetry.StorageGuardDamagedFiles.Add(ctx, g.damaged)
	g.telemetry.StorageGuardSkippedFiles.Add(ctx, g.skipped)
}

// visit checks one file, and sets it aside if it is damaged.
func (g *guard) visit(path string) {
	damage, err := inspect(path)
	switch {
	case errors.Is(err, errNothingStored):
		return
	case err != nil:
		g.skipped++
		g.logger.Error("Cannot check a stored file. It is left as it is.", zap.String("file", path), zap.Error(err))
		return
	}
	g.checked++
	if damage == nil {
		return
	}
	aside, err := setAside(path, time.Now(), g.config.Keep)
	if aside == "" {
		g.skipped++
		g.logger.Error("A stored file is damaged and cannot be set aside. What needs it will fail.",
			zap.String("file", path), zap.NamedError("damage", damage), zap.Error(err))
		return
	}
	g.damaged++
	g.logger.Error("A stored file is damaged and was set aside. What was in it will not be delivered or remembered.",
		zap.String("file", path), zap.String("now", aside), zap.NamedError("damage", damage))
	if err != nil {
		g.logger.Error("Cannot delete older damaged files.", zap.Error(err))
	}
}
