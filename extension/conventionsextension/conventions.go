// SPDX-License-Identifier: Apache-2.0

package conventionsextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// conventions hands its policy to the components that start after it, and what they show of the collector's
// configuration.
type conventions struct {
	live      *policy.Live
	receivers []conformance.Receiver
	reloader  *reloader
}

var (
	_ policy.Extension                            = (*conventions)(nil)
	_ extensioncapabilities.ConfigSnapshotWatcher = (*conventions)(nil)
	_ extensioncapabilities.PipelineWatcher       = (*conventions)(nil)
)

// Live implements policy.Extension.
func (c *conventions) Live() *policy.Live { return c.live }

// Receivers returns where the collector gets OTLP. A page without data shows it.
func (c *conventions) Receivers() []conformance.Receiver { return c.receivers }

// Reloads returns which files the policy comes from, and what became of their last change.
func (c *conventions) Reloads() conformance.Reloads { return c.reloader.reloads() }

// Ready implements extensioncapabilities.PipelineWatcher. From now on all components have their policy.
func (c *conventions) Ready() error {
	c.reloader.start()
	return nil
}

// NotReady implements extensioncapabilities.PipelineWatcher. Components are about to stop.
func (c *conventions) NotReady() error {
	c.reloader.shutdown()
	return nil
}

// NotifyConfigSnapshot implements extensioncapabilities.ConfigSnapshotWatcher. The collector calls it before
// the components of pipelines start.
func (c *conventions) NotifyConfigSnapshot(_ context.Context, snapshot extensioncapabilities.ConfigSnapshot) error {
	if conf := snapshot.Effective(); conf != nil {
		c.receivers = otlpReceivers(conf)
	}
	return nil
}

// Start implements component.Component. Another extension of this type is an error, because components
// could not know which one is meant.
func (c *conventions) Start(_ context.Context, host component.Host) error {
	c.reloader.host = host
	_, err := policy.Find(host)
	return err
}

// Shutdown implements component.Component.
func (c *conventions) Shutdown(context.Context) error {
	c.reloader.shutdown()
	c.reloader.telemetry.Shutdown()
	return nil
}
