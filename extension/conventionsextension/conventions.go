package conventionsextension

import (
	"context"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// conventions hands its policy to the components that start after it.
type conventions struct{ policy *policy.Policy }

var _ policy.Extension = (*conventions)(nil)

// Policy implements policy.Extension.
func (c *conventions) Policy() *policy.Policy { return c.policy }

// Start implements component.Component. Another extension of this type is an error, because components
// could not know which one is meant.
func (*conventions) Start(_ context.Context, host component.Host) error {
	_, _, err := policy.Find(host)
	return err
}

// Shutdown implements component.Component.
func (*conventions) Shutdown(context.Context) error { return nil }
