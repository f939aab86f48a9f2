// SPDX-License-Identifier: Apache-2.0

package known

import (
	"cmp"
	"time"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Copies are the copies of a metric, each with its claim to its name.
type Copies struct {
	Also []Copy
	// Original is the copy that keeps the original name, or nil.
	Original *Copy
}

// Copy is a copy of a metric. Only Name and Until are set in one that keeps the original name.
type Copy struct {
	naming.Copy
	// Unconvertible means that the values cannot be converted to the unit of the copy. There is no copy.
	Unconvertible bool
	claim         *naming.Claim
}

// Ended reports whether the copies have ended.
func (c *Copy) Ended(now time.Time) bool { return !c.Until.IsZero() && !now.Before(c.Until) }

// CopyVerdict returns the outcome of a copy's claim to its name, or nil.
func (n *Names) CopyVerdict(c *Copy) *naming.Verdict {
	if c.claim == nil {
		return nil
	}
	return n.claims.Use(c.claim)
}

// copiesOf decides the copies of a metric. Kind and unit are those after its pack's rules. A metric without
// points has no copies.
func (n *Names) copiesOf(key MetricKey, d *naming.Decision, kind naming.Kind, unit string) (copies Copies) {
	if kind == naming.KindNone {
		return copies
	}
	decided := n.namer.Copies(d, key.Name)
	for _, c := range decided.Also {
		from, to, ok := c.Units(unit)
		if !ok || from != to && !kind.Convertible() {
			copies.Also = append(copies.Also, Copy{Copy: c, Unconvertible: true})
			continue
		}
		claim := &naming.Claim{Original: key.Name, Kind: kind, Unit: to, Class: naming.ClassCopy, Set: c.Set}
		copies.Also = append(copies.Also, Copy{Copy: c, claim: n.claims.Make(*key.Context, c.Name, claim)})
	}
	if !decided.Original.IsZero() {
		claim := &naming.Claim{Original: key.Name, Kind: key.Kind, Unit: key.Unit, Class: naming.ClassOriginal}
		copies.Original = &Copy{
			Copy: naming.Copy{Name: key.Name, Until: decided.Original}, claim: n.claims.Make(*key.Context, key.Name, claim),
		}
	}
	return copies
}

// outdated reports whether a claim must be made again.
func (c *Copies) outdated() bool {
	for i := range c.Also {
		if c.Also[i].outdated() {
			return true
		}
	}
	return c.Original != nil && c.Original.outdated()
}

func (c *Copy) outdated() bool { return c.claim != nil && c.claim.Verdict() == nil }

// CopyOwner returns the system that owns a copy, by its context, the name of what was copied, or its own.
func (n *Names) CopyOwner(ctx *naming.Context, of, name string) *naming.System {
	if ctx.Owner.Owned() && !ctx.Page {
		return ctx.Owner
	}
	return cmp.Or(n.owner(of), n.owner(name), ctx.Owner)
}
