package wirefold

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Folder makes requests smaller before they are decoded. It is safe for concurrent use.
type Folder interface {
	// Fold decodes a request of metrics, which it may have made smaller. What it returns is
	// to be told what became of the request; nil where nothing depends on that. The request
	// is not kept.
	Fold(request []byte, decode func(request []byte) error) (Batch, error)
	// UseNamer tells it which processor stands between the wire and it.
	UseNamer(id component.ID, namer Namer) error
}

// Batch is what was taken out of one request.
type Batch interface {
	// Settle says whether the request was accepted. Only the first call counts.
	Settle(ctx context.Context, err error)
}

// Namer says what naming would do. It is safe for concurrent use.
type Namer interface {
	// Rehearse makes metrics conformant, of which nothing is counted. There is one, and its
	// owner is returned, or nil.
	Rehearse(md pmetric.Metrics) *naming.System
	// Attribute decides a key of a point; nil where there is nothing to do.
	Attribute(owner *naming.System, key string) *naming.AttributeDecision
	// Value makes a value what a decision of its key says.
	Value(owner *naming.System, decision *naming.AttributeDecision, value pcommon.Value)
	// MaxValueBytes is the longest value that stays as it is.
	MaxValueBytes() int
	// Changes counts how often what was decided of a metric has changed since.
	Changes() uint64
}

// Registry is an extension that sees the bytes of requests.
type Registry interface {
	// UseFolder has a processor fold the requests. There can be one.
	UseFolder(id component.ID, folder Folder) error
	// Folder is the processor that does, or nil.
	Folder() Folder
}
