package wirelimitsextension

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"google.golang.org/grpc/mem"

	"github.com/otelcol-tc/otelcol-tc/internal/grpcframes"
	"github.com/otelcol-tc/otelcol-tc/internal/wirefold"
)

// folding is the processor that makes requests smaller before they are decoded. It is set
// before the receivers start.
type folding struct {
	id     component.ID
	folder wirefold.Folder // nil: there is none
}

var _ wirefold.Registry = (*middleware)(nil)

// UseFolder implements wirefold.Registry.
func (m *middleware) UseFolder(id component.ID, folder wirefold.Folder) error {
	if m.folding.folder != nil {
		return fmt.Errorf("wire: must be of one processor in one pipeline only: %q has this extension already (got %q)", m.folding.id, id)
	}
	m.folding = folding{id, folder}
	return nil
}

// Folder implements wirefold.Registry.
func (m *middleware) Folder() wirefold.Folder { return m.folding.folder }

// fold has a request decoded, of which points may be folded before: the limits are those of
// what is decoded.
func (c *codec) fold(data mem.BufferSlice, decode func(mem.BufferSlice) error) (wirefold.Batch, error) {
	whole, free := grpcframes.Whole(data)
	defer free()
	return c.middleware.folding.folder.Fold(whole, func(decoded []byte) error {
		return decode(mem.BufferSlice{mem.SliceBuffer(decoded)})
	})
}

// errNotAccepted is what became of calls that nobody processed, or not to their end.
var errNotAccepted = errors.New("the request was not accepted")

// settle tells who folded the call's request what became of it, unless the pipeline has.
func (c *call) settle(ctx context.Context) {
	if c.Batch == nil {
		return
	}
	var err error
	if !c.accepted {
		err = errNotAccepted
	}
	c.Batch.Settle(context.WithoutCancel(ctx), err)
}
