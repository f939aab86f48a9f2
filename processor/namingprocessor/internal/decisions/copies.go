// SPDX-License-Identifier: Apache-2.0

package decisions

import (
	"cmp"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/claims"
)

// Copy is a copy of a metric, with its claim to its name.
type Copy struct {
	naming.Copy
	// Unconvertible means that the values cannot be converted to the unit of the copy. There is no copy.
	Unconvertible bool
	claim         *claims.Claim
}

// outdated reports whether the claim must be made again.
func (c *Copy) outdated() bool { return c.claim != nil && c.claim.Verdict() == nil }

// CopyVerdict returns the outcome of a copy's claim to its name, or nil.
func (n *Names) CopyVerdict(c *Copy) *claims.Verdict {
	if c.claim == nil {
		return nil
	}
	return n.claims.Use(c.claim)
}

// copiesOf decides the copies of a metric. Kind and unit are those after its pack's rules. A metric without
// points has no copies.
func (n *Names) copiesOf(key MetricKey, d *naming.Decision, kind claims.Kind, unit string) (copies []Copy) {
	if kind == claims.KindNone {
		return nil
	}
	for _, c := range n.namer.Copies(d, key.Name) {
		from, to, ok := c.Units(unit)
		if !ok || from != to && !kind.Convertible() {
			copies = append(copies, Copy{Copy: c, Unconvertible: true})
			continue
		}
		claim := &claims.Claim{Original: key.Name, Kind: kind, Unit: to, Class: claims.ClassCopy, Set: c.Set}
		copies = append(copies, Copy{Copy: c, claim: n.claims.Make(*key.Context, c.Name, claim)})
	}
	return copies
}

// CopyOwner returns the system that owns a copy: that of its context, of the metric that was copied, or of its own
// name.
func (n *Names) CopyOwner(ctx *naming.Context, copied, name string) *naming.System {
	if ctx.Owner.Owned() && !ctx.Page {
		return ctx.Owner
	}
	return cmp.Or(n.owner(copied), n.owner(name), ctx.Owner)
}
