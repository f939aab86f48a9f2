// SPDX-License-Identifier: Apache-2.0

// Package copyplan plans the copies of attributes in an owner's telemetry: which there are, and how the content
// policy protects them.
package copyplan

import (
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Plan is the copies of attributes in an owner's telemetry, with what the content policy says of their keys.
type Plan struct {
	*naming.AttributeCopies
	Protections [][]Protection // by the index of the copy, then by the rank of the attribute
	Lists       []Protection   // by the index in Messages

	Owner   *naming.System
	Content []ContentFields
}

// Protection is what the content policy says about a copy.
type Protection struct {
	From, To content.Key // of the attribute, and of the copy
	// Exposes means that the copy is protected in another way than the attribute.
	Exposes bool
	// Turns means that the copy makes telemetry one about calls to models.
	Turns bool
	// Tells means that the attribute is protected as the copy is: the pack says what it is.
	Tells bool
}

// keys are what the content policy says of each key. All owners have mostly the same keys.
type keys struct {
	policy *content.Policy
	known  map[string]content.Key
}

func (k *keys) of(key string) content.Key {
	known, ok := k.known[key]
	if !ok {
		known = k.policy.Key(key)
		k.known[key] = known
	}
	return known
}

func (k *keys) protection(from, to string) Protection {
	p := Protection{From: k.of(from), To: k.of(to)}
	p.Exposes = p.To.Rule != nil && (p.From.Rule == nil || p.From.Rule.Secret != p.To.Rule.Secret || p.From.Leaf && !p.To.Leaf)
	p.Turns = p.To.Models && !p.From.Models
	p.Tells = p.Exposes && (p.From.Rule == nil || p.To.Rule.Secret) && !k.policy.Allows(from)
	return p
}

// New returns the plan of each owner. It is nil for an owner without copies.
func New(namer *naming.Namer, policy *content.Policy) []*Plan {
	owners := namer.Owners()
	plans := make([]*Plan, len(owners))
	known := keys{policy, map[string]content.Key{}}
	made := map[*naming.AttributeCopies]*Plan{} // most owners have the same
	for _, owner := range owners {
		copies := namer.AttributeCopies(owner)
		if copies == nil {
			continue
		}
		if like, ok := made[copies]; ok {
			plan := *like
			plan.Owner = owner
			plans[owner.Index()] = &plan
			continue
		}
		plan := &Plan{AttributeCopies: copies, Owner: owner}
		made[copies] = plan
		for i := range copies.Copies {
			one := &copies.Copies[i]
			var all []Protection
			for _, from := range one.From {
				all = append(all, known.protection(from, one.Key))
			}
			plan.Protections = append(plan.Protections, all)
		}
		for _, list := range copies.Messages {
			plan.Lists = append(plan.Lists, known.protection(list.Below+texts[list.Form], list.Key))
		}
		plan.Content = contentFieldsOf(plan)
		plans[owner.Index()] = plan
	}
	return plans
}

// texts are the fields with the text of the first message, which stand for all fields of messages.
var texts = map[conventions.MessageForm]string{
	conventions.FormOpenInference: "0.message.content",
	conventions.FormOpenLLMetry:   "0.content",
}

// ContentFields are the copies of fields of an attribute that is content as a whole, such as the temperature in
// llm.invocation_parameters. They are made before the attribute is replaced. The copies are protected with the
// rest of the item, each by its own key.
type ContentFields struct {
	Key    string
	Copies []naming.CopySource
}

// contentFieldsOf returns the content of a plan that has fields with copies.
func contentFieldsOf(plan *Plan) []ContentFields {
	var all []ContentFields
	at := map[string]int{}
	for i := range plan.Copies {
		one := &plan.Copies[i]
		for rank, key := range one.From {
			if one.Field == "" || plan.Protections[i][rank].From.Rule == nil {
				continue
			}
			if _, ok := at[key]; !ok {
				at[key] = len(all)
				all = append(all, ContentFields{Key: key})
			}
			fields := &all[at[key]]
			fields.Copies = append(fields.Copies, naming.CopySource{Copy: i, Rank: rank})
		}
	}
	return all
}
