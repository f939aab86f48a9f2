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
	policy    *policy.Policy
	receivers []conformance.Receiver
}

var (
	_ policy.Extension                            = (*conventions)(nil)
	_ extensioncapabilities.ConfigSnapshotWatcher = (*conventions)(nil)
)

// Policy implements policy.Extension.
func (c *conventions) Policy() *policy.Policy { return c.policy }

// Receivers returns where the collector gets OTLP. A page without data shows it.
func (c *conventions) Receivers() []conformance.Receiver { return c.receivers }

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
func (*conventions) Start(_ context.Context, host component.Host) error {
	_, _, err := policy.Find(host)
	return err
}

// Shutdown implements component.Component.
func (*conventions) Shutdown(context.Context) error { return nil }
